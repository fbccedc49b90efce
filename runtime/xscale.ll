; Chip services and ARM helpers for the XScale core.
;
; The XScale core accesses rings, queues and atomic operations as memory-mapped
; words. This file defines the functions that the microengines' code generator
; treats as instructions, so that packet.ll works for both. The second part has
; the helpers that LLVM's ARM back end calls on a core without division.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_XSCALE_RING_DATA = external global i8
@IXP_XSCALE_RING_SECOND = external global i8
@IXP_XSCALE_RING_STATUS = external global i8
@IXP_XSCALE_SCRATCH = external global i8
@IXP_DROP_COUNTERS = external global i8
@IXP_XSCALE_LOCAL_CSRS = external global i8
@IXP_CSR_PSEUDO_RANDOM = external global i8
@IXP_XSCALE_QUEUE_ARRAY = external global i8

;--- The core ignores loop bounds.

define void @__ixp_loop_entry(i32 %number) alwaysinline {
  ret void
}

define void @__ixp_loop_iteration(i32 %number, i32 %bound) alwaysinline {
  ret void
}

;--- Rings: word n at IXP_XSCALE_RING_DATA gets and puts, word n at
;--- IXP_XSCALE_RING_STATUS is the status, and a word written to
;--- IXP_XSCALE_RING_SECOND follows that of the next put. Only the core
;--- gets from its ring, so it can take a message word by word.

define i32 @__ixp_scratch_get(i32 %ring) {
  %offset = shl i32 %ring, 2
  %address = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RING_DATA to i32)
  %p = inttoptr i32 %address to ptr
  %message = load volatile i32, ptr %p, align 4
  ret i32 %message
}

define void @__ixp_scratch_put(i32 %ring, i32 %message) {
  %offset = shl i32 %ring, 2
  %address = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RING_DATA to i32)
  %p = inttoptr i32 %address to ptr
  store volatile i32 %message, ptr %p, align 4
  ret void
}

define { i32, i32 } @__ixp_scratch_get2(i32 %ring) {
  %offset = shl i32 %ring, 2
  %address = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RING_DATA to i32)
  %p = inttoptr i32 %address to ptr
  %first = load volatile i32, ptr %p, align 4
  %m0 = insertvalue { i32, i32 } poison, i32 %first, 0
  %isNone = icmp eq i32 %first, 0
  br i1 %isNone, label %none, label %more

none:
  %m.none = insertvalue { i32, i32 } %m0, i32 0, 1
  ret { i32, i32 } %m.none

more:
  %second = load volatile i32, ptr %p, align 4
  %m1 = insertvalue { i32, i32 } %m0, i32 %second, 1
  ret { i32, i32 } %m1
}

define void @__ixp_scratch_put2(i32 %ring, i32 %first, i32 %second) {
  %with = inttoptr i32 ptrtoint (ptr @IXP_XSCALE_RING_SECOND to i32) to ptr
  store volatile i32 %second, ptr %with, align 4
  %offset = shl i32 %ring, 2
  %address = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RING_DATA to i32)
  %p = inttoptr i32 %address to ptr
  store volatile i32 %first, ptr %p, align 4
  ret void
}

; Bit 1: full. The core tests only rings whose signal means "nearly full".
define i32 @__ixp_ring_status(i32 %ring) {
  %offset = shl i32 %ring, 2
  %address = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RING_STATUS to i32)
  %p = inttoptr i32 %address to ptr
  %v = load volatile i32, ptr %p, align 4
  %shifted = lshr i32 %v, 1
  %full = and i32 %shifted, 1
  ret i32 %full
}

declare void @llvm.trap()

; Executes an undefined instruction, which stops the core.
define void @__ixp_halt() {
  call void @llvm.trap()
  unreachable
}

; Does nothing. The core has one thread and waits by testing again.
define void @__ixp_swap() {
  ret void
}

; Writes 0: only the holder of a lock clears its bit, and no other bit is set.
; A program clears bits by __ixp_scratch_test_and_clr.
define void @__ixp_scratch_clr(i32 %address, i32 %v) {
  %mapped = add i32 %address, ptrtoint (ptr @IXP_XSCALE_SCRATCH to i32)
  %p = inttoptr i32 %mapped to ptr
  store volatile i32 0, ptr %p, align 4
  ret void
}

