// RUN: baker-opt %s --baker-phr --canonicalize | FileCheck %s --implicit-check-not=baker.meta_

baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"type" at 96 : 16>]
baker.drop_reason @rare
baker.metadata @flow : i32 {baker.word = 0 : i32}
baker.metadata @hop : i32 {baker.word = 1 : i32}

// A message of the context to itself brings the words of the descriptor: head
// and length, ports, and the metadata that either function uses. Memory is out
// of date then, so all of them are written where the packet leaves.

// CHECK-LABEL: func.func @me_main
// CHECK-SAME: (%[[M0:.*]]: i32, %[[M1:.*]]: i32, %[[FLOW:.*]]: i32, %{{.*}}: i1)
// CHECK-NOT: baker.meta
// CHECK: %[[SENT:.*]] = baker.packet_send %{{.*}} ring 17 id 3
// CHECK-NEXT: cf.br ^[[CALL:bb[0-9]+]](%[[SENT]], %{{.*}}, %{{.*}}, %[[FLOW]], %c0_i32 :
// CHECK: %[[HEAD:.*]] = arith.ori %{{.*}}, %c9306112_i32
// CHECK: %[[SENT:.*]] = baker.packet_send %{{.*}} ring 17 id 4
// CHECK-NEXT: cf.br ^[[CALL]](%[[SENT]], %[[HEAD]], %{{.*}}, %c0_i32, %c0_i32 :
// CHECK: ^[[CALL]](%[[M:.*]]: i32, %[[H:.*]]: i32, %[[P:.*]]: i32, %[[F:.*]]: i32, %[[HOP:.*]]: i32):
// CHECK-NEXT: call @me_message(%[[M]], %[[H]], %[[P]], %[[F]], %[[HOP]])
func.func @me_main(%m0: i32, %m1: i32, %flow: i32, %c: i1) {
  %c14 = arith.constant 14 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  cf.cond_br %c, ^one, ^two
^one:
  baker.meta_write %flow, %ph @flow : i32, !baker.packet<"ether">
  %n = baker.packet_send %ph ring 17 id 3 : !baker.packet<"ether"> -> i32
  cf.br ^message(%n : i32)
^two:
  %eh = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ether">
  %k = baker.packet_send %eh ring 17 id 4 : !baker.packet<"ether"> -> i32
  cf.br ^message(%k : i32)
^message(%m: i32):
  func.call @me_message(%m) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @me_message
// CHECK: cf.br ^[[LOOP:bb[0-9]+]](%arg0, %arg1, %arg2, %arg3, %arg4 :
// CHECK: ^[[LOOP]](%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %[[F:.*]]: i32, %[[HOP:.*]]: i32):
// CHECK: %[[AGAIN:.*]] = baker.packet_send %{{.*}} ring 17 id 4
// CHECK-NEXT: cf.br ^[[LOOP]](%[[AGAIN]], %{{.*}}, %{{.*}}, %[[F]], %[[F]] :
// CHECK: baker.meta_store [%{{.*}}, %{{.*}}] to %{{.*}} word 1
// CHECK-NEXT: baker.meta_store [%[[F]], %[[HOP]]] to %{{.*}} word 4
// CHECK-NEXT: baker.packet_send %{{.*}} ring 2 id 5
func.func @me_message(%m: i32) {
  cf.br ^loop(%m : i32)
^loop(%n: i32):
  %zero = arith.constant 0 : i32
  %c24 = arith.constant 24 : i32
  %id = arith.shrui %n, %c24 : i32
  cf.switch %id : i32, [
    default: ^done,
    3: ^three,
    4: ^four
  ]
^three:
  %p = baker.packet_take %n, %zero : !baker.packet<"ether">
  %flow = baker.meta_read %p @flow : !baker.packet<"ether"> -> i32
  baker.meta_write %flow, %p @hop : i32, !baker.packet<"ether">
  %again = baker.packet_send %p ring 17 id 4 : !baker.packet<"ether"> -> i32
  cf.br ^loop(%again : i32)
^four:
  %q = baker.packet_take %n, %zero : !baker.packet<"ether">
  baker.packet_send %q ring 2 id 5 : !baker.packet<"ether">
  cf.br ^done
^done:
  return
}
