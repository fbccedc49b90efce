// RUN: baker-opt %s --baker-plan-caches=max-error-rate=1e-1 | FileCheck %s
// RUN: baker-opt %s --baker-plan-caches=max-error-rate=1e-9 | FileCheck %s --check-prefix=STRICT

// Globals that packets read often and control functions rarely write get a copy.
// The version word is in the same memory, after its globals.

module attributes {baker.profile = {received = 10000 : i64, traces = 1 : i64}} {
// CHECK: module attributes {baker.cache.interval = 10 : i64, baker.cache.packets = 500 : i64
// CHECK-DAG: baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
// CHECK-DAG: baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 4032>}
// CHECK-DAG: baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
// CHECK-DAG: baker.global @karakal.copy.mac : !baker.array<4 x i48> {baker.placement = #baker.placement<local at 64>}

// CHECK-DAG: baker.global @mac : {{.*}}baker.cache.copy = @karakal.copy.mac, baker.cache.reason = "2.00 loads and 1.00e-04 stores per packet, 8 words; with at most 1.00e-01 stale packets a version check every 500th packet; saves 170 cycles of latency per packet
// STRICT-DAG: baker.global @mac : {{.*}}baker.cache.reason = "1.00e-04 stores and 2.00 loads per packet with at most 1.00e-09 stale packets need 200000.00 version checks per packet
baker.global @mac : !baker.array<4 x i48> {baker.placement = #baker.placement<sram1 at 3984>, baker.profile = {reads = 20000 : i64, writes = 0 : i64, read_words = 40000 : i64, write_words = 0 : i64, updates = 1 : i64}}
// CHECK-DAG: baker.global @large : {{.*}}baker.cache.reason = "the 996 words of it that packets read do not fit the 240 of local memory
baker.global @large : !baker.array<996 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 20000 : i64, writes = 0 : i64, read_words = 20000 : i64, write_words = 0 : i64, updates = 0 : i64}}
// CHECK-DAG: baker.global @count : {{.*}}baker.cache.reason = "packets write it (1.0000 stores per packet), and a packet that writes it also reads it
baker.global @count : i32 {baker.placement = #baker.placement<sram0 at 327680>, baker.profile = {reads = 10000 : i64, writes = 10000 : i64, read_words = 10000 : i64, write_words = 10000 : i64, updates = 0 : i64}}
// CHECK-DAG: baker.global @unread : {{.*}}baker.cache.reason = "no packet of the profile reads it
baker.global @unread : i32 {baker.placement = #baker.placement<sram0 at 327684>, baker.profile = {reads = 0 : i64, writes = 0 : i64, read_words = 0 : i64, write_words = 0 : i64, updates = 0 : i64}}
// The tolerance in the source overrides the option.
// STRICT-DAG: baker.global @tolerant : {{.*}}baker.cache.reason = "1.00 loads and 1.00e-04 stores per packet, 1 words; with at most 1.00e-01 stale packets a version check every 1000th packet
baker.global @tolerant : i32 {baker.tolerate = 10 : i64, baker.placement = #baker.placement<sram1 at 4016>, baker.profile = {reads = 10000 : i64, writes = 0 : i64, read_words = 10000 : i64, write_words = 0 : i64, updates = 1 : i64}}

// CHECK-DAG: baker.global @table : {{.*}}baker.cache.reason = "2.00 loads and 0.00e+00 stores per packet, 30 words;
// CHECK-DAG: baker.global @karakal.copy.table : !baker.array<10 x !t>
baker.global @table : !baker.array<500 x !baker.struct<"t", a : i32, b : i48>> {baker.placement = #baker.placement<sram0 at 327688>, baker.profile = {reads = 20000 : i64, writes = 0 : i64, read_words = 20000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 28 : i64}}

// Globals that a PPF on engines stores without reading them, or adds to.
// CHECK-DAG: baker.global @station : {{.*}}baker.cache.copy = @karakal.copy.station, baker.cache.reason = "2.00 loads and 1.00e-04 stores per packet
baker.global @station : i32 {baker.placement = #baker.placement<sram1 at 4024>, baker.profile = {reads = 20000 : i64, writes = 1 : i64, read_words = 20000 : i64, write_words = 1 : i64, updates = 0 : i64}}
// CHECK-DAG: baker.global @added : {{.*}}baker.cache.reason = "packets write it (1.0000 stores per packet), and a packet that writes it also reads it
baker.global @added : i32 {baker.placement = #baker.placement<sram1 at 4028>, baker.profile = {reads = 10000 : i64, writes = 10000 : i64, read_words = 10000 : i64, write_words = 10000 : i64, updates = 0 : i64}}

// CHECK-LABEL: func.func @m.learn
// CHECK: baker.store
// CHECK-NEXT: %[[RAISED:.*]] = arith.constant
// CHECK-NEXT: call @__ixp_sram_incr(%[[RAISED]])
func.func @m.learn.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %c = baker.global_ref @station : !baker.ref<i32>
  %one = arith.constant 1 : i32
  baker.store %one, %c : !baker.ref<i32>
  %a = baker.global_ref @added : !baker.ref<i32>
  %sum = baker.load %a : !baker.ref<i32>
  baker.atomic addi %sum, %a : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %c = baker.global_ref @count : !baker.ref<i32>
  %v = baker.load %c : !baker.ref<i32>
  baker.store %v, %c : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// The version is raised once, after the last store of the block.
// CHECK-LABEL: func.func @set
// CHECK-COUNT-3: baker.store
// CHECK-NEXT: %[[ADDRESS:.*]] = arith.constant 1073745856 : i32
// CHECK-NEXT: call @__ixp_sram_incr(%[[ADDRESS]])
func.func @set(%port: i32, %address: i48) attributes {baker.kind = #baker.kind<control>} {
  %refs = baker.global_ref @mac : !baker.ref<!baker.array<4 x i48>>
  %ref = baker.element %refs[%port] : !baker.ref<!baker.array<4 x i48>>
  baker.store %address, %ref : !baker.ref<i48>
  baker.store %address, %ref : !baker.ref<i48>
  %t = baker.global_ref @tolerant : !baker.ref<i32>
  baker.store %port, %t : !baker.ref<i32>
  return
}

// A PPF of the XScale core raises it as a control function does.
// CHECK-LABEL: func.func @m.cold
// CHECK: baker.store
// CHECK: call @__ixp_sram_incr
func.func @m.cold.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>, baker.cold} {
  %port = arith.constant 1 : i32
  %address = arith.constant 7 : i48
  %refs = baker.global_ref @mac : !baker.ref<!baker.array<4 x i48>>
  %ref = baker.element %refs[%port] : !baker.ref<!baker.array<4 x i48>>
  baker.store %address, %ref : !baker.ref<i48>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