; Returns the number of packets dropped for `reason`, which baker_count_drop
; counts.
define i32 @baker_drop_count(i32 %reason) {
  %offset = shl i32 %reason, 2
  %counter = add i32 %offset, ptrtoint (ptr @IXP_DROP_COUNTERS to i32)
  %mapped = add i32 %counter, ptrtoint (ptr @IXP_XSCALE_SCRATCH to i32)
  %p = inttoptr i32 %mapped to ptr
  %count = load volatile i32, ptr %p, align 4
  ret i32 %count
}

;--- Time and random numbers: the local CSRs of engine 0 are memory-mapped; the
;--- core has its own random number register.

@random = internal global i32 1

define i32 @__ixp_local_csr_rd(i32 %csr) {
  %isRandom = icmp eq i32 %csr, ptrtoint (ptr @IXP_CSR_PSEUDO_RANDOM to i32)
  br i1 %isRandom, label %chance, label %time

chance:
  %last = load i32, ptr @random, align 4
  %halved = lshr i32 %last, 1
  %odd = and i32 %last, 1
  %mask = sub i32 0, %odd
  %feedback = and i32 %mask, u0xedb88320
  %next = xor i32 %halved, %feedback
  store i32 %next, ptr @random, align 4
  ret i32 %next

time:
  %mapped = add i32 %csr, ptrtoint (ptr @IXP_XSCALE_LOCAL_CSRS to i32)
  %p = inttoptr i32 %mapped to ptr
  %v = load volatile i32, ptr %p, align 4
  ret i32 %v
}

;--- The hash unit's function (target-ixp/table/HashFunction.h), a byte of the key
;--- at a time: multiplies the result by x^8, reduces it and adds the product of
;--- byte and multiplier. Keys, results, the multiplier and the reduction
;--- polynomial are shifted to the upper end of 128 bits, whatever their width.
;--- The tables, which the first hash of a width makes, have the products of each
;--- byte with the polynomial and with the multiplier.

@hash.tables.48 = internal global [512 x i128] zeroinitializer, align 8
@hash.tables.64 = internal global [512 x i128] zeroinitializer, align 8
@hash.tables.128 = internal global [512 x i128] zeroinitializer, align 8

; Writes the products of the bytes 1 to 255 with `factor`: of each power of x,
; then the sums with those of the numbers below.
define internal void @fill(ptr %table, i128 %factor, i128 %polynomial) {
entry:
  br label %power

power:
  %step = phi i32 [ 1, %entry ], [ %step.twice, %next ]
  %product = phi i128 [ %factor, %entry ], [ %product.next, %next ]
  br label %sum

sum:
  %j = phi i32 [ 0, %power ], [ %j.next, %sum ]
  %below = getelementptr i128, ptr %table, i32 %j
  %lower = load i128, ptr %below, align 8
  %both = xor i128 %lower, %product
  %index = add i32 %step, %j
  %above = getelementptr i128, ptr %table, i32 %index
  store i128 %both, ptr %above, align 8
  %j.next = add i32 %j, 1
  %isMore = icmp ult i32 %j.next, %step
  br i1 %isMore, label %sum, label %next

next:
  %isOut = icmp slt i128 %product, 0
  %reduction = select i1 %isOut, i128 %polynomial, i128 0
  %shifted = shl i128 %product, 1
  %product.next = xor i128 %shifted, %reduction
  %step.twice = shl i32 %step, 1
  %isPower = icmp ult i32 %step.twice, 256
  br i1 %isPower, label %power, label %done

done:
  ret void
}

define internal i128 @hash(i128 %key, i32 %bytes, ptr %tables,
                           i128 %multiplier, i128 %polynomial) {
entry:
  %products = getelementptr i128, ptr %tables, i32 256
  %first.place = getelementptr i128, ptr %products, i32 1
  %first = load i128, ptr %first.place, align 8
  %isFilled = icmp ne i128 %first, 0
  br i1 %isFilled, label %byte, label %make

make:
  call void @fill(ptr %tables, i128 %polynomial, i128 %polynomial)
  call void @fill(ptr %products, i128 %multiplier, i128 %polynomial)
  br label %byte

byte:
  %result = phi i128 [ 0, %entry ], [ 0, %make ], [ %result.next, %byte ]
  %rest = phi i128 [ %key, %entry ], [ %key, %make ], [ %rest.next, %byte ]
  %left = phi i32 [ %bytes, %entry ], [ %bytes, %make ], [ %left.next, %byte ]
  %out.wide = lshr i128 %result, 120
  %out = trunc i128 %out.wide to i32
  %in.wide = lshr i128 %rest, 120
  %in = trunc i128 %in.wide to i32
  %reduction.place = getelementptr i128, ptr %tables, i32 %out
  %reduction = load i128, ptr %reduction.place, align 8
  %product.place = getelementptr i128, ptr %products, i32 %in
  %product = load i128, ptr %product.place, align 8
  %shifted = shl i128 %result, 8
  %reduced = xor i128 %shifted, %reduction
  %result.next = xor i128 %reduced, %product
  %rest.next = shl i128 %rest, 8
  %left.next = sub i32 %left, 1
  %isMore = icmp ne i32 %left.next, 0
  br i1 %isMore, label %byte, label %done

done:
  ret i128 %result.next
}

