// RUN: baker-opt --baker-pack-arrays="min-elements=4" --explain=pack-arrays %s 2>%t.said | FileCheck %s
// RUN: FileCheck --check-prefix=SAID %s < %t.said
// Elements of narrow arrays share words, if no packet stores to them.

// Four to a word, the first in the lowest bits: 5 + 6 * 256 + 255 * 65536.
// SAID: [pack-arrays] ports: 6 elements in 2 words
// CHECK: baker.global @ports : !baker.array<2 x i32> init [16713221, 7]
// CHECK-SAME: baker.packed = !baker.array<6 x i8>
baker.global @ports : !baker.array<6 x i8> init [5, 6, -1, 0, 7, 0]

// Numbers of 12 bits take 16, truth values one.
// CHECK: baker.global @weights : !baker.array<3 x i32>
baker.global @weights : !baker.array<5 x i12>
// CHECK: baker.global @flags : !baker.array<2 x i32>
baker.global @flags : !baker.array<40 x i1>

// CHECK: baker.global @short : !baker.array<3 x i8>
baker.global @short : !baker.array<3 x i8>
// CHECK: baker.global @wide : !baker.array<8 x i17>
baker.global @wide : !baker.array<8 x i17>
// SAID: [pack-arrays] counted: a word for each element: packets store to it
// CHECK: baker.global @counted : !baker.array<8 x i16>
baker.global @counted : !baker.array<8 x i16>

// CHECK-LABEL: func.func @read
// CHECK-SAME: (%[[I:.*]]: i32)
func.func @read(%i: i32) -> i8 {
  %all = baker.global_ref @ports : !baker.ref<!baker.array<6 x i8>>
  // CHECK: %[[ALL:.*]] = baker.global_ref @ports : !baker.ref<!baker.array<2 x i32>>
  // CHECK: %[[AT:.*]] = arith.shrui %[[I]], %c2
  // CHECK: %[[IN:.*]] = arith.andi %[[I]], %c3
  // CHECK: %[[SHIFT:.*]] = arith.shli %[[IN]], %c3
  // CHECK: %[[E:.*]] = baker.element %[[ALL]][%[[AT]]]
  // CHECK: %[[W:.*]] = baker.load %[[E]]
  // CHECK: %[[S:.*]] = arith.shrui %[[W]], %[[SHIFT]]
  // CHECK: %[[V:.*]] = arith.trunci %[[S]] : i32 to i8
  // CHECK: return %[[V]]
  %e = baker.element %all[%i] : !baker.ref<!baker.array<6 x i8>>
  %v = baker.load %e : !baker.ref<i8>
  return %v : i8
}

// CHECK-LABEL: func.func @set
// CHECK-SAME: (%[[I:.*]]: i32, %[[V:.*]]: i12)
func.func @set(%i: i32, %v: i12) attributes {baker.kind = #baker.kind<control>} {
  // CHECK: %[[SHIFT:.*]] = arith.shli
  // CHECK: %[[E:.*]] = baker.element
  // CHECK: %[[MASK:.*]] = arith.shli %c65535{{.*}}, %[[SHIFT]]
  // CHECK: %[[W:.*]] = baker.load %[[E]]
  // CHECK: %[[KEPT:.*]] = arith.xori %[[MASK]], %c-1
  // CHECK: %[[OTHERS:.*]] = arith.andi %[[W]], %[[KEPT]]
  // CHECK: %[[WIDE:.*]] = arith.extui %[[V]] : i12 to i32
  // CHECK: %[[OWN:.*]] = arith.shli %[[WIDE]], %[[SHIFT]]
  // CHECK: %[[NEW:.*]] = arith.ori %[[OTHERS]], %[[OWN]]
  // CHECK: baker.store %[[NEW]], %[[E]]
  %all = baker.global_ref @weights : !baker.ref<!baker.array<5 x i12>>
  %e = baker.element %all[%i] : !baker.ref<!baker.array<5 x i12>>
  baker.store %v, %e : !baker.ref<i12>
  return
}

// A function that a PPF calls.
func.func @count(%i: i32, %v: i16) {
  %all = baker.global_ref @counted : !baker.ref<!baker.array<8 x i16>>
  %e = baker.element %all[%i] : !baker.ref<!baker.array<8 x i16>>
  baker.store %v, %e : !baker.ref<i16>
  return
}
baker.protocol @p min_bytes 4 constant_size [#baker.protocol_field<"a" at 0 : 32>]
func.func @ppf(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
  %a = baker.packet_read %ph "a" : !baker.packet<"p"> -> i32
  %c = arith.constant 1 : i16
  call @count(%a, %c) : (i32, i16) -> ()
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
