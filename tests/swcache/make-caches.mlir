// RUN: baker-opt %s --baker-make-caches | FileCheck %s

module attributes {baker.cache.interval = 20 : i64, baker.cache.packets = 1000 : i64} {
baker.global @karakal.copy.mac : !baker.array<12 x i48> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 4016>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @mac : !baker.array<12 x i48> {baker.cache.copy = @karakal.copy.mac, baker.placement = #baker.placement<sram1 at 0>}
baker.global @other : i32 {baker.placement = #baker.placement<sram1 at 100>}

// CHECK-LABEL: func.func @me_main
// The copies are filled before the first packet.
// CHECK: %[[COUNT:.*]] = llvm.alloca
// CHECK: llvm.store %{{.*}}, %[[COUNT]]
// CHECK: cf.br ^[[START:bb[0-9]+]]
// CHECK: ^[[START]]:
// CHECK: baker.global_ref @karakal.seen.sram1
// CHECK: call @karakal.refresh
// CHECK: call @__ixp_swap
// Every twentieth packet checks the version.
// CHECK: llvm.load %[[COUNT]]
// CHECK: arith.subi
// CHECK: arith.constant 20
// CHECK: baker.global_ref @karakal.version.sram1
// CHECK: arith.xori
// CHECK: call @karakal.refresh
// Loads of the cached global read the copy; others do not.
// CHECK: %[[COPY:.*]] = baker.global_ref @karakal.copy.mac
// CHECK-NEXT: %[[ELEMENT:.*]] = baker.element %[[COPY]][%{{.*}}]
// CHECK-NEXT: baker.load %[[ELEMENT]]
// CHECK: %[[OTHER:.*]] = baker.global_ref @other
// CHECK-NEXT: baker.load %[[OTHER]]
func.func @me_main() {
  cf.br ^loop
^loop:
  %port = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @mac : !baker.ref<!baker.array<12 x i48>>
  %ref = baker.element %refs[%port] : !baker.ref<!baker.array<12 x i48>>
  %m = baker.load %ref : !baker.ref<i48>
  %r = baker.global_ref @other : !baker.ref<i32>
  %v = baker.load %r : !baker.ref<i32>
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32

// The version is read before the data, and the version seen is set after them.
// CHECK-LABEL: func.func private @karakal.refresh
// CHECK: %[[VREF:.*]] = baker.global_ref @karakal.version.sram1
// CHECK-NEXT: %[[VERSION:.*]] = baker.load %[[VREF]]
// CHECK: %[[WORDS:.*]]:2 = baker.load_words
// CHECK-NEXT: baker.store_words [%[[WORDS]]#0, %[[WORDS]]#1]
// CHECK: %[[SEEN:.*]] = baker.global_ref @karakal.seen.sram1
// CHECK: baker.store %[[VERSION]], %[[SEEN]]
}