define internal { i32, i32 } @words(i64 %v) alwaysinline {
  %low = trunc i64 %v to i32
  %shifted = lshr i64 %v, 32
  %high = trunc i64 %shifted to i32
  %p0 = insertvalue { i32, i32 } poison, i32 %low, 0
  %p1 = insertvalue { i32, i32 } %p0, i32 %high, 1
  ret { i32, i32 } %p1
}

; The key of two words at the upper end.
define internal i128 @aligned(i32 %low, i32 %high, i128 %shift) alwaysinline {
  %key = call i64 @pair(i32 %high, i32 %low)
  %wide = zext i64 %key to i128
  %aligned = shl i128 %wide, %shift
  ret i128 %aligned
}

; The multiplier (target-ixp/table/HashFunction.h, HashMultiplier) at the upper
; end. In a program with a hash key the driver takes the constant from a word of
; data, which a loader may change.
define internal i128 @hash.multiplier(i128 %shift) alwaysinline {
  ; 0xbf58476d1ce4e5b99e3779b97f4a7c15
  %shifted = shl i128 -85941448906574593376181134309648073707, %shift
  ret i128 %shifted
}

define { i32, i32 } @__ixp_hash_48(i32 %w0, i32 %w1) {
  %high = and i32 %w1, 65535
  %key = call i128 @aligned(i32 %w0, i32 %high, i128 80)
  %multiplier = call i128 @hash.multiplier(i128 80)
  %hash = call i128 @hash(
      i128 %key, i32 6, ptr @hash.tables.48,
      i128 %multiplier,
      i128 486777834114417549018621554982912)
  %low.wide = lshr i128 %hash, 80
  %low = trunc i128 %low.wide to i64
  %words = call { i32, i32 } @words(i64 %low)
  ret { i32, i32 } %words
}

define { i32, i32 } @__ixp_hash_64(i32 %w0, i32 %w1) {
  %key = call i128 @aligned(i32 %w0, i32 %w1, i128 64)
  %multiplier = call i128 @hash.multiplier(i128 64)
  %hash = call i128 @hash(
      i128 %key, i32 8, ptr @hash.tables.64,
      i128 %multiplier,
      i128 498062089990157893632)
  %low.wide = lshr i128 %hash, 64
  %low = trunc i128 %low.wide to i64
  %words = call { i32, i32 } @words(i64 %low)
  ret { i32, i32 } %words
}

define { i32, i32, i32, i32 } @__ixp_hash_128(i32 %w0, i32 %w1, i32 %w2,
                                              i32 %w3) {
  %upper = call i128 @aligned(i32 %w2, i32 %w3, i128 64)
  %lower = call i128 @aligned(i32 %w0, i32 %w1, i128 0)
  %key = or i128 %upper, %lower
  %multiplier = call i128 @hash.multiplier(i128 0)
  %hash = call i128 @hash(
      i128 %key, i32 16, ptr @hash.tables.128,
      i128 %multiplier, i128 135)
  %low = trunc i128 %hash to i64
  %high.wide = lshr i128 %hash, 64
  %high = trunc i128 %high.wide to i64
  %low.words = call { i32, i32 } @words(i64 %low)
  %high.words = call { i32, i32 } @words(i64 %high)
  %n0 = extractvalue { i32, i32 } %low.words, 0
  %n1 = extractvalue { i32, i32 } %low.words, 1
  %n2 = extractvalue { i32, i32 } %high.words, 0
  %n3 = extractvalue { i32, i32 } %high.words, 1
  %r0 = insertvalue { i32, i32, i32, i32 } poison, i32 %n0, 0
  %r1 = insertvalue { i32, i32, i32, i32 } %r0, i32 %n1, 1
  %r2 = insertvalue { i32, i32, i32, i32 } %r1, i32 %n2, 2
  %r3 = insertvalue { i32, i32, i32, i32 } %r2, i32 %n3, 3
  ret { i32, i32, i32, i32 } %r3
}

