; Packet primitives of the chip.
;
; A packet is one handle: the longword address of its descriptor in SRAM
; channel 0. Descriptor word 1 holds head<<16 | length; the buffer of the
; packet starts at DRAM byte handle<<7. The offset and alignment of an access
; are unknown here, so each data access reads the head pointer and the two DRAM
; quadwords that enclose any 64 bits, and extracts its field by shifts. This is
; the general access of section 5.3 of the paper. A write reads the two
; quadwords, merges the field and writes them back. This is safe because a
; packet has one owner at a time.
;
; The microengines and the XScale core share this file. Address space 1 is SRAM,
; 2 is DRAM, 3 is scratch; for the core the driver substitutes its addresses.
; All operations are on 32-bit words; an i64 is two words, high first.
;
; Shifts by 32 - r with r = 0 are written as a shift by one and a shift by
; 31 - r, so that no amount reaches 32.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_FREE_LIST = external global i8
@IXP_HEADROOM = external global i8
@IXP_HEAD_WORD = external global i8
@IXP_DROP_COUNTERS = external global i8

declare void @__ixp_scratch_put(i32, i32)
declare void @__ixp_scratch_put2(i32, i32, i32)
declare i32 @__ixp_ring_status(i32)
declare void @__ixp_swap()
declare void @__ixp_halt()
declare void @__ixp_scratch_incr(i32)
declare i32 @__ixp_sram_dequeue(i32)
declare void @__ixp_sram_enqueue(i32, i32)
declare void @__ixp_loop_entry(i32)
declare void @__ixp_loop_iteration(i32, i32)
declare void @baker_give_up_number(i32)
declare void @baker_clear_number(i32)

; The SRAM address of descriptor word `word` of packet `h`.
define internal ptr addrspace(1) @baker_descriptor(i32 %h, i32 %word)
    alwaysinline {
  %longword = add i32 %h, %word
  %byte = shl i32 %longword, 2
  %pointer = inttoptr i32 %byte to ptr addrspace(1)
  ret ptr addrspace(1) %pointer
}

; The bit position in its buffer of bit `bitOffset` of the current header.
define internal i32 @baker_position(i32 %h, i32 %bitOffset) alwaysinline {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %head = lshr i32 %word, 16
  %headBits = shl i32 %head, 3
  %position = add i32 %headBits, %bitOffset
  ret i32 %position
}

; The DRAM quadword that holds bit `position` of the buffer of `h`.
define internal ptr addrspace(2) @baker_quadword(i32 %h, i32 %position)
    alwaysinline {
  %buffer = shl i32 %h, 7
  %index = lshr i32 %position, 6
  %bytes = shl i32 %index, 3
  %address = add i32 %buffer, %bytes
  %pointer = inttoptr i32 %address to ptr addrspace(2)
  ret ptr addrspace(2) %pointer
}

; The low word of (high:low) >> r, for r from 0 to 31.
define internal i32 @baker_funnel_right(i32 %high, i32 %low, i32 %r)
    alwaysinline {
  %rest = xor i32 %r, 31
  %h1 = shl i32 %high, 1
  %h2 = shl i32 %h1, %rest
  %l = lshr i32 %low, %r
  %word = or i32 %h2, %l
  ret i32 %word
}

; The high word of (high:low) << r, for r from 0 to 31.
define internal i32 @baker_funnel_left(i32 %high, i32 %low, i32 %r)
    alwaysinline {
  %rest = xor i32 %r, 31
  %h = shl i32 %high, %r
  %l1 = lshr i32 %low, 1
  %l2 = lshr i32 %l1, %rest
  %word = or i32 %h, %l2
  ret i32 %word
}

; Returns the `bits` (1..64) bits at `bitOffset` of the current header,
; right-aligned and zero-extended.
define i64 @baker_packet_read(i32 %h, i32 %bitOffset, i32 %bits) {
  %position = call i32 @baker_position(i32 %h, i32 %bitOffset)
  %result = call i64 @baker_read_bits(i32 %h, i32 %position, i32 %bits)
  ret i64 %result
}

