; Messages to the XScale core (target-ixp/chip/Punts.h), from the engines and, on
; a cycle of its PPFs, from itself.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_HANDLE_MASK = external global i8
@IXP_PUNT_RING = external global i8
@IXP_PUNT_WINDOW_SHIFT = external global i8

declare i32 @__ixp_scratch_test_and_add(i32, i32)
declare void @__ixp_scratch_decr(i32)
declare void @__ixp_scratch_put(i32, i32)
declare i32 @baker_timestamp()
declare i32 @__ixp_ring_status(i32)
declare void @__ixp_swap()
declare void @baker_packet_drop(i32, i32)
declare void @baker_punt_put(i32)
declare void @baker_leave_order(i32)

; Puts `message` on the ring to the core, or drops its packet for `reason`. The
; words at scratch byte `state` hold the messages that wait, and the number of
; the window << 16 | the messages in it. `limits` is the messages that may pass
; in a window << 16 | those that may wait. It never waits: the shares of all
; channels fit the ring.
define void @baker_punt(i32 %message, i32 %state, i32 %limits, i32 %reason) {
entry:
  %waiting = call i32 @__ixp_scratch_test_and_add(i32 %state, i32 1)
  %waitingMax = and i32 %limits, 65535
  %hasSpace = icmp ult i32 %waiting, %waitingMax
  br i1 %hasSpace, label %meter, label %refuse

meter:
  %now = call i32 @baker_timestamp()
  %number = lshr i32 %now, ptrtoint (ptr @IXP_PUNT_WINDOW_SHIFT to i32)
  %window = shl i32 %number, 16
  %counter = add i32 %state, 4
  %counted = call i32 @__ixp_scratch_test_and_add(i32 %counter, i32 1)
  %since = sub i32 %counted, %window
  %isSame = icmp ult i32 %since, 65536
  br i1 %isSame, label %compare, label %begin

; Contexts that find the old window at the same time each begin the new one, so
; a window may pass as many messages more as there are contexts.
begin:
  %first = or i32 %window, 1
  %p = inttoptr i32 %counter to ptr addrspace(3)
  store i32 %first, ptr addrspace(3) %p
  br label %put

compare:
  %passMax = lshr i32 %limits, 16
  %passes = icmp ult i32 %since, %passMax
  br i1 %passes, label %put, label %refuse

put:
  call void @baker_punt_put(i32 %message)
  ret void

refuse:
  call void @__ixp_scratch_decr(i32 %state)
  %handle = and i32 %message, ptrtoint (ptr @IXP_HANDLE_MASK to i32)
  call void @baker_packet_drop(i32 %handle, i32 %reason)
  ret void
}

; Counts a message that the core has taken from the ring.
define void @baker_punt_taken(i32 %state) {
  call void @__ixp_scratch_decr(i32 %state)
  ret void
}

; Puts a message without limits (--punt-rate=none): waits while the ring is
; nearly full. Tx cannot wait for the core, so the packet leaves the order.
define void @baker_punt_waiting(i32 %message) {
entry:
  %handle = and i32 %message, ptrtoint (ptr @IXP_HANDLE_MASK to i32)
  call void @baker_leave_order(i32 %handle)
  br label %test

test:
  %full = call i32 @__ixp_ring_status(i32 ptrtoint (ptr @IXP_PUNT_RING to i32))
  %isFull = icmp ne i32 %full, 0
  br i1 %isFull, label %wait, label %put

wait:
  call void @__ixp_swap()
  br label %test

put:
  call void @__ixp_scratch_put(i32 ptrtoint (ptr @IXP_PUNT_RING to i32),
                               i32 %message)
  ret void
}
