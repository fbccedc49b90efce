; Locks of microengines in local memory and SRAM.
;
; baker_lock of services.ll takes a lock that engines and the XScale core share.
; These locks are cheaper; aggregation/locks/PlaceLocks.cpp chooses the memory
; of a lock. As in services.ll, taking and releasing must remain calls.

declare i32 @__ixp_sram_test_and_set(i32, i32)
declare void @__ixp_sram_clr(i32, i32)
declare void @__ixp_swap()
declare i32 @__ixp_ctx()
declare void @__ixp_wait_for_context()
declare void @__ixp_wake_context(i32)
declare i32 @llvm.cttz.i32(i32, i1)

; Waits until the lock at byte `address` of the engine's local memory is free,
; and takes it. No other context runs between the test and the set. A context
; that finds the lock held notes itself in the word, whose bits 7:0 are the
; contexts that wait and whose bit 8 says that the lock is held, and takes no
; cycles until the holder wakes it. Then the lock is its own.
define void @baker_lock_local(i32 %address) {
entry:
  %word = inttoptr i32 %address to ptr addrspace(4)
  %old = load volatile i32, ptr addrspace(4) %word
  %isHeld = icmp ne i32 %old, 0
  br i1 %isHeld, label %wait, label %free, !prof !0

wait:
  %context = call i32 @__ixp_ctx()
  %bit = shl i32 1, %context
  %waiting = or i32 %old, %bit
  store volatile i32 %waiting, ptr addrspace(4) %word
  call void @__ixp_wait_for_context()
  ret void

free:
  store volatile i32 256, ptr addrspace(4) %word
  ret void
}

; Hands the lock to the next context in round-robin order that waits for it.
define void @baker_unlock_local(i32 %address) {
entry:
  %word = inttoptr i32 %address to ptr addrspace(4)
  %old = load volatile i32, ptr addrspace(4) %word
  %waiting = and i32 %old, 255
  %isWanted = icmp ne i32 %waiting, 0
  br i1 %isWanted, label %hand, label %free, !prof !0

hand:
  %again = shl i32 %waiting, 8
  %twice = or i32 %waiting, %again
  %context = call i32 @__ixp_ctx()
  %after = lshr i32 %twice, %context
  %distance = call i32 @llvm.cttz.i32(i32 %after, i1 true)
  %sum = add i32 %context, %distance
  %next = and i32 %sum, 7
  %bit = shl i32 1, %next
  %others = xor i32 %old, %bit
  store volatile i32 %others, ptr addrspace(4) %word
  call void @__ixp_wake_context(i32 %next)
  ret void

free:
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