; Returns the same at bit `position` of the buffer.
define i64 @baker_packet_read_at(i32 %h, i32 %position, i32 %bits) {
  %result = call i64 @baker_read_bits(i32 %h, i32 %position, i32 %bits)
  ret i64 %result
}

define internal i64 @baker_read_bits(i32 %h, i32 %position, i32 %bits)
    alwaysinline {
  %p = call ptr addrspace(2) @baker_quadword(i32 %h, i32 %position)
  %data = load <4 x i32>, ptr addrspace(2) %p, align 8
  %w0 = extractelement <4 x i32> %data, i32 0
  %w1 = extractelement <4 x i32> %data, i32 1
  %w2 = extractelement <4 x i32> %data, i32 2
  %w3 = extractelement <4 x i32> %data, i32 3
  ; Three words that hold the field, which begins at bit r of the first one.
  %second = and i32 %position, 32
  %isSecond = icmp ne i32 %second, 0
  %a = select i1 %isSecond, i32 %w1, i32 %w0
  %b = select i1 %isSecond, i32 %w2, i32 %w1
  %c = select i1 %isSecond, i32 %w3, i32 %w2
  %r = and i32 %position, 31
  %left.high = call i32 @baker_funnel_left(i32 %a, i32 %b, i32 %r)
  %isShort = icmp ule i32 %bits, 32
  br i1 %isShort, label %short, label %long, !prof !1

short:
  %unused = sub i32 32, %bits
  %value = lshr i32 %left.high, %unused
  %value64 = zext i32 %value to i64
  ret i64 %value64

long:
  %left.low = call i32 @baker_funnel_left(i32 %b, i32 %c, i32 %r)
  %unused64 = sub i32 64, %bits
  %high = lshr i32 %left.high, %unused64
  %low = call i32 @baker_funnel_right(i32 %left.high, i32 %left.low,
                                      i32 %unused64)
  %high64 = zext i32 %high to i64
  %high64s = shl i64 %high64, 32
  %low64 = zext i32 %low to i64
  %result = or i64 %high64s, %low64
  ret i64 %result
}

; Returns (word & ~mask) | value. The value is within the mask.
define internal i32 @baker_merge(i32 %word, i32 %mask, i32 %value)
    alwaysinline {
  %keep = xor i32 %mask, -1
  %kept = and i32 %word, %keep
  %merged = or i32 %kept, %value
  ret i32 %merged
}

; Writes the low `bits` (1..64) bits of `v` at `bitOffset` of the header.
define void @baker_packet_write(i32 %h, i32 %bitOffset, i32 %bits, i64 %v) {
  %position = call i32 @baker_position(i32 %h, i32 %bitOffset)
  call void @baker_write_bits(i32 %h, i32 %position, i32 %bits, i64 %v)
  ret void
}

; Writes the same at bit `position` of the buffer.
define void @baker_packet_write_at(i32 %h, i32 %position, i32 %bits, i64 %v) {
  call void @baker_write_bits(i32 %h, i32 %position, i32 %bits, i64 %v)
  ret void
}

