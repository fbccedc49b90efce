; Locks of microengines in local memory and SRAM.
;
; baker_lock of services.ll takes a lock that engines and the XScale core share.
; These locks are cheaper; aggregation/locks/PlaceLocks.cpp chooses the memory
; of a lock. As in services.ll, taking and releasing must remain calls.

declare i32 @__ixp_sram_test_and_set(i32, i32)
declare void @__ixp_sram_clr(i32, i32)
declare void @__ixp_swap()

; Waits until the lock at byte `address` of the engine's local memory is free,
; and takes it. No other context runs between the test and the set.
define void @baker_lock_local(i32 %address) {
entry:
  %word = inttoptr i32 %address to ptr addrspace(4)
  br label %test

test:
  %old = load volatile i32, ptr addrspace(4) %word
  %isHeld = icmp ne i32 %old, 0
  br i1 %isHeld, label %wait, label %taken, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

taken:
  store volatile i32 1, ptr addrspace(4) %word
  ret void
}

define void @baker_unlock_local(i32 %address) {
  %word = inttoptr i32 %address to ptr addrspace(4)
  store volatile i32 0, ptr addrspace(4) %word
  ret void
}

; Waits until the lock at SRAM address `address` is free, and takes it.
define void @baker_lock_sram(i32 %address) {
entry:
  br label %test

test:
  %old = call i32 @__ixp_sram_test_and_set(i32 %address, i32 1)
  %isHeld = icmp ne i32 %old, 0
  br i1 %isHeld, label %wait, label %taken, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

taken:
  ret void
}

define void @baker_unlock_sram(i32 %address) {
  call void @__ixp_sram_clr(i32 %address, i32 1)
  ret void
}

; A lock is rarely held.
!0 = !{!"branch_weights", i32 1, i32 100}
