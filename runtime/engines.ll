; Engines as the XScale core sees them: it stops and starts them, and loads their
; control stores.
;
; To stop an engine, the core sets its bit in IXP_STOP_WORD. Its contexts end, each
; between two messages, and add 1 to IXP_STOPPED_CONTEXTS. When all have, the
; core disables them and may write the control store by USTORE_ADDRESS and
; USTORE_DATA. To start the engine, it lets them begin at word 0. One engine
; stops at a time.

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
; one; its bit in IXP_STOP_WORD; the number of its aggregate; and the address and
; number of the words of its code with and without caches. A word is two in
; memory, as USTORE_DATA_UPPER and USTORE_DATA_LOWER take them. The loader fills
; the table (target-ixp/chip/EngineTable.h).
%engine = type { i32, i32, i32, [2 x { i32, i32 }] }
@karakal_engine_table = externally_initialized global [17 x %engine]
    zeroinitializer

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

declare i32 @llvm.ctpop.i32(i32)

; Returns engine `i` of the table, or null after the last one.
define ptr @baker_engine_at(i32 %i) {
  %engine = getelementptr [17 x %engine], ptr @karakal_engine_table, i32 0,
                          i32 %i
  %csrs = load i32, ptr %engine, align 4
  %isEnd = icmp eq i32 %csrs, 0
  %result = select i1 %isEnd, ptr null, ptr %engine
  ret ptr %result
}

; The engine's enabled contexts, bits 15:8 of CTX_ENABLES.
define i32 @baker_engine_contexts(ptr %engine) {
  %csrs = load i32, ptr %engine, align 4
  %enables = call i32 @csr.read(i32 %csrs,
                                i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32))
  %contexts = and i32 %enables, 65280
  ret i32 %contexts
}

; Asks an engine to stop.
define void @baker_engine_stop(ptr %engine) {
  %count = call ptr @stopped.contexts()
  store volatile i32 0, ptr %count, align 4
  %bit.at = getelementptr %engine, ptr %engine, i32 0, i32 1
  %bit = load i32, ptr %bit.at, align 4
  store volatile i32 %bit, ptr addrspace(3) @IXP_STOP_WORD
  ret void
}

; Whether the engine that was asked has stopped, with all of these contexts. Then
; they are disabled, and nobody is asked any more.
define i1 @baker_engine_has_stopped(ptr %engine, i32 %contexts) {
entry:
  %count = call ptr @stopped.contexts()
  %ended = load volatile i32, ptr %count, align 4
  %all = call i32 @llvm.ctpop.i32(i32 %contexts)
  %isDone = icmp uge i32 %ended, %all
  br i1 %isDone, label %disable, label %done

disable:
  store volatile i32 0, ptr addrspace(3) @IXP_STOP_WORD
  %csrs = load i32, ptr %engine, align 4
  %enables = call i32 @csr.read(i32 %csrs,
                                i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32))
  %others = and i32 %enables, -65281
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32),
                       i32 %others)
  br label %done

done:
  ret i1 %isDone
}

; Writes `count` words to the control store of an engine that has stopped.
define void @baker_engine_load(ptr %engine, i32 %from, i32 %count) {
entry:
  %csrs = load i32, ptr %engine, align 4
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

; Starts these contexts of an engine at word 0.
define void @baker_engine_start(ptr %engine, i32 %contexts) {
  %csrs = load i32, ptr %engine, align 4
  call void @rewind(i32 %csrs)
  %enables = call i32 @csr.read(i32 %csrs,
                                i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32))
  %all = or i32 %enables, %contexts
  call void @csr.write(i32 %csrs,
                       i32 ptrtoint (ptr @IXP_CSR_CTX_ENABLES to i32), i32 %all)
  ret void
}