define internal void @baker_write_bits(i32 %h, i32 %position, i32 %bits, i64 %v)
    alwaysinline {
  %p = call ptr addrspace(2) @baker_quadword(i32 %h, i32 %position)
  %v.low = trunc i64 %v to i32
  %v.shifted = lshr i64 %v, 32
  %v.high = trunc i64 %v.shifted to i32
  %isShort = icmp ule i32 %bits, 32
  br i1 %isShort, label %short, label %long, !prof !1

short:
  %s.unused = sub i32 32, %bits
  %s.value = shl i32 %v.low, %s.unused
  %s.mask = shl i32 -1, %s.unused
  br label %merge

long:
  %l.unused = sub i32 64, %bits
  %l.high = call i32 @baker_funnel_left(i32 %v.high, i32 %v.low,
                                        i32 %l.unused)
  %l.low = shl i32 %v.low, %l.unused
  %l.mask = shl i32 -1, %l.unused
  br label %merge

merge:
  ; The field and its mask, left-aligned in two words.
  %high = phi i32 [ %s.value, %short ], [ %l.high, %long ]
  %low = phi i32 [ 0, %short ], [ %l.low, %long ]
  %mask.high = phi i32 [ %s.mask, %short ], [ -1, %long ]
  %mask.low = phi i32 [ 0, %short ], [ %l.mask, %long ]
  ; Shifted right by r they fill three words.
  %r = and i32 %position, 31
  %a = lshr i32 %high, %r
  %b = call i32 @baker_funnel_right(i32 %high, i32 %low, i32 %r)
  %c = call i32 @baker_funnel_right(i32 %low, i32 0, i32 %r)
  %mask.a = lshr i32 %mask.high, %r
  %mask.b = call i32 @baker_funnel_right(i32 %mask.high, i32 %mask.low, i32 %r)
  %mask.c = call i32 @baker_funnel_right(i32 %mask.low, i32 0, i32 %r)
  %data = load <4 x i32>, ptr addrspace(2) %p, align 8
  %w0 = extractelement <4 x i32> %data, i32 0
  %w1 = extractelement <4 x i32> %data, i32 1
  %w2 = extractelement <4 x i32> %data, i32 2
  %w3 = extractelement <4 x i32> %data, i32 3
  %second = and i32 %position, 32
  %isSecond = icmp ne i32 %second, 0
  br i1 %isSecond, label %at1, label %at0

at0:
  %x0 = call i32 @baker_merge(i32 %w0, i32 %mask.a, i32 %a)
  %x1 = call i32 @baker_merge(i32 %w1, i32 %mask.b, i32 %b)
  %x2 = call i32 @baker_merge(i32 %w2, i32 %mask.c, i32 %c)
  br label %store

at1:
  %y1 = call i32 @baker_merge(i32 %w1, i32 %mask.a, i32 %a)
  %y2 = call i32 @baker_merge(i32 %w2, i32 %mask.b, i32 %b)
  %y3 = call i32 @baker_merge(i32 %w3, i32 %mask.c, i32 %c)
  br label %store

store:
  %n0 = phi i32 [ %x0, %at0 ], [ %w0, %at1 ]
  %n1 = phi i32 [ %x1, %at0 ], [ %y1, %at1 ]
  %n2 = phi i32 [ %x2, %at0 ], [ %y2, %at1 ]
  %n3 = phi i32 [ %w3, %at0 ], [ %y3, %at1 ]
  %d0 = insertelement <4 x i32> poison, i32 %n0, i32 0
  %d1 = insertelement <4 x i32> %d0, i32 %n1, i32 1
  %d2 = insertelement <4 x i32> %d1, i32 %n2, i32 2
  %d3 = insertelement <4 x i32> %d2, i32 %n3, i32 3
  store <4 x i32> %d3, ptr addrspace(2) %p, align 8
  ret void
}

; Returns descriptor word `word` (4..15: the program's metadata, 3: sequence
; number).
define i32 @baker_meta_read(i32 %h, i32 %word) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 %word)
  %value = load i32, ptr addrspace(1) %p, align 4
  ret i32 %value
}

define void @baker_meta_write(i32 %h, i32 %word, i32 %v) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 %word)
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

; Descriptor word 2 is rx_port<<24 | tx_port<<16 | flags.
define i32 @baker_rx_port(i32 %h) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 2)
  %word = load i32, ptr addrspace(1) %p, align 4
  %port = lshr i32 %word, 24
  ret i32 %port
}

define i32 @baker_tx_port(i32 %h) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 2)
  %word = load i32, ptr addrspace(1) %p, align 4
  %shifted = lshr i32 %word, 16
  %port = and i32 %shifted, 255
  ret i32 %port
}