;--- Queue array: channel to bits 17:16, entry to bits 7:2.

define internal ptr @queue(i32 %queueWord) alwaysinline {
  %channel = lshr i32 %queueWord, 30
  %channel.placed = shl i32 %channel, 16
  %entry = lshr i32 %queueWord, 24
  %entry.only = and i32 %entry, 63
  %entry.placed = shl i32 %entry.only, 2
  %offset = or i32 %channel.placed, %entry.placed
  %address = or i32 %offset, ptrtoint (ptr @IXP_XSCALE_QUEUE_ARRAY to i32)
  %p = inttoptr i32 %address to ptr
  ret ptr %p
}

define i32 @__ixp_sram_dequeue(i32 %queueWord) {
  %p = call ptr @queue(i32 %queueWord)
  %v = load volatile i32, ptr %p, align 4
  ret i32 %v
}

define void @__ixp_sram_enqueue(i32 %queueWord, i32 %handle) {
  %p = call ptr @queue(i32 %queueWord)
  store volatile i32 %handle, ptr %p, align 4
  ret void
}

;--- Division, by divide.ll. Quotient and remainder are returned in registers as
;--- the ARM run-time ABI (RTABI, IHI 0043) requires.

declare i64 @baker_divide32(i32, i32)
declare i64 @baker_divide_signed32(i32, i32)
declare i64 @baker_divide64(i64, i64)
declare i64 @baker_divide_signed64(i64, i64)

define internal { i32, i32 } @unpack(i64 %pair) alwaysinline {
  %remainder = trunc i64 %pair to i32
  %shifted = lshr i64 %pair, 32
  %quotient = trunc i64 %shifted to i32
  %p0 = insertvalue { i32, i32 } poison, i32 %quotient, 0
  %p1 = insertvalue { i32, i32 } %p0, i32 %remainder, 1
  ret { i32, i32 } %p1
}

define internal { i64, i64 } @with_remainder(i64 %n, i64 %d, i64 %q)
    alwaysinline {
  %product = mul i64 %q, %d
  %remainder = sub i64 %n, %product
  %p0 = insertvalue { i64, i64 } poison, i64 %q, 0
  %p1 = insertvalue { i64, i64 } %p0, i64 %remainder, 1
  ret { i64, i64 } %p1
}

define { i32, i32 } @__aeabi_uidivmod(i32 %n, i32 %d) {
  %pair = call i64 @baker_divide32(i32 %n, i32 %d)
  %qr = call { i32, i32 } @unpack(i64 %pair)
  ret { i32, i32 } %qr
}

define i32 @__aeabi_uidiv(i32 %n, i32 %d) {
  %pair = call i64 @baker_divide32(i32 %n, i32 %d)
  %qr = call { i32, i32 } @unpack(i64 %pair)
  %q = extractvalue { i32, i32 } %qr, 0
  ret i32 %q
}

define { i32, i32 } @__aeabi_idivmod(i32 %n, i32 %d) {
  %pair = call i64 @baker_divide_signed32(i32 %n, i32 %d)
  %qr = call { i32, i32 } @unpack(i64 %pair)
  ret { i32, i32 } %qr
}

define i32 @__aeabi_idiv(i32 %n, i32 %d) {
  %pair = call i64 @baker_divide_signed32(i32 %n, i32 %d)
  %qr = call { i32, i32 } @unpack(i64 %pair)
  %q = extractvalue { i32, i32 } %qr, 0
  ret i32 %q
}

define { i64, i64 } @__aeabi_uldivmod(i64 %n, i64 %d) {
  %q = call i64 @baker_divide64(i64 %n, i64 %d)
  %qr = call { i64, i64 } @with_remainder(i64 %n, i64 %d, i64 %q)
  ret { i64, i64 } %qr
}

define { i64, i64 } @__aeabi_ldivmod(i64 %n, i64 %d) {
  %q = call i64 @baker_divide_signed64(i64 %n, i64 %d)
  %qr = call { i64, i64 } @with_remainder(i64 %n, i64 %d, i64 %q)
  ret { i64, i64 } %qr
}

;--- 64-bit shifts by a variable amount (0..63), on two words.

