// RUN: baker-opt %s --baker-inline | FileCheck %s
// RUN: baker-opt %s --baker-inline=max-operations=1 | FileCheck %s --check-prefix=SMALL

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// Functions with packets are inlined; others only if they are small or called
// once. Functions without calls are removed.

// CHECK-NOT: func.func @first
func.func @first(%ph: !baker.packet<"ether">) {
  %n = baker.packet_length %ph : !baker.packet<"ether">
  %c60 = arith.constant 60 : i32
  %0 = arith.cmpi ult, %n, %c60 : i32
  cf.cond_br %0, ^short, ^long
^short:
  baker.packet_drop %ph : !baker.packet<"ether">
  return
^long:
  %m = call @mix(%n) : (i32) -> i32
  %k = call @mix(%m) : (i32) -> i32
  call @second(%ph, %k) : (!baker.packet<"ether">, i32) -> ()
  return
}

func.func @second(%ph: !baker.packet<"ether">, %k: i32) {
  %port = arith.trunci %k : i32 to i8
  baker.meta_write %port, %ph @tx.port : i8, !baker.packet<"ether">
  baker.packet_send %ph ring 1 id 0 : !baker.packet<"ether">
  return
}

// SMALL: func.func @mix
func.func @mix(%x: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %0 = arith.muli %x, %c31 : i32
  return %0 : i32
}

func.func @nobody() {
  return
}

// CHECK-LABEL: func.func @me_main
// CHECK: baker.packet_take
// CHECK: baker.packet_length
// CHECK: cf.cond_br
// CHECK: baker.packet_drop
// CHECK: arith.muli
// CHECK: arith.muli
// CHECK: baker.meta_write
// CHECK: baker.packet_send
// CHECK-NOT: func.func @
// SMALL-LABEL: func.func @me_main
// SMALL-COUNT-2: call @mix
func.func @me_main() {
  cf.br ^loop
^loop:
  %c0 = arith.constant 0 : i32
  %m:2 = call @__ixp_scratch_get2(%c0) : (i32) -> (i32, i32)
  %ph = baker.packet_take %m#0, %m#1 from_rx : !baker.packet<"ether">
  call @first(%ph) : (!baker.packet<"ether">) -> ()
  cf.br ^loop
}
func.func private @__ixp_scratch_get2(i32) -> (i32, i32)