define void @baker_set_tx_port(i32 %h, i32 %port) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 2)
  %word = load i32, ptr addrspace(1) %p, align 4
  %byte = and i32 %port, 255
  %placed = shl i32 %byte, 16
  %merged = call i32 @baker_merge(i32 %word, i32 16711680, i32 %placed)
  store i32 %merged, ptr addrspace(1) %p, align 4
  ret void
}

; Returns the number of bytes from the head pointer to the end of the packet.
define i32 @baker_packet_length(i32 %h) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %length = and i32 %word, 65535
  ret i32 %length
}

; Moves the head pointer `bytes` towards the end. The program has checked that
; the packet is long enough.
define i32 @baker_packet_decap(i32 %h, i32 %bytes) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %up = shl i32 %bytes, 16
  %moved = add i32 %word, %up
  %shortened = sub i32 %moved, %bytes
  store i32 %shortened, ptr addrspace(1) %p, align 4
  ret i32 %h
}

; Moves the head pointer `bytes` towards the front of the buffer. The new header
; contains the bytes that were there. If the buffer has too little space, the
; context stops instead of writing into another packet.
define i32 @baker_packet_encap(i32 %h, i32 %bytes) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %head = lshr i32 %word, 16
  call void @baker_packet_room(i32 %head, i32 %bytes)
  %up = shl i32 %bytes, 16
  %moved = sub i32 %word, %up
  %lengthened = add i32 %moved, %bytes
  store i32 %lengthened, ptr addrspace(1) %p, align 4
  ret i32 %h
}

; Returns a free buffer; waits until there is one.
define internal i32 @baker_free_buffer() alwaysinline {
entry:
  br label %wait

wait:
  %new = call i32 @__ixp_sram_dequeue(i32 ptrtoint (ptr @IXP_FREE_LIST to i32))
  %isNone = icmp eq i32 %new, 0
  br i1 %isNone, label %again, label %done

again:
  call void @__ixp_swap()
  br label %wait

done:
  ret i32 %new
}

; Copies the bytes of packet `h` into the buffer of `new`: from min(head,
; IXP_HEADROOM) to head + length, in steps of 32 bytes. This includes the bytes
; from the start of the received frame to the head, so that packet_encap finds
; the same bytes in both packets.
define internal void @baker_copy_bytes(i32 %h, i32 %new, i32 %head, i32 %length)
    alwaysinline {
entry:
  %end = add i32 %head, %length
  %isBelow = icmp ult i32 %head, ptrtoint (ptr @IXP_HEADROOM to i32)
  %lowest = select i1 %isBelow, i32 %head,
                   i32 ptrtoint (ptr @IXP_HEADROOM to i32)
  %start = and i32 %lowest, -32
  %source = shl i32 %h, 7
  %target = shl i32 %new, 7
  call void @__ixp_loop_entry(i32 1073741825)
  br label %data

data:
  %offset = phi i32 [ %start, %entry ], [ %offset.next, %data ]
  ; At most 64 iterations, because a buffer has 2,048 bytes
  ; (codegen-me/prepare/LoopBounds.h).
  call void @__ixp_loop_iteration(i32 1073741825, i32 64)
  %source.address = add i32 %source, %offset
  %target.address = add i32 %target, %offset
  %source.pointer = inttoptr i32 %source.address to ptr addrspace(2)
  %target.pointer = inttoptr i32 %target.address to ptr addrspace(2)
  %chunk = load <8 x i32>, ptr addrspace(2) %source.pointer, align 8
  store <8 x i32> %chunk, ptr addrspace(2) %target.pointer, align 8
  %offset.next = add i32 %offset, 32
  %isRest = icmp ult i32 %offset.next, %end
  br i1 %isRest, label %data, label %done

done:
  ret void
}

