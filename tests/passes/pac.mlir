// RUN: baker-opt %s --split-input-file --baker-pac | FileCheck %s

// Many accesses of fields become few commands of memory.

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

// Reads on several paths and behind a decap are one command.
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

// What was written is read from values, and a dropped packet is not written.
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

// A copy duplicates the bytes of its moment.
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

// A write on one path alone: one store behind the branch, of a known word.
// CHECK-LABEL: func.func @sunk(
// CHECK: baker.packet_load
// CHECK: ^{{.*}}(%{{.*}}: i32):
// CHECK-NEXT: baker.packet_store
// CHECK-NEXT: baker.channel_put
func.func @sunk(%ph: !i, %c: i1, %v: i8) {
  cf.cond_br %c, ^one, ^end
^one:
  baker.packet_write %v, %ph "ttl" : i8, !i
  cf.br ^end
^end:
  baker.channel_put @out_i, %ph : !i
  return
}

// Of unknown alignment, bytes are written by a mask.
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

// Writes are in memory before bytes are appended; what is cut off the end
// leaves the header alone.

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
