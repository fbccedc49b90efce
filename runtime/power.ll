; The XScale core stops engines while traffic is low (section 4.2 of the paper).
;
; The timer karakal.save_power looks at the rings from which the program's
; engines take messages:
;
;   one fills up            every engine that is off starts
;   all stay nearly empty   one engine of an aggregate with several of them
;                           stops; the quiet time before a stop doubles each
;                           time engines had to start again
;
; An engine that stops has ended all its contexts between two messages. No message
; is lost: the rings hold what arrives until engines run again.

; Addresses and constants of target-ixp/chip/RuntimeConstants.def. The driver
; replaces them by their values.
@IXP_XSCALE_RINGS = external global i8
@IXP_RX_RING_NUMBER = external global i8
@IXP_CHANNEL_RING_FIRST = external global i8
@IXP_CHANNEL_RING_LAST = external global i8

; runtime/engines.ll
%engine = type { i32, i32, i32, [2 x { i32, i32 }] }
declare ptr @baker_engine_at(i32)
declare i32 @baker_engine_contexts(ptr)
declare void @baker_engine_stop(ptr)
declare i1 @baker_engine_has_stopped(ptr, i32)
declare void @baker_engine_start(ptr, i32)

; The contexts with which each engine that is off runs; 0 if it is on.
@off = internal global [17 x i32] zeroinitializer
; The engine that was asked to stop and has not yet, -1: none; and its contexts.
@stopping = internal global i32 -1
@stoppingContexts = internal global i32 0
; Quiet calls so far, and before an engine stops.
@quiet = internal global i32 0
@quietNeeded = internal global i32 2

; Words in a scratch ring: from its head to its tail, modulo its size, which
; bits 31:30 of its base register tell.
define internal i32 @level(i32 %ring) {
  %offset = shl i32 %ring, 4
  %base.at = add i32 %offset, ptrtoint (ptr @IXP_XSCALE_RINGS to i32)
  %head.at = add i32 %base.at, 4
  %tail.at = add i32 %base.at, 8
  %base.p = inttoptr i32 %base.at to ptr
  %head.p = inttoptr i32 %head.at to ptr
  %tail.p = inttoptr i32 %tail.at to ptr
  %base = load volatile i32, ptr %base.p, align 4
  %head = load volatile i32, ptr %head.p, align 4
  %tail = load volatile i32, ptr %tail.p, align 4
  %code = lshr i32 %base, 30
  %words = shl i32 128, %code
  %mask = sub i32 %words, 1
  %distance = sub i32 %tail, %head
  %level = and i32 %distance, %mask
  ret i32 %level
}

; The most messages that wait in one of the rings.
define internal i32 @most.messages() {
entry:
  %rx.words = call i32 @level(i32 ptrtoint (ptr @IXP_RX_RING_NUMBER to i32))
  %rx = lshr i32 %rx.words, 1
  br label %ring

ring:
  %number = phi i32 [ ptrtoint (ptr @IXP_CHANNEL_RING_FIRST to i32), %entry ],
                    [ %next, %ring ]
  %most = phi i32 [ %rx, %entry ], [ %more, %ring ]
  %here = call i32 @level(i32 %number)
  %more = call i32 @llvm.umax.i32(i32 %most, i32 %here)
  %next = add i32 %number, 1
  %isLast = icmp eq i32 %number,
                    ptrtoint (ptr @IXP_CHANNEL_RING_LAST to i32)
  br i1 %isLast, label %done, label %ring

done:
  ret i32 %more
}

declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

; Notes whether the engine that was asked has stopped.
define internal void @finish.stop() {
entry:
  %i = load i32, ptr @stopping, align 4
  %isNone = icmp eq i32 %i, -1
  br i1 %isNone, label %done, label %look

look:
  %engine = call ptr @baker_engine_at(i32 %i)
  %contexts = load i32, ptr @stoppingContexts, align 4
  %isStopped = call i1 @baker_engine_has_stopped(ptr %engine, i32 %contexts)
  br i1 %isStopped, label %stopped, label %done

stopped:
  %off.at = getelementptr [17 x i32], ptr @off, i32 0, i32 %i
  store i32 %contexts, ptr %off.at, align 4
  store i32 -1, ptr @stopping, align 4
  br label %done

done:
  ret void
}

; Starts all engines that are off. One that is still stopping is left alone until
; its last context has ended. Returns whether there were any.
define internal i1 @start.all() {
entry:
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %next, %engine.done ]
  %isAny = phi i1 [ false, %entry ], [ %isAnyNow, %engine.done ]
  %engine = call ptr @baker_engine_at(i32 %i)
  %isEnd = icmp eq ptr %engine, null
  br i1 %isEnd, label %done, label %look

look:
  %off.at = getelementptr [17 x i32], ptr @off, i32 0, i32 %i
  %contexts = load i32, ptr %off.at, align 4
  %isOff = icmp ne i32 %contexts, 0
  br i1 %isOff, label %start, label %engine.done

