// RUN: baker-opt %s --baker-fold-constants | FileCheck %s

// Loads of constant globals at constant indices become their initial values.

baker.global @table : !baker.array<3 x !baker.struct<"t", a : i32, b : i48>> init [1, 2, 3, 4000000000000, 5, 6] {baker.cache.constant}
baker.global @zero : i8 {baker.cache.constant}
baker.global @written : i32 init [7]

// CHECK-LABEL: func.func @known
// CHECK: %[[B:.*]] = arith.constant 4000000000000 : i48
// CHECK: %[[Z:.*]] = arith.constant 0 : i8
// CHECK: return %[[B]], %[[Z]]
func.func @known() -> (i48, i8) {
  %one = arith.constant 1 : i32
  %refs = baker.global_ref @table : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>>
  %ref = baker.element %refs[%one] : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>>
  %b = baker.field %ref "b" : !baker.ref<!baker.struct<"t", a : i32, b : i48>>
  %v = baker.load %b : !baker.ref<i48>
  %z = baker.global_ref @zero : !baker.ref<i8>
  %w = baker.load %z : !baker.ref<i8>
  return %v, %w : i48, i8
}

// CHECK-LABEL: func.func @burst
// CHECK: %[[X:.*]] = arith.constant 5 : i32
// CHECK: %[[Y:.*]] = arith.constant 0 : i32
// CHECK: return %[[X]], %[[Y]]
func.func @burst() -> (i32, i32) {
  %refs = baker.global_ref @table : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>>
  %w:2 = baker.load_words %refs at 6 : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>> -> i32, i32
  return %w#0, %w#1 : i32, i32
}

// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-2: baker.load
func.func @unknown(%i: i32) -> (i32, i32) {
  %refs = baker.global_ref @table : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<3 x !baker.struct<"t", a : i32, b : i48>>>
  %a = baker.field %ref "a" : !baker.ref<!baker.struct<"t", a : i32, b : i48>>
  %v = baker.load %a : !baker.ref<i32>
  %r = baker.global_ref @written : !baker.ref<i32>
  %w = baker.load %r : !baker.ref<i32>
  return %v, %w : i32, i32
}