; Returns a second packet with the same metadata and data, without a ticket
; (order.ll).
define i32 @baker_packet_copy(i32 %h) {
  %new = call i32 @baker_free_buffer()
  ; Copies all 16 words; the link is unused while the packet is in use.
  %from0 = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 0)
  %from8 = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 8)
  %to0 = call ptr addrspace(1) @baker_descriptor(i32 %new, i32 0)
  %to8 = call ptr addrspace(1) @baker_descriptor(i32 %new, i32 8)
  %words0 = load <8 x i32>, ptr addrspace(1) %from0, align 4
  %ports = extractelement <8 x i32> %words0, i32 2
  %ports.new = and i32 %ports, -65536
  %words0.new = insertelement <8 x i32> %words0, i32 %ports.new, i32 2
  store <8 x i32> %words0.new, ptr addrspace(1) %to0, align 4
  %words8 = load <8 x i32>, ptr addrspace(1) %from8, align 4
  store <8 x i32> %words8, ptr addrspace(1) %to8, align 4
  %word = extractelement <8 x i32> %words0, i32 1
  %head = lshr i32 %word, 16
  %length = and i32 %word, 65535
  call void @baker_copy_bytes(i32 %h, i32 %new, i32 %head, i32 %length)
  ret i32 %new
}

; Returns a second packet with the same data and an empty descriptor, for a
; program that has head, length and metadata in registers.
define i32 @baker_packet_clone(i32 %h, i32 %head, i32 %length) {
  %new = call i32 @baker_free_buffer()
  call void @baker_clear_number(i32 %new)
  call void @baker_copy_bytes(i32 %h, i32 %new, i32 %head, i32 %length)
  ret i32 %new
}

; Removes `bytes` from the packet's end. The program has checked that the packet
; is long enough.
define i32 @baker_packet_remove_tail(i32 %h, i32 %bytes) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %shortened = sub i32 %word, %bytes
  store i32 %shortened, ptr addrspace(1) %p, align 4
  ret i32 %h
}

; Appends `bytes` zeros. The program has checked that the buffer has space for
; them.
define i32 @baker_packet_add_tail(i32 %h, i32 %bytes) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %head = lshr i32 %word, 16
  %length = and i32 %word, 65535
  %end = add i32 %head, %length
  call void @baker_packet_clear(i32 %h, i32 %end, i32 %bytes)
  %lengthened = add i32 %word, %bytes
  store i32 %lengthened, ptr addrspace(1) %p, align 4
  ret i32 %h
}

; Returns the number of bytes in the buffer before the packet's head.
define i32 @baker_packet_headroom(i32 %h) {
  %p = call ptr addrspace(1) @baker_descriptor(i32 %h, i32 1)
  %word = load i32, ptr addrspace(1) %p, align 4
  %head = lshr i32 %word, 16
  ret i32 %head
}

; Clears the buffer from byte `at` on: first to the end of a quadword, then
; whole quadwords until `bytes` are cleared.
define void @baker_packet_clear(i32 %h, i32 %at, i32 %bytes) {
entry:
  %end = add i32 %at, %bytes
  %into = and i32 %at, 7
  %isOdd = icmp ne i32 %into, 0
  call void @__ixp_loop_entry(i32 1073741826)
  br i1 %isOdd, label %partial, label %test

partial:
  %position = shl i32 %at, 3
  %into.bits = shl i32 %into, 3
  %bits = sub i32 64, %into.bits
  call void @baker_write_bits(i32 %h, i32 %position, i32 %bits, i64 0)
  %rest = sub i32 8, %into
  %next = add i32 %at, %rest
  br label %test

test:
  %offset = phi i32 [ %at, %entry ], [ %next, %partial ],
                    [ %offset.next, %data ]
  ; One iteration per quadword of a buffer, and one for the test that ends the
  ; loop.
  call void @__ixp_loop_iteration(i32 1073741826, i32 257)
  %isMore = icmp ult i32 %offset, %end
  br i1 %isMore, label %data, label %done

data:
  %buffer = shl i32 %h, 7
  %address = add i32 %buffer, %offset
  %pointer = inttoptr i32 %address to ptr addrspace(2)
  store <2 x i32> zeroinitializer, ptr addrspace(2) %pointer, align 8
  %offset.next = add i32 %offset, 8
  br label %test

done:
  ret void
}

