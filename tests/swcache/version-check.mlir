// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// The code of a version check, word for word. A context that finds another one
// filling the copies checks again at its next packet.

module attributes {baker.cache.interval = 20 : i64, baker.cache.packets = 1000 : i64} {
baker.global @karakal.copy.mac : !baker.array<12 x i48> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 4016>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @mac : !baker.array<12 x i48> {baker.cache.copy = @karakal.copy.mac, baker.placement = #baker.placement<sram1 at 0>}

// CHECK-LABEL: func.func @me_main
// CHECK: %[[COUNT:.*]] = llvm.alloca
// Each iteration counts down.
// CHECK: %[[LEFT:.*]] = llvm.load %[[COUNT]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[LESS:.*]] = arith.subi %[[LEFT]], %[[ONE]]
// CHECK-NEXT: llvm.store %[[LESS]], %[[COUNT]]
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[NOW:.*]] = arith.cmpi eq, %[[LESS]], %[[NONE]]
// CHECK-NEXT: cf.cond_br %[[NOW]], ^[[CHECK:bb[0-9]+]], ^[[REST:bb[0-9]+]] {baker.branch = array<i64: 1, 20>}
// CHECK: ^[[CHECK]]:
// CHECK-NEXT: %[[AGAIN:.*]] = arith.constant 20 : i32
// CHECK-NEXT: llvm.store %[[AGAIN]], %[[COUNT]]
// CHECK: %[[BITS:.*]] = arith.xori
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[SAME:.*]] = arith.cmpi eq, %[[BITS]], %[[ZERO]]
// CHECK-NEXT: cf.cond_br %[[SAME]], ^[[REST]], ^[[CHANGED:bb[0-9]+]] {baker.branch = array<i64: 1000000, 1>}
// CHECK: ^[[CHANGED]]:
// CHECK-NEXT: baker.global_ref @karakal.lock
// CHECK-NEXT: %[[HELD:.*]] = baker.load
// CHECK-NEXT: %[[FREE:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[MINE:.*]] = arith.cmpi eq, %[[HELD]], %[[FREE]]
// CHECK-NEXT: cf.cond_br %[[MINE]], ^[[REFRESH:bb[0-9]+]], ^[[BUSY:bb[0-9]+]]
// CHECK: ^[[REFRESH]]:
// CHECK-DAG: %[[TAKE:.*]] = arith.constant 1 : i32
// CHECK-DAG: baker.global_ref @karakal.lock
// CHECK: baker.store %[[TAKE]],
// CHECK: call @karakal.refresh
// CHECK-DAG: %[[GIVE:.*]] = arith.constant 0 : i32
// CHECK-DAG: baker.global_ref @karakal.lock
// CHECK: baker.store %[[GIVE]],
// CHECK-NEXT: cf.br ^[[REST]]
// CHECK: ^[[BUSY]]:
// CHECK-NEXT: %[[SOON:.*]] = arith.constant 1 : i32
// CHECK-NEXT: llvm.store %[[SOON]], %[[COUNT]]
// CHECK-NEXT: cf.br ^[[REST]]
func.func @me_main() {
  cf.br ^loop
^loop:
  %port = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @mac : !baker.ref<!baker.array<12 x i48>>
  %ref = baker.element %refs[%port] : !baker.ref<!baker.array<12 x i48>>
  %m = baker.load %ref : !baker.ref<i48>
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32
}
