// RUN: baker-opt %s --split-input-file --baker-pac | FileCheck %s
// RUN: baker-opt %s --split-input-file --baker-pac --explain=pac -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WHY

// Many accesses of fields become few memory commands.

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>,
   #baker.protocol_field<"src" at 48 : 48>,
   #baker.protocol_field<"type" at 96 : 16>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ihl" at 4 : 4>,
   #baker.protocol_field<"ttl" at 64 : 8>,
   #baker.protocol_field<"checksum" at 80 : 16>,
   #baker.protocol_field<"options" at 160 : 32 x 10>]
baker.channel @out_e : "ether" from "f" to @tx
baker.channel @out_i : "ipv4" from "f" to @tx
!e = !baker.packet<"ether">
!i = !baker.packet<"ipv4">

// Reads on several paths and after a decap are one command.
// CHECK-LABEL: func.func @reads(
// CHECK: %[[W:.*]]:6 = baker.packet_load %arg0 at 0 : !baker.packet<"ether">
// CHECK-NOT: packet_load
// CHECK-NOT: packet_read
func.func @reads(%ph: !e, %c: i1) -> (i16, i8, i48) {
  %c14 = arith.constant 14 : i32
  %c0 = arith.constant 0 : i8
  %type = baker.packet_read %ph "type" : !e -> i16
  %dst = baker.packet_read %ph "dst" : !e -> i48
  %ih = baker.packet_decap %ph, %c14 : !e -> !i
  cf.cond_br %c, ^one, ^end(%c0 : i8)
^one:
  %ttl = baker.packet_read %ih "ttl" : !i -> i8
  cf.br ^end(%ttl : i8)
^end(%r: i8):
  baker.packet_drop %ih : !i
  return %type, %r, %dst : i16, i8, i48
}

// Writes become one command where the packet leaves, with a mask where the
// alignment is not known.
// CHECK-LABEL: func.func @forward(
// CHECK: %[[W:.*]] = baker.packet_load %{{.*}} at 8 :
// CHECK-NOT: baker.packet_load
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}} at 0 mask {{.*}} : !baker.packet<"ether">
// CHECK-NOT: baker.packet_store
// CHECK: baker.channel_put
func.func @forward(%ph: !e, %mac: i48) {
  %c14 = arith.constant 14 : i32
  %c1 = arith.constant 1 : i8
  %ih = baker.packet_decap %ph, %c14 : !e -> !i
  %ttl = baker.packet_read %ih "ttl" : !i -> i8
  %less = arith.subi %ttl, %c1 : i8
  baker.packet_write %less, %ih "ttl" : i8, !i
  %sum = baker.packet_read %ih "checksum" : !i -> i16
  baker.packet_write %sum, %ih "checksum" : i16, !i
  %oh = baker.packet_encap %ih, %c14 : !i -> !e
  baker.packet_write %mac, %oh "dst" : i48, !e
  baker.packet_write %mac, %oh "src" : i48, !e
  %type = arith.constant 2048 : i16
  baker.packet_write %type, %oh "type" : i16, !e
  baker.channel_put @out_e, %oh : !e
  return
}

// Reads of written fields use the values, and a dropped packet is not written.
// CHECK-LABEL: func.func @dropped(
// CHECK-NOT: baker.packet_load
// CHECK-NOT: baker.packet_store
// CHECK: return %arg1
func.func @dropped(%ph: !i, %v: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  baker.packet_write %v, %ph "options"[%c0] : i32, !i
  %r = baker.packet_read %ph "options"[%c0] : !i -> i32
  baker.packet_drop %ph : !i
  return %r : i32
}

// A copy has the bytes that the packet has at the time of the copy.
// CHECK-LABEL: func.func @copied(
// CHECK: baker.packet_store
// CHECK-NEXT: %[[COPY:.*]] = baker.packet_copy
// CHECK-NEXT: baker.channel_put @out_i, %[[COPY]]
// CHECK: baker.packet_store
// CHECK-NEXT: baker.channel_put
func.func @copied(%ph: !i, %v: i8, %w: i8) {
  baker.packet_write %v, %ph "ttl" : i8, !i
  %copy = baker.packet_copy %ph : !i
  baker.channel_put @out_i, %copy : !i
  baker.packet_write %w, %ph "ttl" : i8, !i
  baker.channel_put @out_i, %ph : !i
  return
}

