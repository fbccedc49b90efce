; Locks, counters, hashes, time and random numbers.
;
; Baker's services, for microengines and the XScale core. A lock is a word of
; scratch that is 1 while it is held. The functions that take and release it
; must not be inlined: no command is pending when a microengine calls a
; function, so everything written in a critical section is in memory before the
; lock is released.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_CSR_TIMESTAMP_LOW = external global i8
@IXP_CSR_PSEUDO_RANDOM = external global i8

declare i32 @__ixp_scratch_test_and_set(i32, i32)
declare void @__ixp_scratch_clr(i32, i32)
declare void @__ixp_swap()
declare i32 @__ixp_local_csr_rd(i32)
declare { i32, i32 } @__ixp_hash_48(i32, i32)
declare { i32, i32 } @__ixp_hash_64(i32, i32)
declare { i32, i32, i32, i32 } @__ixp_hash_128(i32, i32, i32, i32)

; Waits until the lock at scratch byte `address` is free, and takes it.
define void @baker_lock(i32 %address) {
entry:
  br label %test

test:
  %old = call i32 @__ixp_scratch_test_and_set(i32 %address, i32 1)
  %isHeld = icmp ne i32 %old, 0
  br i1 %isHeld, label %wait, label %taken, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

taken:
  ret void
}

define void @baker_unlock(i32 %address) {
  call void @__ixp_scratch_clr(i32 %address, i32 1)
  ret void
}

; Joins two words to one value, high first.
define internal i64 @baker_join(i32 %high, i32 %low) alwaysinline {
  %high64 = zext i32 %high to i64
  %placed = shl i64 %high64, 32
  %low64 = zext i32 %low to i64
  %value = or i64 %placed, %low64
  ret i64 %value
}

define i64 @baker_hash48(i64 %key) alwaysinline {
  %low = trunc i64 %key to i32
  %shifted = lshr i64 %key, 32
  %high = trunc i64 %shifted to i32
  %hash = call { i32, i32 } @__ixp_hash_48(i32 %low, i32 %high)
  %low.new = extractvalue { i32, i32 } %hash, 0
  %high.new = extractvalue { i32, i32 } %hash, 1
  %value = call i64 @baker_join(i32 %high.new, i32 %low.new)
  ret i64 %value
}

define i64 @baker_hash64(i64 %key) alwaysinline {
  %low = trunc i64 %key to i32
  %shifted = lshr i64 %key, 32
  %high = trunc i64 %shifted to i32
  %hash = call { i32, i32 } @__ixp_hash_64(i32 %low, i32 %high)
  %low.new = extractvalue { i32, i32 } %hash, 0
  %high.new = extractvalue { i32, i32 } %hash, 1
  %value = call i64 @baker_join(i32 %high.new, i32 %low.new)
  ret i64 %value
}

define i128 @baker_hash128(i128 %key) alwaysinline {
  %w0 = trunc i128 %key to i32
  %s1 = lshr i128 %key, 32
  %w1 = trunc i128 %s1 to i32
  %s2 = lshr i128 %key, 64
  %w2 = trunc i128 %s2 to i32
  %s3 = lshr i128 %key, 96
  %w3 = trunc i128 %s3 to i32
  %hash = call { i32, i32, i32, i32 } @__ixp_hash_128(i32 %w0, i32 %w1,
                                                      i32 %w2, i32 %w3)
  %n0 = extractvalue { i32, i32, i32, i32 } %hash, 0
  %n1 = extractvalue { i32, i32, i32, i32 } %hash, 1
  %n2 = extractvalue { i32, i32, i32, i32 } %hash, 2
  %n3 = extractvalue { i32, i32, i32, i32 } %hash, 3
  %low = call i64 @baker_join(i32 %n1, i32 %n0)
  %high = call i64 @baker_join(i32 %n3, i32 %n2)
  %high128 = zext i64 %high to i128
  %placed = shl i128 %high128, 64
  %low128 = zext i64 %low to i128
  %value = or i128 %placed, %low128
  ret i128 %value
}

; Returns TIMESTAMP_LOW: the engine's cycles divided by 16.
define i32 @baker_timestamp() alwaysinline {
  %time = call i32 @__ixp_local_csr_rd(
      i32 ptrtoint (ptr @IXP_CSR_TIMESTAMP_LOW to i32))
  ret i32 %time
}

; PSEUDO_RANDOM_NUMBER shifts by one bit with each read, so successive numbers
; are mixed.
define i32 @baker_random() alwaysinline {
  %next = call i32 @__ixp_local_csr_rd(
      i32 ptrtoint (ptr @IXP_CSR_PSEUDO_RANDOM to i32))
  %shifted = lshr i32 %next, 15
  %folded = xor i32 %next, %shifted
  %mixed = mul i32 %folded, 739982445
  %shifted.again = lshr i32 %mixed, 12
  %number = xor i32 %mixed, %shifted.again
  ret i32 %number
}

; A lock is rarely held.
!0 = !{!"branch_weights", i32 1, i32 100}
