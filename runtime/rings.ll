; SRAM rings and next-neighbour rings between engines (target-ixp/chip/Rings.h).
; A message is one word, never 0; a get returns 0 if there is none. As on
; scratch rings, a put waits while there is no space.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_HANDLE_MASK = external global i8
@IXP_RING_TRIES = external global i8
@IXP_STOP_WORD = external addrspace(3) global i32
@IXP_STOPPED_CONTEXTS = external global i8
@IXP_CSR_ACTIVE_CTX_STS = external global i8

declare i32 @__ixp_sram_put(i32, i32)
declare i32 @__ixp_ring_status(i32)
declare void @__ixp_scratch_put(i32, i32)
declare void @__ixp_scratch_incr(i32)
declare void @baker_packet_drop(i32, i32)
declare i32 @__ixp_neighbour_get()
declare void @__ixp_neighbour_put(i32)
declare i32 @__ixp_neighbour_empty()
declare i32 @__ixp_neighbour_full()
declare void @__ixp_swap()
declare i32 @__ixp_local_csr_rd(i32)

; The status word of a put is negative if the message was appended.
define void @baker_sram_ring_put(i32 %queue, i32 %message) alwaysinline {
entry:
  br label %try

try:
  %status = call i32 @__ixp_sram_put(i32 %queue, i32 %message)
  %isDone = icmp slt i32 %status, 0
  br i1 %isDone, label %done, label %wait, !prof !0

wait:
  call void @__ixp_swap()
  br label %try

done:
  ret void
}

; The same, but the packet is dropped for `reason` if there is no space for long:
; the receivers may be waiting for this ring, too.
define void @baker_sram_ring_offer(i32 %queue, i32 %message, i32 %reason) {
entry:
  br label %try

try:
  %left = phi i32 [ ptrtoint (ptr @IXP_RING_TRIES to i32), %entry ],
                  [ %fewer, %wait ]
  %status = call i32 @__ixp_sram_put(i32 %queue, i32 %message)
  %isDone = icmp slt i32 %status, 0
  br i1 %isDone, label %done, label %wait, !prof !0

wait:
  call void @__ixp_swap()
  %fewer = sub i32 %left, 1
  %isLast = icmp eq i32 %fewer, 0
  br i1 %isLast, label %drop, label %try, !prof !1

drop:
  %handle = and i32 %message, ptrtoint (ptr @IXP_HANDLE_MASK to i32)
  call void @baker_packet_drop(i32 %handle, i32 %reason)
  ret void

done:
  ret void
}

; Puts a message of one word on a scratch ring on a cycle in the same way.
define void @baker_channel_offer(i32 %ring, i32 %message, i32 %reason)
    alwaysinline {
entry:
  br label %test

test:
  %left = phi i32 [ ptrtoint (ptr @IXP_RING_TRIES to i32), %entry ],
                  [ %fewer, %wait ]
  %full = call i32 @__ixp_ring_status(i32 %ring)
  %isFull = icmp ne i32 %full, 0
  br i1 %isFull, label %wait, label %put, !prof !1

wait:
  call void @__ixp_swap()
  %fewer = sub i32 %left, 1
  %isLast = icmp eq i32 %fewer, 0
  br i1 %isLast, label %drop, label %test, !prof !1

drop:
  %handle = and i32 %message, ptrtoint (ptr @IXP_HANDLE_MASK to i32)
  call void @baker_packet_drop(i32 %handle, i32 %reason)
  ret void

put:
  call void @__ixp_scratch_put(i32 %ring, i32 %message)
  ret void
}

; No other context runs between the test and the use.
define void @baker_neighbour_put(i32 %message) alwaysinline {
entry:
  br label %test

test:
  %full = call i32 @__ixp_neighbour_full()
  %hasRoom = icmp eq i32 %full, 0
  br i1 %hasRoom, label %put, label %wait, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

put:
  call void @__ixp_neighbour_put(i32 %message)
  ret void
}

define i32 @baker_neighbour_get() alwaysinline {
entry:
  %empty = call i32 @__ixp_neighbour_empty()
  %isMessage = icmp eq i32 %empty, 0
  br i1 %isMessage, label %get, label %done, !prof !0

get:
  %message = call i32 @__ixp_neighbour_get()
  br label %done

done:
  %result = phi i32 [ 0, %entry ], [ %message, %get ]
  ret i32 %result
}

; Whether the XScale core asks this engine to stop: its bit of IXP_STOP_WORD,
; by the hardware number in ACTIVE_CTX_STS.
define i32 @baker_stop_asked() alwaysinline {
  %status = call i32 @__ixp_local_csr_rd(
      i32 ptrtoint (ptr @IXP_CSR_ACTIVE_CTX_STS to i32))
  %shifted = lshr i32 %status, 3
  %engine = and i32 %shifted, 31
  %word = load i32, ptr addrspace(3) @IXP_STOP_WORD
  %moved = lshr i32 %word, %engine
  %asked = and i32 %moved, 1
  ret i32 %asked
}

; Tells the core that this context holds no packet and ends.
define void @baker_count_stopped() alwaysinline {
  call void @__ixp_scratch_incr(
      i32 ptrtoint (ptr @IXP_STOPPED_CONTEXTS to i32))
  ret void
}

; Under full load there is nearly always space, and a message.
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
