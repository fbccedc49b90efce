// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// Loads of the array's first elements read the copy, others the global. No
// cached global is ever written, so there are no version checks.

baker.global @karakal.copy.table : !baker.array<10 x !baker.struct<"t", a : i32, b : i48>> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 4016>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @table : !baker.array<500 x !baker.struct<"t", a : i32, b : i48>> {baker.cache.copy = @karakal.copy.table, baker.placement = #baker.placement<sram1 at 0>}

// CHECK-LABEL: func.func @me_main
// CHECK-NOT: llvm.alloca
// CHECK: %[[I:.*]] = call @__ixp_ctx()
// CHECK: %[[FIELD:.*]] = baker.field %{{.*}} "b"
// CHECK: %[[TEN:.*]] = arith.constant 10 : i32
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[TEN]] : i32
// CHECK: cf.cond_br %[[IN]], ^[[COPY:bb[0-9]+]], ^[[HOME:bb[0-9]+]]
// CHECK: ^[[COPY]]:
// CHECK-NEXT: %[[ROOT:.*]] = baker.global_ref @karakal.copy.table
// CHECK-NEXT: %[[E:.*]] = baker.element %[[ROOT]][%[[I]]]
// CHECK-NEXT: %[[F:.*]] = baker.field %[[E]] "b"
// CHECK-NEXT: %[[FAST:.*]] = baker.load %[[F]]
// CHECK-NEXT: cf.br ^[[REST:bb[0-9]+]](%[[FAST]] : i48)
// CHECK: ^[[HOME]]:
// CHECK-NEXT: %[[SLOW:.*]] = baker.load %[[FIELD]]
// CHECK-NEXT: cf.br ^[[REST]](%[[SLOW]] : i48)
// CHECK: ^[[REST]](%[[VALUE:.*]]: i48):
// CHECK-NEXT: call @use(%[[VALUE]])
func.func @me_main() {
  cf.br ^loop
^loop:
  %i = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @table : !baker.ref<!baker.array<500 x !baker.struct<"t", a : i32, b : i48>>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<500 x !baker.struct<"t", a : i32, b : i48>>>
  %b = baker.field %ref "b" : !baker.ref<!baker.struct<"t", a : i32, b : i48>>
  %v = baker.load %b : !baker.ref<i48>
  func.call @use(%v) : (i48) -> ()
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32
func.func private @use(i48)

// A refresh copies ten elements in a loop.
// CHECK-LABEL: func.func private @karakal.refresh
// CHECK: baker.load_words %{{.*}} at 0 {{.*}} -> i32, i32, i32
// CHECK: arith.constant 10
