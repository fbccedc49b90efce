; Integer division by software.
;
; Neither the microengines nor the XScale core can divide. These functions use
; restoring division, one bit per step. As Baker defines it, division by zero
; yields a quotient of all ones and a remainder equal to the dividend.

; Returns quotient << 32 | remainder of two unsigned words.
define i64 @baker_divide32(i32 %n, i32 %d) noinline {
entry:
  %isZero = icmp eq i32 %d, 0
  br i1 %isZero, label %done, label %loop

loop:
  ; `rest` shifts out the dividend at the top and shifts in the quotient below.
  %step = phi i32 [ 32, %entry ], [ %step.next, %loop ]
  %rest = phi i32 [ %n, %entry ], [ %rest.next, %loop ]
  %r = phi i32 [ 0, %entry ], [ %r.next, %loop ]
  %carry = lshr i32 %r, 31
  %r.shifted = shl i32 %r, 1
  %top = lshr i32 %rest, 31
  %r.new = or i32 %r.shifted, %top
  %isOver = icmp ne i32 %carry, 0
  %isGreater = icmp uge i32 %r.new, %d
  %fits = or i1 %isOver, %isGreater
  %less = sub i32 %r.new, %d
  %r.next = select i1 %fits, i32 %less, i32 %r.new
  %rest.shifted = shl i32 %rest, 1
  %bit = zext i1 %fits to i32
  %rest.next = or i32 %rest.shifted, %bit
  %step.next = sub i32 %step, 1
  %isDone = icmp eq i32 %step.next, 0
  br i1 %isDone, label %done, label %loop

done:
  %quotient = phi i32 [ -1, %entry ], [ %rest.next, %loop ]
  %remainder = phi i32 [ %n, %entry ], [ %r.next, %loop ]
  %quotient64 = zext i32 %quotient to i64
  %placed = shl i64 %quotient64, 32
  %remainder64 = zext i32 %remainder to i64
  %pair = or i64 %placed, %remainder64
  ret i64 %pair
}

; Returns the same for two signed words. The quotient is truncated towards zero,
; and the remainder has the sign of the dividend.
define i64 @baker_divide_signed32(i32 %n, i32 %d) noinline {
  %n.isNegative = icmp slt i32 %n, 0
  %n.minus = sub i32 0, %n
  %n.size = select i1 %n.isNegative, i32 %n.minus, i32 %n
  %d.isNegative = icmp slt i32 %d, 0
  %d.minus = sub i32 0, %d
  %d.size = select i1 %d.isNegative, i32 %d.minus, i32 %d
  %pair = call i64 @baker_divide32(i32 %n.size, i32 %d.size)
  %remainder = trunc i64 %pair to i32
  %shifted = lshr i64 %pair, 32
  %quotient = trunc i64 %shifted to i32
  %isZero = icmp eq i32 %d, 0
  %differ = xor i1 %n.isNegative, %d.isNegative
  %isNot = xor i1 %isZero, true
  %negate = and i1 %differ, %isNot
  %quotient.minus = sub i32 0, %quotient
  %q = select i1 %negate, i32 %quotient.minus, i32 %quotient
  %remainder.minus = sub i32 0, %remainder
  %r = select i1 %n.isNegative, i32 %remainder.minus, i32 %remainder
  %q64 = zext i32 %q to i64
  %placed = shl i64 %q64, 32
  %r64 = zext i32 %r to i64
  %result = or i64 %placed, %r64
  ret i64 %result
}

; Returns the quotient of two unsigned double words. The remainder is n - q * d.
define i64 @baker_divide64(i64 %n, i64 %d) noinline {
entry:
  %isZero = icmp eq i64 %d, 0
  br i1 %isZero, label %done, label %loop

loop:
  %step = phi i32 [ 64, %entry ], [ %step.next, %loop ]
  %rest = phi i64 [ %n, %entry ], [ %rest.next, %loop ]
  %r = phi i64 [ 0, %entry ], [ %r.next, %loop ]
  %carry = lshr i64 %r, 63
  %r.shifted = shl i64 %r, 1
  %top = lshr i64 %rest, 63
  %r.new = or i64 %r.shifted, %top
  %isOver = icmp ne i64 %carry, 0
  %isGreater = icmp uge i64 %r.new, %d
  %fits = or i1 %isOver, %isGreater
  %less = sub i64 %r.new, %d
  %r.next = select i1 %fits, i64 %less, i64 %r.new
  %rest.shifted = shl i64 %rest, 1
  %bit = zext i1 %fits to i64
  %rest.next = or i64 %rest.shifted, %bit
  %step.next = sub i32 %step, 1
  %isDone = icmp eq i32 %step.next, 0
  br i1 %isDone, label %done, label %loop

done:
  %quotient = phi i64 [ -1, %entry ], [ %rest.next, %loop ]
  ret i64 %quotient
}

define i64 @baker_divide_signed64(i64 %n, i64 %d) noinline {
  %n.isNegative = icmp slt i64 %n, 0
  %n.minus = sub i64 0, %n
  %n.size = select i1 %n.isNegative, i64 %n.minus, i64 %n
  %d.isNegative = icmp slt i64 %d, 0
  %d.minus = sub i64 0, %d
  %d.size = select i1 %d.isNegative, i64 %d.minus, i64 %d
  %quotient = call i64 @baker_divide64(i64 %n.size, i64 %d.size)
  %isZero = icmp eq i64 %d, 0
  %differ = xor i1 %n.isNegative, %d.isNegative
  %isNot = xor i1 %isZero, true
  %negate = and i1 %differ, %isNot
  %quotient.minus = sub i64 0, %quotient
  %q = select i1 %negate, i64 %quotient.minus, i64 %quotient
  ret i64 %q
}