// If each path writes, there is one store after the meet.
// CHECK-LABEL: func.func @sunk(
// CHECK-NOT: baker.packet_store
// CHECK: ^{{.*}}(%{{.*}}: i32):
// CHECK-NEXT: baker.packet_store
// CHECK-NEXT: baker.channel_put
func.func @sunk(%ph: !i, %c: i1, %v: i8, %w: i8) {
  cf.cond_br %c, ^one, ^other
^one:
  baker.packet_write %v, %ph "ttl" : i8, !i
  cf.br ^end
^other:
  baker.packet_write %w, %ph "ttl" : i8, !i
  cf.br ^end
^end:
  baker.channel_put @out_i, %ph : !i
  return
}

// A write on one path stays there, so the other path needs no command.
// CHECK-LABEL: func.func @alone(
// CHECK: cf.cond_br
// CHECK: baker.packet_store
// CHECK-NEXT: cf.br ^[[END:.*]]
// CHECK: ^[[END]]:
// CHECK-NEXT: baker.channel_put
func.func @alone(%ph: !i, %c: i1, %v: i8) {
  cf.cond_br %c, ^one, ^end
^one:
  baker.packet_write %v, %ph "ttl" : i8, !i
  cf.br ^end
^end:
  baker.channel_put @out_i, %ph : !i
  return
}

// With unknown alignment, bytes are written with a mask.
// CHECK-LABEL: func.func @unknown(
// CHECK: baker.packet_store [%{{.*}}] to %arg0 at 8 mask 1
func.func @unknown(%ph: !i, %v: i8) {
  baker.packet_write %v, %ph "ttl" : i8, !i
  baker.channel_put @out_i, %ph : !i
  return
}

// A function that borrows a packet leaves its bytes in memory.
// CHECK-LABEL: func.func @borrowed(
// CHECK: baker.packet_store [%{{.*}}] to %arg0 at 8 mask 1
// CHECK-NEXT: return
func.func @borrowed(%ph: !i, %v: i8) {
  baker.packet_write %v, %ph "ttl" : i8, !i
  return
}

// -----

// Words of one object of global data are one burst.

!hop = !baker.struct<"next_hop", mac : i48, port : i32>
baker.global @hops : !baker.array<4 x !hop>
baker.global @count : i32

// CHECK-LABEL: func.func @burst(
// CHECK: %[[W:.*]]:3 = baker.load_words %{{.*}} at 0 : !baker.ref<!next_hop>
// CHECK-NOT: baker.load
// CHECK: return
func.func @burst(%i: i32) -> (i32, i48) {
  %hops = baker.global_ref @hops : !baker.ref<!baker.array<4 x !hop>>
  %hop = baker.element %hops[%i] : !baker.ref<!baker.array<4 x !hop>>
  %p = baker.field %hop "port" : !baker.ref<!hop>
  %port = baker.load %p : !baker.ref<i32>
  %m = baker.field %hop "mac" : !baker.ref<!hop>
  %mac = baker.load %m : !baker.ref<i48>
  return %port, %mac : i32, i48
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"type" at 96 : 16>]
baker.channel @out : "ether" from "m.f" to @tx
!e = !baker.packet<"ether">

// Writes reach memory before bytes are appended. Removing bytes from the end does
// not affect the header.

// CHECK-LABEL: func.func @tails(
// CHECK: baker.packet_store [%{{.*}}] to %arg0 at 12 mask 3
// CHECK: %[[LONG:.*]] = baker.packet_add_tail
// CHECK: %[[SHORT:.*]] = baker.packet_remove_tail %[[LONG]]
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 0 mask 63
// CHECK: baker.channel_put
func.func @tails(%ph: !e, %n: i32, %v: i16, %d: i48) {
  baker.packet_write %v, %ph "type" : i16, !e
  %long = baker.packet_add_tail %ph, %n : !e
  baker.packet_write %d, %long "dst" : i48, !e
  %short = baker.packet_remove_tail %long, %n : !e
  baker.channel_put @out, %short : !e
  return
}

// -----

// Stores to adjacent words of one object are one burst at the last of them. A load
// of other words of the object may be between them, and is combined, too.

!count = !baker.struct<"count", packets : i32, bytes : i64, last : i16>
baker.global @counts : !baker.array<4 x !count>
baker.global @ready : i32

