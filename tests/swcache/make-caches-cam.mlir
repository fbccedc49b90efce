// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// A refresh clears the CAM of a program that only looks entries up: it declares
// the functions that it calls, and gives the entries different tags.

baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 90000>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}

func.func @me_main() {
  cf.br ^loop
^loop:
  %key = arith.constant 3 : i32
  %entry = func.call @__ixp_cam_lookup(%key) : (i32) -> i32
  cf.br ^loop
}
func.func private @__ixp_cam_lookup(i32) -> i32

// CHECK-LABEL: func.func private @karakal.refresh
// CHECK: call @__ixp_cam_clear()
// CHECK-COUNT-16: call @__ixp_cam_write(
// CHECK-NOT: call @__ixp_cam_write(
// CHECK-DAG: func.func private @__ixp_cam_clear()
// CHECK-DAG: func.func private @__ixp_cam_write(i32, i32, i32)