define i64 @__aeabi_llsl(i64 %v, i32 %amount) {
  %low = trunc i64 %v to i32
  %v.shifted = lshr i64 %v, 32
  %high = trunc i64 %v.shifted to i32
  %r = and i32 %amount, 31
  %rest = xor i32 %r, 31
  %h0 = shl i32 %high, %r
  %l1 = lshr i32 %low, 1
  %l2 = lshr i32 %l1, %rest
  %h1 = or i32 %h0, %l2
  %l = shl i32 %low, %r
  %isLong = icmp uge i32 %amount, 32
  %high.new = select i1 %isLong, i32 %l, i32 %h1
  %low.new = select i1 %isLong, i32 0, i32 %l
  %pair = call i64 @pair(i32 %high.new, i32 %low.new)
  ret i64 %pair
}

define i64 @__aeabi_llsr(i64 %v, i32 %amount) {
  %low = trunc i64 %v to i32
  %v.shifted = lshr i64 %v, 32
  %high = trunc i64 %v.shifted to i32
  %r = and i32 %amount, 31
  %rest = xor i32 %r, 31
  %h = lshr i32 %high, %r
  %h1 = shl i32 %high, 1
  %h2 = shl i32 %h1, %rest
  %l0 = lshr i32 %low, %r
  %l1 = or i32 %h2, %l0
  %isLong = icmp uge i32 %amount, 32
  %high.new = select i1 %isLong, i32 0, i32 %h
  %low.new = select i1 %isLong, i32 %h, i32 %l1
  %pair = call i64 @pair(i32 %high.new, i32 %low.new)
  ret i64 %pair
}

define i64 @__aeabi_lasr(i64 %v, i32 %amount) {
  %low = trunc i64 %v to i32
  %v.shifted = lshr i64 %v, 32
  %high = trunc i64 %v.shifted to i32
  %r = and i32 %amount, 31
  %rest = xor i32 %r, 31
  %sign = ashr i32 %high, 31
  %h = ashr i32 %high, %r
  %h1 = shl i32 %high, 1
  %h2 = shl i32 %h1, %rest
  %l0 = lshr i32 %low, %r
  %l1 = or i32 %h2, %l0
  %isLong = icmp uge i32 %amount, 32
  %high.new = select i1 %isLong, i32 %sign, i32 %h
  %low.new = select i1 %isLong, i32 %h, i32 %l1
  %pair = call i64 @pair(i32 %high.new, i32 %low.new)
  ret i64 %pair
}

define internal i64 @pair(i32 %high, i32 %low) alwaysinline {
  %high64 = zext i32 %high to i64
  %shifted = shl i64 %high64, 32
  %low64 = zext i32 %low to i64
  %v = or i64 %shifted, %low64
  ret i64 %v
}

;--- Memory blocks, byte by byte. The accesses are volatile so that LLVM does
;--- not replace the loops by calls of the same functions.

define ptr @memcpy(ptr %to, ptr %from, i32 %count) {
entry:
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %i.next, %copy ]
  %isMore = icmp ult i32 %i, %count
  br i1 %isMore, label %copy, label %done

copy:
  %source = getelementptr i8, ptr %from, i32 %i
  %target = getelementptr i8, ptr %to, i32 %i
  %byte = load volatile i8, ptr %source, align 1
  store volatile i8 %byte, ptr %target, align 1
  %i.next = add i32 %i, 1
  br label %test

done:
  ret ptr %to
}

define ptr @memset(ptr %to, i32 %value, i32 %count) {
entry:
  %byte = trunc i32 %value to i8
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %isMore = icmp ult i32 %i, %count
  br i1 %isMore, label %fill, label %done

fill:
  %target = getelementptr i8, ptr %to, i32 %i
  store volatile i8 %byte, ptr %target, align 1
  %i.next = add i32 %i, 1
  br label %test

done:
  ret ptr %to
}

define void @__aeabi_memcpy(ptr %to, ptr %from, i32 %count) {
  %p = call ptr @memcpy(ptr %to, ptr %from, i32 %count)
  ret void
}

define void @__aeabi_memset(ptr %to, i32 %count, i32 %value) {
  %p = call ptr @memset(ptr %to, i32 %value, i32 %count)
  ret void
}

define void @__aeabi_memclr(ptr %to, i32 %count) {
  %p = call ptr @memset(ptr %to, i32 0, i32 %count)
  ret void
}
