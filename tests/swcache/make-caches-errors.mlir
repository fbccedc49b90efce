// RUN: not baker-opt %s --baker-make-caches 2>&1 | FileCheck %s

baker.global @karakal.copy.g : i32 {baker.place = {address = 64 : i32, memory = "local"}}
baker.global @karakal.seen.sram1 : i32 {baker.place = {address = 4 : i32, memory = "local"}}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = "sram1", baker.place = {address = 4016 : i32, memory = "sram1"}}
baker.global @karakal.lock : i32 {baker.place = {address = 0 : i32, memory = "local"}}
baker.global @g : i32 {baker.cache.copy = @karakal.copy.g, baker.place = {memory = "sram1", address = 0 : i32}}
// CHECK: error: baker-make-caches: @me_main does not jump from its first block to its loop
func.func @me_main() {
  return
}
