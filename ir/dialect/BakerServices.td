// What the chip does for programs.
//
// Locks, atomic counters, the hash unit, time and chance. Operations that say
// nothing of their effects may read and write everything.

#ifndef KARAKAL_IR_BAKERSERVICES_TD
#define KARAKAL_IR_BAKERSERVICES_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Baker_ServiceOp<string mnemonic, list<Trait> traits = []>
    : Op<BakerDialect, mnemonic, traits>;

def Baker_LockOp : Baker_ServiceOp<"lock"> {
  let summary = "wait until a lock is free, and take it";
  let description = [{
    The global, a word of scratch, SRAM or one engine's local memory, is 1 while
    the lock is held. Other contexts, engines and the XScale core wait. Sections
    do not nest.

    ```mlir
    baker.lock %ref : !baker.ref<i32>
    ```
  }];
  let arguments = (ins Baker_ScalarRef:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Baker_UnlockOp : Baker_ServiceOp<"unlock"> {
  let summary = "give a lock back";
  let description = [{
    All that was written before is in memory when the lock is free.
  }];
  let arguments = (ins Baker_ScalarRef:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Baker_AtomicAddOp : Baker_ServiceOp<"atomic_add"> {
  let summary = "add to a word of global data in one step";
  let description = [{
    The global is in scratch or SRAM, whose controllers add.

    ```mlir
    baker.atomic_add %one, %ref : !baker.ref<i32>
    ```
  }];
  let arguments = (ins I32:$value, Baker_ScalarRef:$ref);
  let assemblyFormat = "$value `,` $ref attr-dict `:` qualified(type($ref))";
}

def Baker_HashOp
    : Baker_ServiceOp<"hash", [Pure, SameOperandsAndResultType]> {
  let summary = "the hash of a key of 48, 64 or 128 bits";
  let description = [{
    What the hash unit gives (target-ixp/table/HashFunction.h).

    Example: `%h = baker.hash %key : i48`
  }];
  let arguments = (ins AnySignlessInteger:$key);
  let results = (outs AnySignlessInteger:$hash);
  let assemblyFormat = "$key attr-dict `:` type($key)";
}

def Baker_TimestampOp : Baker_ServiceOp<"timestamp"> {
  let summary = "the time, in units of 16 cycles of an engine";
  let results = (outs I32:$time);
  let assemblyFormat = "attr-dict";
}

def Baker_RandomOp : Baker_ServiceOp<"random"> {
  let summary = "the next pseudo-random number";
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict";
}

def Baker_DropCountOp
    : Baker_ServiceOp<"drop_count",
                      [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "how many packets were dropped for a reason";
  let description = [{
    The reason is a `baker.drop_reason` or built in, as that of
    `baker.packet_drop`, which counts on all cores alike. Control functions
    ask.

    ```mlir
    %n = baker.drop_count @bad_checksum
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$reason);
  let results = (outs I32:$count);
  let assemblyFormat = "$reason attr-dict";
}

def Baker_TraceOp : Baker_ServiceOp<"trace"> {
  let summary = "print a line, on x86";
  let description = [{
    Each `{}` of the text stands for the next value.

    Example: `baker.trace "port {}" (%p : i8)`
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnySignlessInteger>:$values);
  let assemblyFormat = "$text (`(` $values^ `:` type($values) `)`)? attr-dict";
}

/// What holds of a loop, for who bounds the time: no operation reads it.
def Baker_LoopBounds : Resource<"::karakal::ir::LoopBoundsResource">;

def Baker_LoopEntryOp
    : Baker_ServiceOp<"loop_entry", [MemoryEffects<[MemWrite<Baker_LoopBounds>]>]> {
  let summary = "control comes to a loop with a stated bound";
  let description = [{
    The number is the loop's own; copies of the loop share it.

    Example: `baker.loop_entry 3`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Baker_LoopRoundOp
    : Baker_ServiceOp<"loop_round", [MemoryEffects<[MemWrite<Baker_LoopBounds>]>]> {
  let summary = "a round of a loop with a stated bound";
  let description = [{
    Passed `bound` times at most for each time that the loop's `loop_entry` is
    passed (`@bound(N)` in Baker).

    Example: `baker.loop_round 3, 8`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$loop,
                   ConfinedAttr<I32Attr, [IntPositive]>:$bound);
  let assemblyFormat = "$loop `,` $bound attr-dict";
}

#endif // KARAKAL_IR_BAKERSERVICES_TD
