; Atomic operations of the XScale core.
;
; Commands of the engines that change a word of scratch or SRAM in one step, as the
; core does them: by a store to the word's alias or, where the word before the
; operation is returned, by a store of the operand and a load of the alias.

; Addresses of target-ixp/chip/RuntimeConstants.def. The driver replaces them by
; their values.
@IXP_XSCALE_ATOMIC_OPERAND = external global i8
@IXP_XSCALE_SCRATCH_ADD = external global i8
@IXP_XSCALE_SRAM_ADD = external global i8
@IXP_XSCALE_TEST_SET = external global i8

define void @__ixp_scratch_add(i32 %address, i32 %v) {
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH_ADD to i32)
  %p = inttoptr i32 %mapped to ptr
  store volatile i32 %v, ptr %p, align 4
  ret void
}

; Each of the next returns the word before the operation. The store selects the
; operation and its operand, the load carries it out.
define internal i32 @exchange(i32 %operation, i32 %mapped, i32 %v) {
  %offset = shl i32 %operation, 2
  %register = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_ATOMIC_OPERAND to i32)
  %operand = inttoptr i32 %register to ptr
  store volatile i32 %v, ptr %operand, align 4
  %p = inttoptr i32 %mapped to ptr
  %old = load volatile i32, ptr %p, align 4
  ret i32 %old
}

define i32 @__ixp_scratch_test_and_add(i32 %address, i32 %v) {
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH_ADD to i32)
  %old = call i32 @exchange(i32 0, i32 %mapped, i32 %v)
  ret i32 %old
}

define i32 @__ixp_scratch_test_and_clr(i32 %address, i32 %v) {
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH_ADD to i32)
  %old = call i32 @exchange(i32 2, i32 %mapped, i32 %v)
  ret i32 %old
}

define i32 @__ixp_scratch_swap(i32 %address, i32 %v) {
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH_ADD to i32)
  %old = call i32 @exchange(i32 3, i32 %mapped, i32 %v)
  ret i32 %old
}

define void @__ixp_scratch_decr(i32 %address) {
  call void @__ixp_scratch_add(i32 %address, i32 -1)
  ret void
}

define void @__ixp_scratch_incr(i32 %address) {
  call void @__ixp_scratch_add(i32 %address, i32 1)
  ret void
}

; Where the core adds to a word of SRAM. The channel moves from bits 31:30 to
; bits 29:28.
define internal i32 @sram_add_address(i32 %address) {
  %channel = lshr i32 %address, 30
  %select = shl i32 %channel, 28
  %byte = and i32 %address, u0x3fffffff
  %offset = add i32 %select, %byte
  %mapped = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_SRAM_ADD to i32)
  ret i32 %mapped
}

define void @__ixp_sram_add(i32 %address, i32 %v) {
  %mapped = call i32 @sram_add_address(i32 %address)
  %p = inttoptr i32 %mapped to ptr
  store volatile i32 %v, ptr %p, align 4
  ret void
}

define i32 @__ixp_sram_test_and_add(i32 %address, i32 %v) {
  %mapped = call i32 @sram_add_address(i32 %address)
  %old = call i32 @exchange(i32 0, i32 %mapped, i32 %v)
  ret i32 %old
}

define i32 @__ixp_sram_test_and_set(i32 %address, i32 %v) {
  %mapped = call i32 @sram_add_address(i32 %address)
  %old = call i32 @exchange(i32 1, i32 %mapped, i32 %v)
  ret i32 %old
}

define i32 @__ixp_sram_test_and_clr(i32 %address, i32 %v) {
  %mapped = call i32 @sram_add_address(i32 %address)
  %old = call i32 @exchange(i32 2, i32 %mapped, i32 %v)
  ret i32 %old
}

define i32 @__ixp_sram_swap(i32 %address, i32 %v) {
  %mapped = call i32 @sram_add_address(i32 %address)
  %old = call i32 @exchange(i32 3, i32 %mapped, i32 %v)
  ret i32 %old
}

define void @__ixp_sram_incr(i32 %address) {
  call void @__ixp_sram_add(i32 %address, i32 1)
  ret void
}

; A read of the words at IXP_XSCALE_TEST_SET sets bit 0, which takes a lock in one
; access.
define i32 @__ixp_scratch_test_and_set(i32 %address, i32 %v) {
entry:
  %isLock = icmp eq i32 %v, 1
  br i1 %isLock, label %take, label %set

take:
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_TEST_SET to i32)
  %p = inttoptr i32 %mapped to ptr
  %old = load volatile i32, ptr %p, align 4
  ret i32 %old

set:
  %alias = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH_ADD to i32)
  %before = call i32 @exchange(i32 1, i32 %alias, i32 %v)
  ret i32 %before
}
