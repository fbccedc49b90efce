// RUN: baker-opt %s --split-input-file --baker-assign-memory=copy-words=4 | FileCheck %s --check-prefixes=CHECK,COPY
// RUN: baker-opt %s --split-input-file --baker-assign-memory | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: seq 255 | sed -e 's/.*/baker.channel @c& : "p" from "m.f" to @tx/' > %t.mlir
// RUN: baker-opt %t.mlir --baker-assign-memory | FileCheck %s --check-prefix=CHANNELS
// RUN: seq 256 | sed -e 's/.*/baker.channel @c& : "p" from "m.f" to @tx/' > %t.mlir
// RUN: not baker-opt %t.mlir --baker-assign-memory 2>&1 | FileCheck %s --check-prefix=MORE

// A message has 8 bits for its channel.

// CHANNELS: baker.channel @c1 {{.*}}baker.id = 1 : i32
// CHANNELS: baker.channel @c2 {{.*}}baker.id = 2 : i32
// CHANNELS: baker.channel @c255 {{.*}}baker.id = 255 : i32
// MORE: 256:1: error: the channel 'c256' does not fit: a program has at most 255 channels [E-passes-005]

// Metadata may fill the descriptor to its twelfth word.

// CHECK: baker.metadata @a : i64 {baker.word = 0 : i32}
baker.metadata @a : i64
// CHECK: baker.metadata @b : i48 {baker.word = 2 : i32}
baker.metadata @b : i48
// CHECK: baker.metadata @c : i64 {baker.word = 4 : i32}
baker.metadata @c : i64
// CHECK: baker.metadata @d : i33 {baker.word = 6 : i32}
baker.metadata @d : i33
// CHECK: baker.metadata @e : i64 {baker.word = 8 : i32}
baker.metadata @e : i64
// CHECK: baker.metadata @f : i32 {baker.word = 10 : i32}
baker.metadata @f : i32
// CHECK: baker.metadata @g : i1 {baker.word = 11 : i32}
baker.metadata @g : i1

// Others come after what has a place, and each memory has its first address and its
// alignment: a word, and eight bytes of DRAM.

baker.global @kept : !baker.array<4 x i32> {baker.placement = #baker.placement<sram1 at 4096>}
baker.global @low : i32 {baker.placement = #baker.placement<sram1 at 12>}
// CHECK: baker.global @one : i32 {baker.placement = #baker.placement<sram1 at 4112>
baker.global @one : i32 {baker.placement.in = #baker.memory_request<sram1>}
// CHECK: baker.global @two : i32 {baker.placement = #baker.placement<sram1 at 4116>
baker.global @two : i32 {baker.placement.in = #baker.memory_request<sram1>}
// CHECK: baker.global @three : i32 {baker.placement = #baker.placement<sram0 at 344064>
baker.global @three : i32 {baker.placement.in = #baker.memory_request<sram0>}
// CHECK: baker.global @four : i64 {baker.placement = #baker.placement<scratch at 12288>
baker.global @four : i64 {baker.placement.in = #baker.memory_request<scratch>}
// CHECK: baker.global @five : i32 {baker.placement = #baker.placement<scratch at 12296>
baker.global @five : i32 {baker.placement.in = #baker.memory_request<scratch>}
// CHECK: baker.global @six : i32 {baker.placement = #baker.placement<dram at 11010048>
baker.global @six : i32 {baker.placement.in = #baker.memory_request<dram>}
// CHECK: baker.global @seven : i32 {baker.placement = #baker.placement<dram at 11010056>
baker.global @seven : i32 {baker.placement.in = #baker.memory_request<dram>}

// -----

// Accesses are those of the profile, per packet received. What the engines' copies
// can hold, four words here, leaves scratch to others, unless engines write it.

module attributes {baker.profile = {received = 100 : i64, traces = 1 : i64}} {
  // COPY: baker.global @small {{.*}}<sram1 at 0>, baker.placement.reason = "0.40 accesses per packet of 2.00 words, 16 bytes; in sram0
  // NONE: baker.global @small {{.*}}<scratch at 12288>, baker.placement.reason = "0.40 accesses per packet of 2.00 words, 16 bytes"
  baker.global @small : !baker.array<4 x i32> {baker.profile = {reads = 40 : i64, writes = 0 : i64, read_words = 80 : i64, write_words = 0 : i64, updates = 0 : i64}}
  // COPY: baker.global @larger {{.*}}<scratch at 12288>, baker.placement.reason = "0.30 accesses per packet of 3.00 words, 20 bytes"
  // NONE: baker.global @larger {{.*}}<scratch at 12304>
  baker.global @larger : !baker.array<5 x i32> {baker.profile = {reads = 30 : i64, writes = 0 : i64, read_words = 90 : i64, write_words = 0 : i64, updates = 0 : i64}}
  // COPY: baker.global @written {{.*}}<scratch at 12308>, baker.placement.reason = "0.50 accesses per packet of 2.00 words, 16 bytes"
  // NONE: baker.global @written {{.*}}<scratch at 12324>
  baker.global @written : !baker.array<4 x i32> {baker.profile = {reads = 40 : i64, writes = 10 : i64, read_words = 80 : i64, write_words = 20 : i64, updates = 0 : i64}}
  // COPY: baker.global @unread {{.*}}<scratch at 12324>, baker.placement.reason = "0.00 accesses per packet of 1.00 words, 16 bytes"
  // NONE: baker.global @unread {{.*}}<scratch at 12340>
  baker.global @unread : !baker.array<4 x i32> {baker.profile = {reads = 0 : i64, writes = 0 : i64, read_words = 0 : i64, write_words = 0 : i64, updates = 0 : i64}}
  // COPY: baker.global @counter {{.*}}<scratch at 12340>, baker.placement.reason = "0.40 accesses per packet of 1.00 words, 16 bytes"
  // NONE: baker.global @counter {{.*}}<scratch at 12356>
  baker.global @counter : !baker.array<4 x i32> {baker.profile = {reads = 40 : i64, writes = 0 : i64, read_words = 40 : i64, write_words = 0 : i64, updates = 0 : i64}}
  baker.protocol @p min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
  func.func @m.p.in(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    %i = arith.constant 0 : i32
    %refs = baker.global_ref @written : !baker.ref<!baker.array<4 x i32>>
    %ref = baker.element %refs[%i] : !baker.ref<!baker.array<4 x i32>>
    baker.store %i, %ref : !baker.ref<i32>
    %counters = baker.global_ref @counter : !baker.ref<!baker.array<4 x i32>>
    %count = baker.element %counters[%i] : !baker.ref<!baker.array<4 x i32>>
    baker.atomic addi %i, %count : !baker.ref<i32>
    baker.packet_drop %ph : !baker.packet<"p">
    return
  }
}

// -----

// A global may fill scratch but for the bytes that are no whole quadword.

// CHECK: baker.global @whole : !baker.array<702 x i32> {baker.placement = #baker.placement<scratch at 12288>
baker.global @whole : !baker.array<702 x i32> {baker.placement.in = #baker.memory_request<scratch>}
