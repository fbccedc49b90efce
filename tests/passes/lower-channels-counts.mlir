// RUN: baker-opt %s --split-input-file --baker-lower-channels=core=me | FileCheck %s

// Two channels on one ring: the branch that selects a consumer is taken as often
// as the profile has messages. There are no other channels.

module {
baker.protocol @p min_bytes 14 []
baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 0 : i32, baker.profile = {packets = 40 : i64}}
baker.channel @one : "p" from "f" to @g {baker.via = #baker.via<ring>, baker.ring = 4 : i32, baker.id = 1 : i32, baker.profile = {packets = 30 : i64}}
baker.channel @two : "p" from "f" to @h {baker.via = #baker.via<ring>, baker.ring = 4 : i32, baker.id = 2 : i32, baker.profile = {packets = 7 : i64}}
func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.channel_put @one, %ph : !baker.packet<"p">
  return
}
func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
func.func @h(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
}
// CHECK-LABEL: func.func @me_main
// CHECK: cf.switch
// CHECK-NEXT: default: ^{{.*}},
// CHECK-NEXT: 1: ^[[ONE:bb[0-9]+]],
// CHECK-NEXT: 2: ^[[TWO:bb[0-9]+]]
// CHECK-NEXT: ] {baker.branch = array<i64: 0, 30, 7>}
// CHECK-DAG: call @g
// CHECK-DAG: call @h

// -----

// Without a profile all channels have as many.

module {
baker.protocol @p min_bytes 14 []
baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 0 : i32}
baker.channel @one : "p" from "f" to @g {baker.via = #baker.via<ring>, baker.ring = 4 : i32, baker.id = 1 : i32}
baker.channel @two : "p" from "f" to @h {baker.via = #baker.via<ring>, baker.ring = 4 : i32, baker.id = 2 : i32}
func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.channel_put @one, %ph : !baker.packet<"p">
  return
}
func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
func.func @h(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
}
// CHECK-LABEL: func.func @me_main
// CHECK: baker.branch = array<i64: 0, 1, 1>
