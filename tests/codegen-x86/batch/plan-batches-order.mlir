// RUN: baker-opt %s --baker-plan-batches=min-bytes=1024 --explain=batching 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"key" at 48 : 32>]
baker.global @large : !baker.array<1024 x i32>
baker.global @count : i32

// The counter is used before and after the cut, so packets would count in
// another order. Nothing can be cut after its first use.

// CHECK-NOT: karakal.batch
// WHY: packets do not wait at the load of @large: the packet's path before it is in the last stage
// WHY: the accesses of @count are in the last stage: packets write it, and several stages use it
// WHY: packets run one after the other: no load is worth waiting for
func.func @karakal.batch(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %count = baker.global_ref @count : !baker.ref<i32>
  %n = baker.load %count : !baker.ref<i32>
  %key = baker.packet_read %ph "key" : !baker.packet<"ether"> -> i32
  %c1023 = arith.constant 1023 : i32
  %index = arith.andi %key, %c1023 : i32
  %large = baker.global_ref @large : !baker.ref<!baker.array<1024 x i32>>
  %e = baker.element %large[%index] : !baker.ref<!baker.array<1024 x i32>>
  %v = baker.load %e : !baker.ref<i32>
  %sum = arith.addi %n, %v : i32
  baker.store %sum, %count : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
