// RUN: baker-opt %s --baker-assign-memory --baker-split-cores --baker-lower-channels=core=me --split-input-file | FileCheck %s

// Engines that the XScale core can ask to stop: a context ends between messages.

// Whenever it finds no message.
// CHECK-LABEL: func.func @me_main
// CHECK-NEXT: cf.br ^[[LOOP:.*]]
// CHECK-NEXT: ^[[LOOP]]:
// CHECK: call @baker_stop_asked
// CHECK: call @baker_count_stopped()
// CHECK-NEXT: return
// CHECK: call @__ixp_sleep
// CHECK-NEXT: cf.br ^[[LOOP]]
module attributes {baker.engines.stoppable = 0 : i32} {
baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.first.in_cc
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 1000 : i64}} {
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
}

// -----

// On every 32nd iteration, also with a message each time.
// CHECK-LABEL: func.func @me_main
// CHECK: %[[INTERVAL:.*]] = arith.constant 32 : i32
// CHECK-NEXT: cf.br ^[[HEAD:.*]](%[[INTERVAL]] : i32)
// CHECK-NEXT: ^[[HEAD]](%[[COUNT:.*]]: i32):
// CHECK: %[[LEFT:.*]] = arith.subi %[[COUNT]], %{{.*}} : i32
// CHECK: cf.cond_br %{{.*}}, ^[[CHECK:.*]], ^[[BODY:[^(]*]](%[[LEFT]] : i32) {{.*}}1, 31
// CHECK: call @baker_stop_asked
// CHECK: cf.br ^[[HEAD]](%{{.*}} : i32)
// CHECK: call @baker_count_stopped()
// CHECK-NEXT: return
// CHECK-NOT: call @baker_stop_asked
module attributes {baker.engines.stoppable = 32 : i32} {
baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.first.in_cc
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 1000 : i64}} {
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
}
