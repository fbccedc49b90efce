// RUN: baker-opt %s "--baker-plan-batches=min-bytes=1024 globals=small" | FileCheck %s

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"key" at 48 : 32>]
baker.global @large : !baker.array<1024 x i32>
baker.global @small : !baker.array<16 x i32>
func.func private @baker_channel_put(i32, i32)

// Named globals alone are cut, whatever their size.

// CHECK-LABEL: func.func @karakal.batch
// CHECK-NOT: baker.cut stage
// CHECK: baker.load
// CHECK: %[[S:.*]] = baker.element
// CHECK-NEXT: baker.cut stage 1 prefetch %[[S]]
// CHECK-NOT: baker.cut stage
func.func @karakal.batch(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = baker.packet_read %ph "key" : !baker.packet<"ether"> -> i32
  %c15 = arith.constant 15 : i32
  %index = arith.andi %key, %c15 : i32
  %large = baker.global_ref @large : !baker.ref<!baker.array<1024 x i32>>
  %e = baker.element %large[%index] : !baker.ref<!baker.array<1024 x i32>>
  %v = baker.load %e : !baker.ref<i32>
  %low = arith.andi %v, %c15 : i32
  %small = baker.global_ref @small : !baker.ref<!baker.array<16 x i32>>
  %s = baker.element %small[%low] : !baker.ref<!baker.array<16 x i32>>
  %w = baker.load %s : !baker.ref<i32>
  func.call @baker_channel_put(%v, %w) : (i32, i32) -> ()
  return
}
