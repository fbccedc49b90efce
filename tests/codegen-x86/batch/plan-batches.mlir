// RUN: baker-opt %s --baker-plan-batches=min-bytes=1024 --explain=batching 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"key" at 48 : 32>]
baker.global @large : !baker.array<1024 x i32>
baker.global @small : !baker.array<4 x i32>
baker.global @learned : !baker.array<1024 x i32>
baker.global @counter : i32
func.func private @baker_channel_put(i32, i32)

// The packet waits at the load of a large global that no packet writes, and
// before it is sent. Its own number of a small global needs no cut. The counter
// is in one stage that runs once, so that packets count in their order anyway.

// CHECK-LABEL: func.func @karakal.batch
// CHECK: %[[E:.*]] = baker.element
// CHECK-NEXT: baker.cut stage 1 prefetch %[[E]]
// CHECK-NEXT: baker.load %[[E]]
// CHECK-NOT: baker.cut
// CHECK: baker.load {{.*}} !baker.ref<i32>
// CHECK: baker.atomic addi
// CHECK: baker.cut last
// CHECK-NOT: baker.cut
// CHECK: call @baker_channel_put

// WHY: packets wait at the load of @large, stage 1: 4096 bytes are likely to miss the cache
// WHY: packets do not wait at the load of @learned: @learned: PPFs that get queued packets use it
// WHY: the accesses of @learned are in the last stage: PPFs that get queued packets use it
func.func @karakal.batch(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = baker.packet_read %ph "key" : !baker.packet<"ether"> -> i32
  %c1023 = arith.constant 1023 : i32
  %index = arith.andi %key, %c1023 : i32
  %large = baker.global_ref @large : !baker.ref<!baker.array<1024 x i32>>
  %e = baker.element %large[%index] : !baker.ref<!baker.array<1024 x i32>>
  %v = baker.load %e : !baker.ref<i32>
  %c3 = arith.constant 3 : i32
  %low = arith.andi %v, %c3 : i32
  %small = baker.global_ref @small : !baker.ref<!baker.array<4 x i32>>
  %s = baker.element %small[%low] : !baker.ref<!baker.array<4 x i32>>
  %port = baker.load %s : !baker.ref<i32>
  %counter = baker.global_ref @counter : !baker.ref<i32>
  baker.atomic addi %port, %counter : !baker.ref<i32>
  %c1 = arith.constant 1 : i32
  call @baker_channel_put(%c1, %port) : (i32, i32) -> ()
  %learned = baker.global_ref @learned : !baker.ref<!baker.array<1024 x i32>>
  %l = baker.element %learned[%index] : !baker.ref<!baker.array<1024 x i32>>
  %w = baker.load %l : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

func.func @learn(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>, baker.batch.queued} {
  %c1 = arith.constant 1 : i32
  %learned = baker.global_ref @learned : !baker.ref<!baker.array<1024 x i32>>
  %l = baker.element %learned[%c1] : !baker.ref<!baker.array<1024 x i32>>
  baker.store %c1, %l : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
