; Exchange of the engines' microcode by the XScale core.
;
; The engines run code with caches. Before a control function changes what is
; cached, it calls baker_leave_caches, which gives one engine after another code
; without caches. While one is exchanged the others go on. The timer
; karakal.return_to_caches exchanges back once no control function has changed
; anything for one of its intervals.
;
; To exchange an engine's code, the core
;   sets the engine's bit in IXP_STOP_WORD,
;   waits until all of its contexts have ended, each between two messages,
;   disables the contexts,
;   writes the control store by USTORE_ADDRESS and USTORE_DATA,
;   and starts the contexts at word 0.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_XSCALE_SCRATCH = external global i8
@IXP_STOP_WORD = external addrspace(3) global i32
@IXP_STOPPED_CONTEXTS = external global i8
@IXP_CSR_CTX_ENABLES = external global i8
@IXP_CSR_CTX_POINTER = external global i8
@IXP_CSR_CTX_STS = external global i8
@IXP_CSR_SIG_EVENTS = external global i8
@IXP_CSR_WAKEUP_EVENTS = external global i8
@IXP_CSR_USTORE_ADDRESS = external global i8
@IXP_CSR_USTORE_LOWER = external global i8
@IXP_CSR_USTORE_UPPER = external global i8

; An engine of the program: the address of its local CSRs, or 0 after the last
; one; its bit in IXP_STOP_WORD; and the address and number of the words of
; its code with and without caches. A word is two in memory, as USTORE_DATA_UPPER
; and USTORE_DATA_LOWER take them. The loader fills the table
; (target-ixp/chip/ExchangeTable.h).
%engine = type { i32, i32, [2 x { i32, i32 }] }
@karakal_exchange_table = externally_initialized global [17 x %engine]
    zeroinitializer

; Which code the engines have: 0 with caches, 1 without.
@code = internal global i32 0
; Whether a control function has updated something in this interval.
@isUpdated = internal global i32 0

define internal void @csr.write(i32 %csrs, i32 %csr, i32 %value) {
  %address = add i32 %csrs, %csr
  %p = inttoptr i32 %address to ptr
  store volatile i32 %value, ptr %p, align 4
  ret void
}

define internal i32 @csr.read(i32 %csrs, i32 %csr) {
  %address = add i32 %csrs, %csr
  %p = inttoptr i32 %address to ptr
  %value = load volatile i32, ptr %p, align 4
  ret i32 %value
}

; The word of scratch that counts the contexts that have ended.
define internal ptr @stopped.contexts() {
  %address = add i32 ptrtoint (ptr @IXP_XSCALE_SCRATCH to i32),
                     ptrtoint (ptr @IXP_STOPPED_CONTEXTS to i32)
  %p = inttoptr i32 %address to ptr
  ret ptr %p
}

; Asks the engine with this bit to stop, and waits until each of its contexts
; of `enables`, bits 15:8 of CTX_ENABLES, has ended.
define internal void @stop(i32 %bit, i32 %enables) {
entry:
  %count = call ptr @stopped.contexts()
  store volatile i32 0, ptr %count, align 4
  %word = load volatile i32, ptr addrspace(3) @IXP_STOP_WORD
  %asked = or i32 %word, %bit
  store volatile i32 %asked, ptr addrspace(3) @IXP_STOP_WORD
  %contexts = call i32 @llvm.ctpop.i32(i32 %enables)
  br label %wait

wait:
  %ended = load volatile i32, ptr %count, align 4
  %isDone = icmp uge i32 %ended, %contexts
  br i1 %isDone, label %done, label %wait

done:
  store volatile i32 %word, ptr addrspace(3) @IXP_STOP_WORD
  ret void
}

declare i32 @llvm.ctpop.i32(i32)

; Writes `count` words to a control store, from word 0 on.
define internal void @load(i32 %csrs, i32 %from, i32 %count) {
entry:
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_USTORE_ADDRESS to i32),
                       i32 -2147483648)
  %bytes = shl i32 %count, 3
  %end = add i32 %from, %bytes
  br label %test

test:
  %at = phi i32 [ %from, %entry ], [ %next, %word ]
  %isEnd = icmp eq i32 %at, %end
  br i1 %isEnd, label %done, label %word