start:
  store i32 0, ptr %off.at, align 4
  call void @baker_engine_start(ptr %engine, i32 %contexts)
  br label %engine.done

engine.done:
  %isAnyNow = or i1 %isAny, %isOff
  %next = add i32 %i, 1
  br label %test

done:
  ret i1 %isAny
}

; The number of an engine's aggregate, and how many of its engines run.
define internal i32 @aggregate.of(ptr %engine) {
  %at = getelementptr %engine, ptr %engine, i32 0, i32 2
  %aggregate = load i32, ptr %at, align 4
  ret i32 %aggregate
}

define internal i32 @running.in(i32 %aggregate) {
entry:
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %next, %look ]
  %count = phi i32 [ 0, %entry ], [ %counted, %look ]
  %engine = call ptr @baker_engine_at(i32 %i)
  %isEnd = icmp eq ptr %engine, null
  br i1 %isEnd, label %done, label %look

look:
  %its = call i32 @aggregate.of(ptr %engine)
  %isHere = icmp eq i32 %its, %aggregate
  %off.at = getelementptr [17 x i32], ptr @off, i32 0, i32 %i
  %contexts = load i32, ptr %off.at, align 4
  %isOn = icmp eq i32 %contexts, 0
  %isCounted = and i1 %isHere, %isOn
  %one = zext i1 %isCounted to i32
  %counted = add i32 %count, %one
  %next = add i32 %i, 1
  br label %test

done:
  ret i32 %count
}

; Asks the last engine of the aggregate with the most engines running to stop, if
; it has more than one and no engine is stopping.
define internal void @stop.one() {
entry:
  %already = load i32, ptr @stopping, align 4
  %isFree = icmp eq i32 %already, -1
  br i1 %isFree, label %test, label %done

test:
  %i = phi i32 [ 0, %entry ], [ %next, %look ]
  %chosen = phi i32 [ -1, %entry ], [ %chosenNow, %look ]
  %most = phi i32 [ 2, %entry ], [ %mostNow, %look ]
  %engine = call ptr @baker_engine_at(i32 %i)
  %isEnd = icmp eq ptr %engine, null
  br i1 %isEnd, label %end, label %look

look:
  %aggregate = call i32 @aggregate.of(ptr %engine)
  %running = call i32 @running.in(i32 %aggregate)
  %off.at = getelementptr [17 x i32], ptr @off, i32 0, i32 %i
  %contexts = load i32, ptr %off.at, align 4
  %isOn = icmp eq i32 %contexts, 0
  %isMost = icmp uge i32 %running, %most
  %isBetter = and i1 %isOn, %isMost
  %chosenNow = select i1 %isBetter, i32 %i, i32 %chosen
  %mostNow = select i1 %isBetter, i32 %running, i32 %most
  %next = add i32 %i, 1
  br label %test

end:
  %isNone = icmp eq i32 %chosen, -1
  br i1 %isNone, label %done, label %stop

stop:
  %last = call ptr @baker_engine_at(i32 %chosen)
  %its.contexts = call i32 @baker_engine_contexts(ptr %last)
  store i32 %chosen, ptr @stopping, align 4
  store i32 %its.contexts, ptr @stoppingContexts, align 4
  call void @baker_engine_stop(ptr %last)
  br label %done

done:
  ret void
}

; A ring with 32 messages fills up, one with at most 8 is nearly empty. At line
; rate 119 frames arrive between two calls, and the ring of Rx holds 256.
define void @baker_save_power() {
entry:
  call void @finish.stop()
  %messages = call i32 @most.messages()
  %isMany = icmp uge i32 %messages, 32
  br i1 %isMany, label %many, label %fewer

many:
  store i32 0, ptr @quiet, align 4
  %isAny = call i1 @start.all()
  br i1 %isAny, label %wait.longer, label %done

wait.longer:
  %needed = load i32, ptr @quietNeeded, align 4
  %doubled = shl i32 %needed, 1
  %longer = call i32 @llvm.umin.i32(i32 %doubled, i32 128)
  store i32 %longer, ptr @quietNeeded, align 4
  br label %done

fewer:
  %isSome = icmp ugt i32 %messages, 8
  br i1 %isSome, label %some, label %few

some:
  store i32 0, ptr @quiet, align 4
  br label %done

few:
  %before = load i32, ptr @quiet, align 4
  %quiet = add i32 %before, 1
  %enough = load i32, ptr @quietNeeded, align 4
  %isLong = icmp uge i32 %quiet, %enough
  %left = select i1 %isLong, i32 0, i32 %quiet
  store i32 %left, ptr @quiet, align 4
  br i1 %isLong, label %stop, label %done

stop:
  call void @stop.one()
  br label %done

done:
  ret void
}
