; Tickets of packets whose order is kept (target-ixp/chip/Order.h), on the engines.
; unordered.ll has the same functions for programs and cores without tickets.
;
; The low half of descriptor word 2 has the packed ticket of a packet, 0 = none.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_HANDLE_MASK = external global i8
@IXP_PUNT_RING = external global i8
@IXP_TX_RING_NUMBER = external global i8
@IXP_ORDER_CONTROL = external global i8
@IXP_ORDER_GIVEN_UP = external global i8
@IXP_TICKET_LOW_MASK = external global i8
@IXP_TICKET_PACKED_HIGH = external global i8
@IXP_TICKET_PACKED_VALID = external global i8
@IXP_TICKET_PACK_SHIFT = external global i8

declare void @baker_channel_put(i32, i32, i32)
declare i32 @baker_meta_read(i32, i32)
declare void @baker_meta_write(i32, i32, i32)
declare void @__ixp_scratch_put(i32, i32)

; The second word of a message with this ticket that is no packet to send.
define internal i32 @baker_control_word(i32 %ports) alwaysinline {
  %low = and i32 %ports, ptrtoint (ptr @IXP_TICKET_LOW_MASK to i32)
  %high = and i32 %ports, ptrtoint (ptr @IXP_TICKET_PACKED_HIGH to i32)
  %placed = shl i32 %high, ptrtoint (ptr @IXP_TICKET_PACK_SHIFT to i32)
  %ticket = or i32 %low, %placed
  %word = or i32 %ticket, ptrtoint (ptr @IXP_ORDER_CONTROL to i32)
  ret i32 %word
}

define internal i1 @baker_is_numbered(i32 %ports) alwaysinline {
  %valid = and i32 %ports, ptrtoint (ptr @IXP_TICKET_PACKED_VALID to i32)
  %numbered = icmp ne i32 %valid, 0
  ret i1 %numbered
}

; Gives up the number of a packet that ends here.
define void @baker_give_up_number(i32 %h) alwaysinline {
entry:
  %ports = call i32 @baker_meta_read(i32 %h, i32 2)
  %numbered = call i1 @baker_is_numbered(i32 %ports)
  br i1 %numbered, label %tell, label %done

tell:
  %word = call i32 @baker_control_word(i32 %ports)
  call void @baker_channel_put(
      i32 ptrtoint (ptr @IXP_TX_RING_NUMBER to i32),
      i32 ptrtoint (ptr @IXP_ORDER_GIVEN_UP to i32), i32 %word)
  br label %done

done:
  ret void
}

; Gives up the number of a packet that goes on without it.
define void @baker_leave_order(i32 %h) alwaysinline {
  call void @baker_give_up_number(i32 %h)
  %ports = call i32 @baker_meta_read(i32 %h, i32 2)
  %rest = and i32 %ports, -65536
  call void @baker_meta_write(i32 %h, i32 2, i32 %rest)
  ret void
}

; Marks a new packet as one without a number.
define void @baker_clear_number(i32 %h) alwaysinline {
  call void @baker_meta_write(i32 %h, i32 2, i32 0)
  ret void
}

; Puts `message` on the ring to the core, in its turn: Tx does it for a packet
; that has a number.
define void @baker_punt_put(i32 %message) alwaysinline {
entry:
  %h = and i32 %message, ptrtoint (ptr @IXP_HANDLE_MASK to i32)
  %ports = call i32 @baker_meta_read(i32 %h, i32 2)
  %numbered = call i1 @baker_is_numbered(i32 %ports)
  br i1 %numbered, label %turn, label %now

turn:
  %word = call i32 @baker_control_word(i32 %ports)
  %rest = and i32 %ports, -65536
  call void @baker_meta_write(i32 %h, i32 2, i32 %rest)
  call void @baker_channel_put(
      i32 ptrtoint (ptr @IXP_TX_RING_NUMBER to i32), i32 %message, i32 %word)
  ret void

now:
  call void @__ixp_scratch_put(i32 ptrtoint (ptr @IXP_PUNT_RING to i32),
                               i32 %message)
  ret void
}