// CHECK-LABEL: func.func @counters(
// CHECK: %[[W:.*]]:3 = baker.load_words %{{.*}} at 0 : !baker.ref<!count>
// CHECK-NOT: baker.load
// CHECK-NOT: baker.store %
// CHECK: baker.store_words [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}} at 0 : !baker.ref<!count>
// CHECK-NEXT: return
func.func @counters(%i: i32, %n: i64, %t: i16) {
  %c1 = arith.constant 1 : i32
  %counts = baker.global_ref @counts : !baker.ref<!baker.array<4 x !count>>
  %c = baker.element %counts[%i] : !baker.ref<!baker.array<4 x !count>>
  %p = baker.field %c "packets" : !baker.ref<!count>
  %packets = baker.load %p : !baker.ref<i32>
  %more = arith.addi %packets, %c1 : i32
  baker.store %more, %p : !baker.ref<i32>
  %b = baker.field %c "bytes" : !baker.ref<!count>
  %bytes = baker.load %b : !baker.ref<i64>
  %sum = arith.addi %bytes, %n : i64
  baker.store %sum, %b : !baker.ref<i64>
  %l = baker.field %c "last" : !baker.ref<!count>
  baker.store %t, %l : !baker.ref<i16>
  return
}

// A reader that finds the flag must find the data stored before it.
// CHECK-LABEL: func.func @flag(
// CHECK: baker.store %
// CHECK: baker.store %
// CHECK: baker.store %
// WHY: remark: [pac] not combined with the store at {{.*}}: it is of another object
func.func @flag(%i: i32, %v: i32, %t: i16) {
  %counts = baker.global_ref @counts : !baker.ref<!baker.array<4 x !count>>
  %c = baker.element %counts[%i] : !baker.ref<!baker.array<4 x !count>>
  %p = baker.field %c "packets" : !baker.ref<!count>
  baker.store %v, %p : !baker.ref<i32>
  %ready = baker.global_ref @ready : !baker.ref<i32>
  baker.store %v, %ready : !baker.ref<i32>
  %l = baker.field %c "last" : !baker.ref<!count>
  baker.store %t, %l : !baker.ref<i16>
  return
}

// A store of another object ends a burst, and names the last store in it.
// CHECK-LABEL: func.func @burst_and_flag(
// CHECK: baker.store_words
// CHECK: baker.store %
// WHY: remark: [pac] 2 stores written by one command of 3 words
// WHY: remark: [pac] not combined with the store at {{.*}}:3): it is of another object
func.func @burst_and_flag(%i: i32, %v: i32, %n: i64) {
  %counts = baker.global_ref @counts : !baker.ref<!baker.array<4 x !count>>
  %c = baker.element %counts[%i] : !baker.ref<!baker.array<4 x !count>>
  %p = baker.field %c "packets" : !baker.ref<!count>
  baker.store %v, %p : !baker.ref<i32>
  %b = baker.field %c "bytes" : !baker.ref<!count>
  baker.store %n, %b : !baker.ref<i64>
  %ready = baker.global_ref @ready : !baker.ref<i32>
  baker.store %v, %ready : !baker.ref<i32>
  return
}

// A load of the words in between reads the values that were stored.
// CHECK-LABEL: func.func @loaded(
// CHECK: baker.store %
// CHECK: baker.load %
// CHECK: baker.store %
// WHY: remark: [pac] not combined with the store at {{.*}}: a load of the words is between
func.func @loaded(%v: i32) -> i32 {
  %counts = baker.global_ref @counts : !baker.ref<!baker.array<4 x !count>>
  %c0 = arith.constant 0 : i32
  %c = baker.element %counts[%c0] : !baker.ref<!baker.array<4 x !count>>
  %p = baker.field %c "packets" : !baker.ref<!count>
  baker.store %v, %p : !baker.ref<i32>
  %r = baker.load %p : !baker.ref<i32>
  baker.store %r, %p : !baker.ref<i32>
  return %r : i32
}

// -----

// One command serves reads before and after a branch if the profile says that
// enough packets take it.

