// RUN: not baker-opt %s --baker-make-caches 2>&1 | FileCheck %s

baker.global @karakal.copy.g : i32 {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 4016>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @g : i32 {baker.cache.copy = @karakal.copy.g, baker.placement = #baker.placement<sram1 at 0>}
// CHECK: error: baker-make-caches: @me_main does not jump from its first block to its loop
func.func @me_main() {
  return
}