; Returns a packet of `bytes` zeros with the headroom of a received packet.
define i32 @baker_packet_create(i32 %bytes) {
  %new = call i32 @baker_packet_blank(i32 %bytes)
  %to0 = call ptr addrspace(1) @baker_descriptor(i32 %new, i32 0)
  %to8 = call ptr addrspace(1) @baker_descriptor(i32 %new, i32 8)
  %place = or i32 %bytes, ptrtoint (ptr @IXP_HEAD_WORD to i32)
  %words = insertelement <8 x i32> zeroinitializer, i32 %place, i32 1
  store <8 x i32> %words, ptr addrspace(1) %to0, align 4
  store <8 x i32> zeroinitializer, ptr addrspace(1) %to8, align 4
  ret i32 %new
}

; Returns the same with an empty descriptor.
define i32 @baker_packet_blank(i32 %bytes) {
  %new = call i32 @baker_free_buffer()
  call void @baker_clear_number(i32 %new)
  call void @baker_packet_clear(i32 %new,
                                i32 ptrtoint (ptr @IXP_HEADROOM to i32),
                                i32 %bytes)
  ret i32 %new
}

; Stops the context if the buffer has no space for `bytes` bytes before offset
; `head`.
define void @baker_packet_room(i32 %head, i32 %bytes) alwaysinline {
  %isRoom = icmp uge i32 %head, %bytes
  br i1 %isRoom, label %enough, label %stop

stop:
  call void @__ixp_halt()
  br label %enough

enough:
  ret void
}

; Counts a packet that was dropped for `reason`, in scratch (a word of
; IXP_DROP_COUNTERS).
define void @baker_count_drop(i32 %reason) alwaysinline {
  %offset = shl i32 %reason, 2
  %counter = add i32 %offset, ptrtoint (ptr @IXP_DROP_COUNTERS to i32)
  call void @__ixp_scratch_incr(i32 %counter)
  ret void
}

; Drops the packet: counts it and returns its buffer to the free list.
define void @baker_packet_drop(i32 %h, i32 %reason) {
  call void @baker_give_up_number(i32 %h)
  call void @baker_count_drop(i32 %reason)
  call void @__ixp_sram_enqueue(i32 ptrtoint (ptr @IXP_FREE_LIST to i32),
                                i32 %h)
  ret void
}

; Puts a message of two words on the ring to Tx; waits while the ring is nearly
; full. It is inlined because the ring number must be a constant on a
; microengine.
define void @baker_channel_put(i32 %ring, i32 %message, i32 %second)
    alwaysinline {
entry:
  br label %test

test:
  %full = call i32 @__ixp_ring_status(i32 %ring)
  %isFull = icmp ne i32 %full, 0
  br i1 %isFull, label %wait, label %put, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

put:
  call void @__ixp_scratch_put2(i32 %ring, i32 %message, i32 %second)
  ret void
}

; Puts a message of one word on another scratch ring in the same way.
define void @baker_channel_put_word(i32 %ring, i32 %message) alwaysinline {
entry:
  br label %test

test:
  %full = call i32 @__ixp_ring_status(i32 %ring)
  %isFull = icmp ne i32 %full, 0
  br i1 %isFull, label %wait, label %put, !prof !0

wait:
  call void @__ixp_swap()
  br label %test

put:
  call void @__ixp_scratch_put(i32 %ring, i32 %message)
  ret void
}

; Rings usually have space, and fields usually have at most 32 bits.
!0 = !{!"branch_weights", i32 1, i32 1000}
!1 = !{!"branch_weights", i32 4, i32 1}
