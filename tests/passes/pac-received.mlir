// RUN: baker-opt %s --split-input-file --baker-pac | FileCheck %s

// Packets from the receiver have a known head: commands of whole quadwords.

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>,
   #baker.protocol_field<"src" at 48 : 48>,
   #baker.protocol_field<"type" at 96 : 16>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ihl" at 4 : 4>,
   #baker.protocol_field<"ttl" at 64 : 8>,
   #baker.protocol_field<"checksum" at 80 : 16>,
   #baker.protocol_field<"options" at 160 : 32 x 10>]
baker.protocol @filled min_bytes 8 constant_size
  [#baker.protocol_field<"high" at 0 : 28>,
   #baker.protocol_field<"low" at 28 : 4>,
   #baker.protocol_field<"word" at 32 : 32>]
!e = !baker.packet<"ether">
!i = !baker.packet<"ipv4">
!b = !baker.packet<"filled">

// Reads on several paths and after a decap are one command.
// CHECK-LABEL: func.func @reads(
// CHECK: %[[W:.*]]:6 = baker.packet_load %{{.*}} at 0 aligned : !baker.packet<"ether">
// CHECK-NOT: packet_load
// CHECK-NOT: packet_read
func.func @reads(%a: i32, %b: i32, %c: i1) -> (i16, i8, i48) {
  %c14 = arith.constant 14 : i32
  %c0 = arith.constant 0 : i8
  %ph = baker.packet_take %a, %b from_rx : !e
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

// Writes become one command of whole quadwords where the packet leaves. The bytes
// between them are read with the others.
// CHECK-LABEL: func.func @forward(
// CHECK: %[[W:.*]]:6 = baker.packet_load %{{.*}} at -6 aligned :
// CHECK-NOT: baker.packet_load
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[W]]#2, %{{.*}}, %{{.*}}, %[[W]]#5] to %{{.*}} at 0 aligned : !baker.packet<"ether">
// CHECK-NOT: baker.packet_store
// CHECK: baker.packet_send
func.func @forward(%a: i32, %b: i32, %mac: i48) {
  %c14 = arith.constant 14 : i32
  %c1 = arith.constant 1 : i8
  %ph = baker.packet_take %a, %b from_rx : !e
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
  baker.packet_send %oh ring 1 id 0 : !e
  return
}

// Reads of written fields use the values, and a dropped packet is not written.
// CHECK-LABEL: func.func @dropped(
// CHECK-NOT: baker.packet_load
// CHECK-NOT: baker.packet_store
// CHECK: return %arg2
func.func @dropped(%a: i32, %b: i32, %v: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %ph = baker.packet_take %a, %b from_rx : !i
  baker.packet_write %v, %ph "options"[%c0] : i32, !i
  %r = baker.packet_read %ph "options"[%c0] : !i -> i32
  baker.packet_drop %ph : !i
  return %r : i32
}

// A copy has the bytes that the packet has at the time of the copy.
// CHECK-LABEL: func.func @copied(
// CHECK: baker.packet_store
// CHECK-NEXT: %[[COPY:.*]] = baker.packet_copy
// CHECK-NEXT: baker.packet_send %[[COPY]]
// CHECK: baker.packet_store
// CHECK-NEXT: baker.packet_send
func.func @copied(%a: i32, %b: i32, %v: i8, %w: i8) {
  %ph = baker.packet_take %a, %b from_rx : !i
  baker.packet_write %v, %ph "ttl" : i8, !i
  %copy = baker.packet_copy %ph : !i
  baker.packet_send %copy ring 1 id 0 : !i
  baker.packet_write %w, %ph "ttl" : i8, !i
  baker.packet_send %ph ring 1 id 0 : !i
  return
}

// If each path writes, one store after the meet writes known words.
// CHECK-LABEL: func.func @sunk(
// CHECK-NOT: baker.packet_store
// CHECK: ^{{.*}}(%{{.*}}: i32):
// CHECK-NEXT: baker.packet_load
// CHECK: baker.packet_store
// CHECK-NEXT: baker.packet_send
func.func @sunk(%a: i32, %b: i32, %c: i1, %v: i8, %w: i8) {
  %ph = baker.packet_take %a, %b from_rx : !i
  cf.cond_br %c, ^one, ^other
^one:
  baker.packet_write %v, %ph "ttl" : i8, !i
  cf.br ^end
^other:
  baker.packet_write %w, %ph "ttl" : i8, !i
  cf.br ^end
^end:
  baker.packet_send %ph ring 1 id 0 : !i
  return
}

// The load and the store of a write on one path stay on that path.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: baker.packet_load
// CHECK: cf.cond_br
// CHECK: baker.packet_load
// CHECK: baker.packet_store
// CHECK-NEXT: cf.br
func.func @alone(%a: i32, %b: i32, %c: i1, %v: i8) {
  %ph = baker.packet_take %a, %b from_rx : !i
  cf.cond_br %c, ^one, ^end
^one:
  baker.packet_write %v, %ph "ttl" : i8, !i
  cf.br ^end
^end:
  baker.packet_send %ph ring 1 id 0 : !i
  return
}

// Fields that fill a byte together need no read of its old value.
// CHECK-LABEL: func.func @bits(
// CHECK-NOT: baker.packet_load
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 0 aligned
func.func @bits(%a: i32, %b: i32, %v: i4, %w: i28, %x: i32) {
  %ph = baker.packet_take %a, %b from_rx : !b
  baker.packet_write %v, %ph "low" : i4, !b
  baker.packet_write %w, %ph "high" : i28, !b
  baker.packet_write %x, %ph "word" : i32, !b
  baker.packet_send %ph ring 1 id 0 : !b
  return
}

// If one bit of a byte is not written, the byte is read.
// CHECK-LABEL: func.func @missing_bit(
// CHECK: baker.packet_load
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 0 aligned
func.func @missing_bit(%a: i32, %b: i32, %v: i4, %x: i32) {
  %ph = baker.packet_take %a, %b from_rx : !b
  baker.packet_write %v, %ph "low" : i4, !b
  baker.packet_write %x, %ph "word" : i32, !b
  baker.packet_send %ph ring 1 id 0 : !b
  return
}

// A created packet is zero: nothing is read, and quadwords are written whole.
// CHECK-LABEL: func.func @created(
// CHECK-NOT: baker.packet_load
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 8 aligned
// CHECK: return %c0{{.*}} : i32
func.func @created(%n: i32, %v: i8) -> i32 {
  %c0 = arith.constant 0 : i32
  %ph = baker.packet_create %n : !i
  baker.packet_write %v, %ph "ttl" : i8, !i
  %r = baker.packet_read %ph "options"[%c0] : !i -> i32
  baker.packet_send %ph ring 1 id 0 : !i
  return %r : i32
}

// -----

// If a loop removes headers, its first iteration has a known head, and so has the
// code after it.

baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>,
   #baker.protocol_field<"bottom" at 23 : 1>,
   #baker.protocol_field<"ttl" at 24 : 8>]
!m = !baker.packet<"mpls">

// CHECK-LABEL: func.func @stack(
// CHECK: baker.packet_take
// CHECK: baker.packet_load %{{.*}} at 0 aligned :
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 0 aligned : !baker.packet<"mpls">
func.func @stack(%a: i32, %b: i32, %v: i8) {
  %c4 = arith.constant 4 : i32
  %ph = baker.packet_take %a, %b from_rx : !m
  cf.br ^head(%ph : !m)
^head(%h: !m):
  %bottom = baker.packet_read %h "bottom" : !m -> i1
  cf.cond_br %bottom, ^end, ^next
^next:
  %inner = baker.packet_decap %h, %c4 : !m -> !m
  cf.br ^head(%inner : !m)
^end:
  baker.packet_write %v, %h "ttl" : i8, !m
  baker.packet_send %h ring 1 id 0 : !m
  return
}

// -----

// Bytes that another access may have written are not written back, so a store of
// 64 bytes is not possible.

baker.protocol @listed min_bytes 64 constant_size
  [#baker.protocol_field<"first" at 0 : 32>,
   #baker.protocol_field<"second" at 160 : 32>,
   #baker.protocol_field<"list" at 192 : 8 x 8>,
   #baker.protocol_field<"third" at 320 : 32>,
   #baker.protocol_field<"last" at 480 : 32>]
!l = !baker.packet<"listed">

// CHECK-LABEL: func.func @around(
// CHECK: baker.packet_write %{{.*}}, %{{.*}} "list"
// CHECK: baker.packet_store [{{.*}}] to %{{.*}} at 0 mask 16492690145295 :
// CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 56 aligned
func.func @around(%a: i32, %b: i32, %v: i32, %x: i8, %i: i32) {
  %ph = baker.packet_take %a, %b from_rx : !l
  baker.packet_write %x, %ph "list"[%i] : i8, !l
  baker.packet_write %v, %ph "first" : i32, !l
  baker.packet_write %v, %ph "second" : i32, !l
  baker.packet_write %v, %ph "third" : i32, !l
  baker.packet_write %v, %ph "last" : i32, !l
  baker.packet_send %ph ring 1 id 0 : !l
  return
}
