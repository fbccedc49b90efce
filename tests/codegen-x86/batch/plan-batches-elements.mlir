// RUN: baker-opt %s --baker-plan-batches=min-bytes=1024 | FileCheck %s
// RUN: baker-opt %s --baker-plan-batches=min-bytes=1024 --baker-to-llvm=core=host | FileCheck %s --check-prefix=LLVM

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"key" at 48 : 32>]
!slot = !baker.struct<"slot", key : !baker.array<8 x i32>, state : i32, value : i32>
baker.global @slots : !baker.array<1024 x !slot>
func.func private @baker_channel_put(i32, i32)

// An element of ten words may lie in two lines, and both are prefetched. The check
// of an array's bounds makes no other element of it: the value of the one that the
// search found is read without another cut.

// CHECK-LABEL: func.func @karakal.batch
// CHECK: %[[K:.*]] = baker.element %{{.*}}[%c0_i32]
// CHECK-NEXT: baker.cut stage 1 prefetch %[[K]] : !baker.ref<i32> also 36
// CHECK-NEXT: baker.load %[[K]]
// CHECK-NOT: baker.cut stage
// CHECK: baker.load
// CHECK: call @baker_channel_put

// LLVM: "llvm.intr.prefetch"(%[[L:[0-9]+]])
// LLVM-NEXT: %[[M:.*]] = llvm.getelementptr %[[L]][36] : (!llvm.ptr) -> !llvm.ptr, i8
// LLVM-NEXT: "llvm.intr.prefetch"(%[[M]])
func.func @karakal.batch(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = baker.packet_read %ph "key" : !baker.packet<"ether"> -> i32
  %c0_i32 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1023 = arith.constant 1023 : i32
  %slots = baker.global_ref @slots : !baker.ref<!baker.array<1024 x !slot>>
  %start = arith.andi %key, %c1023 : i32
  %checked = arith.minui %start, %c1023 : i32
  %e = baker.element %slots[%checked] : !baker.ref<!baker.array<1024 x !slot>>
  %words = baker.field %e "key" : !baker.ref<!slot>
  %k = baker.element %words[%c0_i32] : !baker.ref<!baker.array<8 x i32>>
  %found = baker.load %k : !baker.ref<i32>
  %is = arith.cmpi eq, %found, %key : i32
  cf.cond_br %is, ^done(%start : i32), ^done(%c0_i32 : i32)
^done(%n: i32):
  %r = baker.element %slots[%n] : !baker.ref<!baker.array<1024 x !slot>>
  %f = baker.field %r "value" : !baker.ref<!slot>
  %v = baker.load %f : !baker.ref<i32>
  func.call @baker_channel_put(%v, %c1) : (i32, i32) -> ()
  return
}
