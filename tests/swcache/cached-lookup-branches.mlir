// RUN: baker-opt %s --baker-make-lookup-caches | FileCheck %s

// A result is rarely not cached: only if a refresh came in between. Hits are as
// the profile has them, here five of eight calls with 16 entries.

baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.results.find : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 64>}
baker.global @table : !baker.array<64 x i32> {baker.placement = #baker.placement<sram1 at 0>}

func.func @me_main(%key: i32) -> i32 {
  %found = func.call @find(%key) : (i32) -> i32
  return %found : i32
}
func.func private @find(%key: i32) -> i32 attributes {baker.kind = #baker.kind<function>, baker.cache.results = @karakal.results.find, baker.locality = array<i64: 1, 2, 3, 4, 5, 6, 7>, baker.profile = {packets = 8 : i64}} {
  %refs = baker.global_ref @table : !baker.ref<!baker.array<64 x i32>>
  %ref = baker.element %refs[%key] : !baker.ref<!baker.array<64 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}

// CHECK-LABEL: func.func private @karakal.cached.find
// CHECK: %[[RESULT:.*]] = call @__ixp_cam_lookup(%arg0)
// CHECK: cf.cond_br %{{.*}}, ^[[HIT:bb[0-9]+]], ^[[MISS:bb[0-9]+]] {baker.branch = array<i64: 5, 3>}
// CHECK: ^[[HIT]]:
// CHECK: %[[KEPT:.*]] = baker.load
// CHECK: return %[[KEPT]] : i32
// CHECK: ^[[MISS]]:
// CHECK: %[[BEFORE:.*]] = baker.load
// CHECK: %[[FOUND:.*]] = call @find(%arg0)
// CHECK: %[[AFTER:.*]] = baker.load
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[BEFORE]], %[[AFTER]]
// CHECK: cf.cond_br %[[SAME]], ^[[FILL:bb[0-9]+]], ^[[DONE:bb[0-9]+]] {baker.branch = array<i64: 1000000, 1>}
// CHECK: ^[[FILL]]:
// CHECK: %[[VICTIM:.*]] = call @__ixp_cam_lookup(%arg0)
// CHECK: baker.store %[[FOUND]]
// CHECK: call @__ixp_cam_write
// CHECK: cf.br ^[[DONE]]
// CHECK: ^[[DONE]]:
// CHECK: return %[[FOUND]] : i32