baker.protocol @wide min_bytes 48 constant_size
  [#baker.protocol_field<"first" at 0 : 32>,
   #baker.protocol_field<"near" at 64 : 32>,
   #baker.protocol_field<"far" at 352 : 32>]
!w = !baker.packet<"wide">

// CHECK-LABEL: func.func @frequent(
// CHECK: baker.packet_load %arg0 at 0 : !baker.packet<"wide"> -> i32, i32, i32
// CHECK-NOT: baker.packet_load
// CHECK: return
func.func @frequent(%ph: !w) -> i32 {
  %c0 = arith.constant 0 : i32
  %first = baker.packet_read %ph "first" : !w -> i32
  %is = arith.cmpi eq, %first, %c0 : i32
  cf.cond_br %is, ^more, ^end(%first : i32) {baker.branch = array<i64: 90, 10>}
^more:
  %near = baker.packet_read %ph "near" : !w -> i32
  cf.br ^end(%near : i32)
^end(%r: i32):
  baker.packet_drop %ph : !w
  return %r : i32
}

// CHECK-LABEL: func.func @seldom(
// CHECK: baker.packet_load %arg0 at 0 : !baker.packet<"wide"> -> i32
// CHECK: ^bb1:
// CHECK: baker.packet_load %arg0 at 44 : !baker.packet<"wide"> -> i32
// WHY: remark: [pac] not combined with the access at {{.*}}: one command for both would execute too often
func.func @seldom(%ph: !w) -> i32 {
  %c0 = arith.constant 0 : i32
  %first = baker.packet_read %ph "first" : !w -> i32
  %is = arith.cmpi eq, %first, %c0 : i32
  cf.cond_br %is, ^more, ^end(%first : i32) {baker.branch = array<i64: 1, 99>}
^more:
  %far = baker.packet_read %ph "far" : !w -> i32
  cf.br ^end(%far : i32)
^end(%r: i32):
  baker.packet_drop %ph : !w
  return %r : i32
}

// -----

// A loop over a header array with a constant number of iterations: all elements
// come with one command.

baker.protocol @list min_bytes 20 constant_size
  [#baker.protocol_field<"count" at 0 : 32>,
   #baker.protocol_field<"items" at 32 : 32 x 4>]
!l = !baker.packet<"list">

// CHECK-LABEL: func.func @loop(
// CHECK-NOT: packet_read
// CHECK: %[[W:.*]]:4 = baker.packet_load %arg0 at 4 :
// CHECK-NOT: packet_read
// CHECK-NOT: packet_load
// CHECK: return
// WHY: remark: [pac] unrolled, 4 iterations: a header array has a constant index in each
func.func @loop(%ph: !l) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  cf.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %sum: i32):
  %is = arith.cmpi ult, %i, %c4 : i32
  cf.cond_br %is, ^body, ^end
^body:
  %item = baker.packet_read %ph "items"[%i] : !l -> i32
  %next = arith.addi %sum, %item : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %next : i32, i32)
^end:
  baker.packet_drop %ph : !l
  return %sum : i32
}

// An early exit of an iteration uses its values, so it is copied, too.
// CHECK-LABEL: func.func @left_early(
// CHECK-COUNT-4: return %{{.*}} : i32
// CHECK: return %{{.*}} : i32
// WHY: remark: [pac] unrolled, 4 iterations: a header array has a constant index in each
func.func @left_early(%ph: !l) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  cf.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %sum: i32):
  %is = arith.cmpi ult, %i, %c4 : i32
  cf.cond_br %is, ^body, ^end
^body:
  %item = baker.packet_read %ph "items"[%i] : !l -> i32
  %isLast = arith.cmpi eq, %item, %c0 : i32
  cf.cond_br %isLast, ^found, ^more
^found:
  baker.packet_drop %ph : !l
  %many = arith.muli %sum, %i : i32
  return %many : i32
^more:
  %next = arith.addi %sum, %item : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %next : i32, i32)
^end:
  baker.packet_drop %ph : !l
  return %sum : i32
}

// CHECK-LABEL: func.func @unknown_bound(
// CHECK: packet_read
// WHY: remark: [pac] the loop around it is not unrolled: its number of iterations is not a constant of at most 16
func.func @unknown_bound(%ph: !l, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  cf.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %sum: i32):
  %is = arith.cmpi ult, %i, %n : i32
  cf.cond_br %is, ^body, ^end
^body:
  %at = arith.minui %i, %c3 : i32
  %item = baker.packet_read %ph "items"[%at] : !l -> i32
  %next = arith.addi %sum, %item : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %next : i32, i32)
^end:
  baker.packet_drop %ph : !l
  return %sum : i32
}
