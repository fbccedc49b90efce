// RUN: baker-opt %s --baker-place-locks | FileCheck %s

// A test and set takes both ports of an SRAM channel, so the busier one counts:
// channel 0 is idle for reads, channel 1 for writes.

module attributes {baker.aggregates.prediction = {unit_loads = {scratch = 0.99 : f64, sram0_read = 0.0 : f64, sram0_write = 0.9 : f64, sram1_read = 0.1 : f64, sram1_write = 0.0 : f64}}} {
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]

// CHECK: baker.global @guard {{.*}}baker.placement = #baker.placement<sram1 at 0>
baker.global @guard : i32 {baker.placement = #baker.placement<scratch at 12544>}

func.func @m.a.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "a"} {
  %guard = baker.global_ref @guard : !baker.ref<i32>
  baker.lock %guard : !baker.ref<i32>
  baker.unlock %guard : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
func.func @m.b.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "b"} {
  %guard = baker.global_ref @guard : !baker.ref<i32>
  baker.lock %guard : !baker.ref<i32>
  baker.unlock %guard : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
}
