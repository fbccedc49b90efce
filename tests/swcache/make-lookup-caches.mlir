// RUN: baker-opt %s --baker-make-lookup-caches | FileCheck %s

// Calls go to a function that looks up the CAM first. It caches a result only if
// there was no refresh in between.

module {
baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.results.find : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 64>}
baker.global @table : !baker.array<64 x i8> {baker.placement = #baker.placement<sram1 at 0>}

// CHECK-LABEL: func.func @me_main
// CHECK: call @karakal.cached.find
func.func @me_main(%key: i16) -> i8 {
  %found = func.call @find(%key) : (i16) -> i8
  return %found : i8
}

func.func private @find(%key: i16) -> i8 attributes {baker.kind = #baker.kind<function>, baker.cache.results = @karakal.results.find, baker.locality = array<i64: 1, 2, 3, 4, 5, 6, 7>, baker.profile = {packets = 8 : i64}} {
  %refs = baker.global_ref @table : !baker.ref<!baker.array<64 x i8>>
  %index = arith.extui %key : i16 to i32
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<64 x i8>>
  %found = baker.load %ref : !baker.ref<i8>
  return %found : i8
}

// CHECK-LABEL: func.func private @karakal.cached.find(%arg0: i16) -> i8
// CHECK: %[[KEY:.*]] = arith.extui %arg0 : i16 to i32
// CHECK: call @__ixp_cam_lookup(%[[KEY]])
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2 {baker.branch = array<i64: 5, 3>}
// CHECK: ^bb1:
// CHECK: %[[ANSWERS:.*]] = baker.global_ref @karakal.results.find
// CHECK: baker.element %[[ANSWERS]]
// CHECK: arith.trunci
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK: baker.global_ref @karakal.generation
// CHECK: call @__ixp_barrier()
// CHECK: %[[FOUND:.*]] = call @find(%arg0)
// CHECK: call @__ixp_barrier()
// CHECK: baker.global_ref @karakal.generation
// CHECK: arith.cmpi eq
// CHECK: ^bb3:
// CHECK: call @__ixp_cam_lookup(%[[KEY]])
// CHECK: baker.store
// CHECK: %[[STATE:.*]] = arith.constant 1 : i32
// CHECK: call @__ixp_cam_write(%{{.*}}, %[[KEY]], %[[STATE]])
// CHECK: ^bb4:
// CHECK: return %[[FOUND]]

// The tag identifies the function in a shared CAM.
// CHECK-LABEL: func.func private @karakal.cached.other
// CHECK: %[[OTHER:.*]] = arith.extui %arg0 : i16 to i32
// CHECK: %[[BITS:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[TAG:.*]] = arith.ori %[[OTHER]], %[[BITS]]
// CHECK: call @__ixp_cam_lookup(%[[TAG]])
baker.global @karakal.results.other : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 128>}
func.func private @other(%key: i16) -> i8 attributes {baker.kind = #baker.kind<function>, baker.cache.results = @karakal.results.other, baker.cache.tag = -2147483648 : i32} {
  %refs = baker.global_ref @table : !baker.ref<!baker.array<64 x i8>>
  %index = arith.extui %key : i16 to i32
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<64 x i8>>
  %found = baker.load %ref : !baker.ref<i8>
  return %found : i8
}
}
