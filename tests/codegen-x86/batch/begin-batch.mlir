// RUN: baker-opt %s --baker-begin-batch | FileCheck %s
// RUN: baker-opt %s --baker-begin-batch --baker-lower-channels=core=host --baker-inline-batch | FileCheck %s --check-prefix=INLINE

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.channel @rx : "ether" from "rx" to @first
  {baker.id = 0 : i32, baker.via = #baker.via<call>}
baker.channel @out_cc : "ether" from "first" to @second
  {baker.id = 1 : i32, baker.via = #baker.via<call>}
baker.channel @learn_cc : "ether" from "second" to @learn
  {baker.id = 2 : i32, baker.via = #baker.via<ring>, baker.ring = 2 : i32}

// CHECK: func.func @first
// CHECK: func.func @learn{{.*}}baker.batch.queued
// CHECK: func.func @karakal.batch
// CHECK: baker.channel_put @out_cc

// INLINE: func.func @karakal.batch
// INLINE-NOT: call @second
// INLINE: call @baker_channel_put
func.func @first(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>} {
  baker.channel_put @out_cc, %ph : !baker.packet<"ether">
  return
}
func.func @second(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>} {
  baker.channel_put @learn_cc, %ph : !baker.packet<"ether">
  return
}
func.func @learn(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<xscale>} {
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
