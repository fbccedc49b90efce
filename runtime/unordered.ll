; The functions of order.ll where packets have no tickets: in programs whose order
; is not kept, and on the XScale core.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_PUNT_RING = external global i8

declare void @__ixp_scratch_put(i32, i32)

define void @baker_give_up_number(i32 %h) alwaysinline {
  ret void
}

define void @baker_leave_order(i32 %h) alwaysinline {
  ret void
}

define void @baker_clear_number(i32 %h) alwaysinline {
  ret void
}

define void @baker_punt_put(i32 %message) alwaysinline {
  call void @__ixp_scratch_put(i32 ptrtoint (ptr @IXP_PUNT_RING to i32),
                               i32 %message)
  ret void
}