word:
  %p = inttoptr i32 %at to ptr
  %upper = load i32, ptr %p, align 4
  %after = add i32 %at, 4
  %q = inttoptr i32 %after to ptr
  %lower = load i32, ptr %q, align 4
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_USTORE_LOWER to i32),
                       i32 %lower)
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_USTORE_UPPER to i32),
                       i32 %upper)
  %next = add i32 %at, 8
  br label %test

done:
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_USTORE_ADDRESS to i32), i32 0)
  ret void
}

; Lets all contexts begin at word 0.
define internal void @rewind(i32 %csrs) {
entry:
  br label %context

context:
  %number = phi i32 [ 0, %entry ], [ %next, %context ]
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_POINTER to i32),
                       i32 %number)
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_SIG_EVENTS to i32), i32 1)
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_WAKEUP_EVENTS to i32), i32 1)
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_STS to i32), i32 0)
  %next = add i32 %number, 1
  %isLast = icmp eq i32 %next, 8
  br i1 %isLast, label %done, label %context

done:
  ret void
}

; Gives one engine the code of this kind, unless it does not run. Returns whether
; it does.
define internal i1 @exchange(ptr %engine, i32 %kind) {
entry:
  %csrs = load i32, ptr %engine, align 4
  %bit.at = getelementptr %engine, ptr %engine, i32 0, i32 1
  %bit = load i32, ptr %bit.at, align 4
  %from.at = getelementptr %engine, ptr %engine, i32 0, i32 2, i32 %kind, i32 0
  %from = load i32, ptr %from.at, align 4
  %count.at = getelementptr %engine, ptr %engine, i32 0, i32 2, i32 %kind, i32 1
  %count = load i32, ptr %count.at, align 4
  %enables = call i32 @csr.read(i32 %csrs,
                                i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32))
  %contexts = and i32 %enables, 65280
  %isOff = icmp eq i32 %contexts, 0
  br i1 %isOff, label %done, label %running

running:
  call void @stop(i32 %bit, i32 %contexts)
  %others = xor i32 %enables, %contexts
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32),
                       i32 %others)
  call void @load(i32 %csrs, i32 %from, i32 %count)
  call void @rewind(i32 %csrs)
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32),
                       i32 %enables)
  br label %done

done:
  %isRunning = xor i1 %isOff, true
  ret i1 %isRunning
}

; Gives all engines the code of this kind, unless none runs yet.
define internal void @exchange.all(i32 %kind) noinline {
entry:
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %isAny = phi i1 [ false, %entry ], [ %isAnyNow, %more ]
  %engine = getelementptr [17 x %engine], ptr @karakal_exchange_table, i32 0,
                          i32 %i
  %csrs = load i32, ptr %engine, align 4
  %isEnd = icmp eq i32 %csrs, 0
  br i1 %isEnd, label %end, label %more

more:
  %isOn = call i1 @exchange(ptr %engine, i32 %kind)
  %isAnyNow = or i1 %isAny, %isOn
  %next = add i32 %i, 1
  br label %test

end:
  br i1 %isAny, label %exchanged, label %done

exchanged:
  store i32 %kind, ptr @code, align 4
  br label %done

done:
  ret void
}

; Returns when no engine uses caches. The caller holds no lock.
define void @baker_leave_caches() {
  store i32 1, ptr @isUpdated, align 4
  %kind = load i32, ptr @code, align 4
  %isPlain = icmp ne i32 %kind, 0
  br i1 %isPlain, label %done, label %leave

leave:
  call void @exchange.all(i32 1)
  br label %done

done:
  ret void
}

; Returns to caches, unless there was an update since the last call.
define void @baker_return_to_caches() {
  %wasUpdated = load i32, ptr @isUpdated, align 4
  store i32 0, ptr @isUpdated, align 4
  %kind = load i32, ptr @code, align 4
  %isBusy = icmp ne i32 %wasUpdated, 0
  %isCached = icmp eq i32 %kind, 0
  %stays = or i1 %isBusy, %isCached
  br i1 %stays, label %done, label %return

return:
  call void @exchange.all(i32 0)
  br label %done

done:
  ret void
}
