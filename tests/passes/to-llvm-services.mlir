// RUN: baker-opt %s --baker-to-llvm=core=me | FileCheck %s
// RUN: baker-opt %s --baker-to-llvm=core=host | FileCheck %s --check-prefix=HOST

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.global @m.guard : i32 {baker.placement = #baker.placement<scratch at 9216>}
baker.global @m.near : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @m.far : i32 {baker.placement = #baker.placement<sram1 at 16>}
baker.global @m.count : i32 {baker.placement = #baker.placement<sram1 at 8>}

// Headroom is a constant if the head is known. Locks and counters are addresses.

// HOST-LABEL: llvm.func @room
// HOST-NOT: lock
// HOST: llvm.call @baker_hash48
// CHECK-LABEL: llvm.func @room
// CHECK: llvm.call @baker_packet_headroom
// CHECK-NOT: llvm.call @baker_packet_headroom
// CHECK: llvm.call @baker_lock
// CHECK: llvm.call @__ixp_sram_add
// CHECK: llvm.call @baker_unlock
// CHECK: llvm.call @baker_hash48
func.func @room(%ph: !baker.packet<"ether">, %n: i32, %key: i48) -> (i32, i32, i48) {
  %a = baker.packet_headroom %ph : !baker.packet<"ether">
  %b = baker.packet_headroom %ph {baker.head = #baker.head<offset 142>} : !baker.packet<"ether">
  %guard = baker.global_ref @m.guard : !baker.ref<i32>
  %count = baker.global_ref @m.count : !baker.ref<i32>
  baker.lock %guard : !baker.ref<i32>
  baker.atomic addi %n, %count : !baker.ref<i32>
  baker.unlock %guard : !baker.ref<i32>
  %h = baker.hash %key : i48
  return %a, %b, %h : i32, i32, i48
}

// An atomic operation whose old word is used is a command that returns it; the
// memories take the bits to clear. On the host it is a load and a store.

// HOST-LABEL: llvm.func @atomics
// HOST: %[[OLD:.*]] = llvm.load
// HOST: %[[KEPT:.*]] = llvm.and %[[OLD]], %{{.*}}
// HOST: llvm.store %[[KEPT]]
// HOST: llvm.return %[[OLD]]
// CHECK-LABEL: llvm.func @atomics
// CHECK: %[[CLEARED:.*]] = llvm.xor %{{.*}}, %{{.*}}
// CHECK: %[[OLD:.*]] = llvm.call @__ixp_sram_test_and_clr(%{{.*}}, %[[CLEARED]])
// CHECK: llvm.call @__ixp_sram_set
// CHECK: llvm.call @__ixp_sram_swap
// CHECK: llvm.return %[[OLD]]
func.func @atomics(%n: i32) -> i32 {
  %count = baker.global_ref @m.count : !baker.ref<i32>
  %old = baker.atomic andi %n, %count : !baker.ref<i32>
  baker.atomic ori %n, %count : !baker.ref<i32>
  baker.atomic assign %n, %count : !baker.ref<i32>
  return %old : i32
}

// The memory of a lock selects the functions that take and release it.

// CHECK-LABEL: llvm.func @sections
// CHECK: llvm.call @baker_lock_local
// CHECK: llvm.call @baker_unlock_local
// CHECK: llvm.call @baker_lock_sram
// CHECK: llvm.call @baker_unlock_sram
func.func @sections() {
  %near = baker.global_ref @m.near : !baker.ref<i32>
  baker.lock %near : !baker.ref<i32>
  baker.unlock %near : !baker.ref<i32>
  %far = baker.global_ref @m.far : !baker.ref<i32>
  baker.lock %far : !baker.ref<i32>
  baker.unlock %far : !baker.ref<i32>
  return
}
