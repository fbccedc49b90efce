; Exchange of the engines' microcode by the XScale core.
;
; The engines run code with caches. Before a control function changes what is
; cached, it calls baker_leave_caches, which gives one engine after another code
; without caches. While one is exchanged the others go on. The timer
; karakal.return_to_caches exchanges back once no control function has changed
; anything for one of its intervals.

; runtime/engines.ll
%engine = type { i32, i32, i32, [2 x { i32, i32 }] }
declare ptr @baker_engine_at(i32)
declare i32 @baker_engine_contexts(ptr)
declare void @baker_engine_stop(ptr)
declare i1 @baker_engine_has_stopped(ptr, i32)
declare void @baker_engine_load(ptr, i32, i32)
declare void @baker_engine_start(ptr, i32)

; Which code the engines have: 0 with caches, 1 without.
@code = internal global i32 0
; Whether a control function has updated something in this interval.
@isUpdated = internal global i32 0

; Gives one engine the code of this kind, unless it does not run. Returns whether
; it does.
define internal i1 @exchange(ptr %engine, i32 %kind) {
entry:
  %contexts = call i32 @baker_engine_contexts(ptr %engine)
  %isRunning = icmp ne i32 %contexts, 0
  br i1 %isRunning, label %stop, label %done

stop:
  call void @baker_engine_stop(ptr %engine)
  br label %wait

wait:
  %isStopped = call i1 @baker_engine_has_stopped(ptr %engine, i32 %contexts)
  br i1 %isStopped, label %load, label %wait

load:
  %from.at = getelementptr %engine, ptr %engine, i32 0, i32 3, i32 %kind, i32 0
  %from = load i32, ptr %from.at, align 4
  %count.at = getelementptr %engine, ptr %engine, i32 0, i32 3, i32 %kind, i32 1
  %count = load i32, ptr %count.at, align 4
  call void @baker_engine_load(ptr %engine, i32 %from, i32 %count)
  call void @baker_engine_start(ptr %engine, i32 %contexts)
  br label %done

done:
  ret i1 %isRunning
}

; Gives all engines the code of this kind, unless none runs yet.
define internal void @exchange.all(i32 %kind) noinline {
entry:
  br label %test

test:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %isAny = phi i1 [ false, %entry ], [ %isAnyNow, %more ]
  %engine = call ptr @baker_engine_at(i32 %i)
  %isEnd = icmp eq ptr %engine, null
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
