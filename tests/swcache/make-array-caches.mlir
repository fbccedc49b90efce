// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// @direct has a direct-mapped cache, @cam one with the CAM. A load at a variable
// offset inside an element reads the global.

baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.lines.direct : !baker.array<32 x !baker.struct<"cache_line", entry : !baker.struct<"e", x : i32, y : i48>, tag : i32>> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.lines.cam : !baker.array<16 x !baker.struct<"cache_line", entry : !baker.array<2 x i32>>> {baker.placement = #baker.placement<local at 576>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 90000>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @direct : !baker.array<1000 x !baker.struct<"e", x : i32, y : i48>> {baker.cache.lines = @karakal.lines.direct, baker.placement = #baker.placement<sram1 at 0>}
baker.global @cam : !baker.array<1000 x !baker.array<2 x i32>> {baker.cache.lines = @karakal.lines.cam, baker.cache.tag = 1073741824 : i32, baker.placement = #baker.placement<sram1 at 12000>}

// CHECK-LABEL: func.func @me_main
// CHECK: %[[I:.*]] = call @__ixp_ctx()

// CHECK: call @__ixp_barrier()
// CHECK-NEXT: %[[MASK:.*]] = arith.constant 31 : i32
// CHECK: %[[LINE:.*]] = arith.andi %[[I]], %[[MASK]]
// CHECK: baker.field %{{.*}} "tag"
// CHECK: %[[TAG:.*]] = baker.load
// CHECK: %[[HIT:.*]] = arith.cmpi eq, %[[TAG]], %[[I]]
// CHECK: cf.cond_br %[[HIT]], ^[[READ:bb[0-9]+]], ^[[MISS:bb[0-9]+]]
// CHECK: ^[[READ]]:
// CHECK: baker.field %{{.*}} "entry"
// CHECK: %[[F:.*]] = baker.field %{{.*}} "y"
// CHECK: %[[KEPT:.*]] = baker.load %[[F]] : !baker.ref<i48>
// CHECK: cf.br ^[[REST:bb[0-9]+]](%[[KEPT]] : i48)
// CHECK: ^[[MISS]]:
// CHECK: %[[BEFORE:.*]] = baker.load
// CHECK: call @__ixp_barrier()
// CHECK: %[[WORDS:.*]]:3 = baker.load_words %{{.*}} at 0
// CHECK: call @__ixp_barrier()
// CHECK: %[[NOW:.*]] = baker.load
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[BEFORE]], %[[NOW]]
// CHECK: cf.cond_br %[[SAME]], ^[[KEEP:bb[0-9]+]], ^[[HOME:bb[0-9]+]]
// CHECK: ^[[KEEP]]:
// CHECK: baker.store_words [%[[WORDS]]#0, %[[WORDS]]#1, %[[WORDS]]#2]
// CHECK: baker.store %[[I]]
// CHECK: %[[HIGH:.*]] = arith.extui %[[WORDS]]#1 : i32 to i64
// CHECK: %[[LOW:.*]] = arith.extui %[[WORDS]]#2 : i32 to i64
// CHECK: %[[UP:.*]] = arith.shli %[[HIGH]]
// CHECK: %[[BOTH:.*]] = arith.ori %[[UP]], %[[LOW]]
// CHECK: %[[READY:.*]] = arith.trunci %[[BOTH]] : i64 to i48
// CHECK: cf.br ^[[REST]](%[[READY]] : i48)
// CHECK: ^[[HOME]]:
// CHECK: %[[SLOW:.*]] = baker.load %{{.*}} : !baker.ref<i48>
// CHECK: cf.br ^[[REST]](%[[SLOW]] : i48)

// CHECK: %[[TAGBIT:.*]] = arith.constant 1073741824 : i32
// CHECK: %[[KEY:.*]] = arith.ori %[[I]], %[[TAGBIT]]
// CHECK: %[[SAID:.*]] = call @__ixp_cam_lookup(%[[KEY]])
// CHECK: cf.cond_br
// CHECK: baker.load_words %{{.*}} at 1
// CHECK: baker.load_words %{{.*}} at 0
// CHECK: call @__ixp_cam_lookup(%[[KEY]])
// CHECK: baker.store_words
// CHECK: call @__ixp_cam_write(%{{.*}}, %[[KEY]], %{{.*}})

// CHECK: baker.load %{{.*}} : !baker.ref<i32>
// CHECK-NEXT: call @use(
func.func @me_main() {
  cf.br ^loop
^loop:
  %i = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @direct : !baker.ref<!baker.array<1000 x !baker.struct<"e", x : i32, y : i48>>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<1000 x !baker.struct<"e", x : i32, y : i48>>>
  %y = baker.field %ref "y" : !baker.ref<!baker.struct<"e", x : i32, y : i48>>
  %v = baker.load %y : !baker.ref<i48>
  %pairs = baker.global_ref @cam : !baker.ref<!baker.array<1000 x !baker.array<2 x i32>>>
  %pair = baker.element %pairs[%i] : !baker.ref<!baker.array<1000 x !baker.array<2 x i32>>>
  %w = baker.load_words %pair at 1 : !baker.ref<!baker.array<2 x i32>> -> i32
  func.call @pass(%v, %w) : (i48, i32) -> ()
  %part = baker.element %pair[%i] : !baker.ref<!baker.array<2 x i32>>
  %u = baker.load %part : !baker.ref<i32>
  func.call @use(%u) : (i32) -> ()
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32
func.func private @pass(i48, i32)
func.func private @use(i32)

// A refresh clears the CAM and gives all cache lines of @direct, in a loop, a tag
// that is no index.
// CHECK: func.func private @karakal.refresh
// CHECK: call @__ixp_barrier()
// CHECK: call @__ixp_cam_clear()
// CHECK: ^[[LOOP:bb[0-9]+]](%[[AT:.*]]: i32):
// CHECK: baker.element %{{.*}}[%[[AT]]]
// CHECK: arith.constant -1 : i32
// CHECK: arith.constant 32 : i32
