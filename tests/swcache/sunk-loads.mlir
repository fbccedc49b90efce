// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// The probe of a cached element is just before the first use of its value:
// arithmetic that does not use it comes first, and what has effects stays.

baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.lines.t : !baker.array<32 x !baker.struct<"cache_line", entry : i32, tag : i32>> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 90000>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @t : !baker.array<1000 x i32> {baker.cache.lines = @karakal.lines.t, baker.placement = #baker.placement<sram1 at 0>}

// CHECK-LABEL: func.func @me_main
// CHECK: %[[I:.*]] = call @__ixp_ctx()
// CHECK: arith.constant 77 : i32
// CHECK: %[[FREE:.*]] = arith.addi %[[I]],
// CHECK: baker.field %{{.*}} "tag"
// CHECK: cf.cond_br
// CHECK-NOT: arith.muli
// CHECK: ^{{.*}}(%[[VALUE:.*]]: i32):
// CHECK-NEXT: arith.muli %[[VALUE]], %[[FREE]]
// A call may write the table.
// CHECK: baker.field %{{.*}} "tag"
// CHECK: ^{{.*}}(%[[SECOND:.*]]: i32):
// CHECK-NEXT: call @effect()
// CHECK-NEXT: call @use(%[[SECOND]])
func.func @me_main() {
  cf.br ^loop
^loop:
  %i = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @t : !baker.ref<!baker.array<1000 x i32>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<1000 x i32>>
  %v = baker.load %ref : !baker.ref<i32>
  %c = arith.constant 77 : i32
  %free = arith.addi %i, %c : i32
  %product = arith.muli %v, %free : i32
  func.call @use(%product) : (i32) -> ()
  %w = baker.load %ref : !baker.ref<i32>
  func.call @effect() : () -> ()
  func.call @use(%w) : (i32) -> ()
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32
func.func private @use(i32)
func.func private @effect()
