// Services of the chip.
//
// Locks, atomic counters, the hash unit, time and random numbers. An operation
// without declared effects may read and write everything.

#ifndef KARAKAL_IR_BAKERSERVICES_TD
#define KARAKAL_IR_BAKERSERVICES_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Baker_ServiceOp<string mnemonic, list<Trait> traits = []>
    : Op<BakerDialect, mnemonic, traits>;

def Baker_LockOp : Baker_ServiceOp<"lock"> {
  let summary = "wait until a lock is free, and take it";
  let description = [{
    The global is a word in scratch, SRAM or one engine's local memory. It is 1
    while the lock is held. Other contexts, other engines and the XScale core
    wait. Critical sections do not nest.

    ```mlir
    baker.lock %ref : !baker.ref<i32>
    ```
  }];
  let arguments = (ins Baker_ScalarRef:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Baker_UnlockOp : Baker_ServiceOp<"unlock"> {
  let summary = "release a lock";
  let description = [{
    All earlier writes are in memory before the lock is free.
  }];
  let arguments = (ins Baker_ScalarRef:$ref);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Baker_AtomicOp : Baker_ServiceOp<"atomic"> {
  let summary = "change a word of global data in one step";
  let description = [{
    Adds the value (`addi`), or sets bits (`ori`), keeps bits (`andi`) or stores
    it (`assign`), and returns the old word. The global is in scratch or SRAM;
    the memory controller does the operation, so the word never comes from a
    cache.

    ```mlir
    %old = baker.atomic addi %one, %ref : !baker.ref<i32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, I32:$value,
                   Baker_ScalarRef:$ref);
  let results = (outs I32:$old);
  let assemblyFormat = [{
    $kind $value `,` $ref attr-dict `:` qualified(type($ref))
  }];
  let hasVerifier = 1;
}

def Baker_HashOp
    : Baker_ServiceOp<"hash", [Pure, SameOperandsAndResultType]> {
  let summary = "hash a key of 48, 64 or 128 bits";
  let description = [{
    Computes the function of the hash unit (target-ixp/table/HashFunction.h).

    Example: `%h = baker.hash %key : i48`
  }];
  let arguments = (ins AnySignlessInteger:$key);
  let results = (outs AnySignlessInteger:$hash);
  let assemblyFormat = "$key attr-dict `:` type($key)";
}

def Baker_TimestampOp : Baker_ServiceOp<"timestamp"> {
  let summary = "read the time, in steps of 16 engine cycles";
  let results = (outs I32:$time);
  let assemblyFormat = "attr-dict";
}

def Baker_RandomOp : Baker_ServiceOp<"random"> {
  let summary = "read the next pseudo-random number";
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict";
}

def Baker_DropCountOp
    : Baker_ServiceOp<"drop_count",
                      [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "read the number of packets dropped for a reason";
  let description = [{
    The reason is a `baker.drop_reason` or built in, as in `baker.packet_drop`.
    The count includes the drops of all cores. Only control functions use this
    operation.

    ```mlir
    %n = baker.drop_count @bad_checksum
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$reason);
  let results = (outs I32:$count);
  let assemblyFormat = "$reason attr-dict";
}

def Baker_TraceOp : Baker_ServiceOp<"trace"> {
  let summary = "print a line when the program runs on x86";
  let description = [{
    The next value replaces each `{}` of the text.

    Example: `baker.trace "port {}" (%p : i8)`
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnySignlessInteger>:$values);
  let assemblyFormat = "$text (`(` $values^ `:` type($values) `)`)? attr-dict";
}

/// The bounds of loops, for the estimate of execution time. No operation reads
/// this resource; it keeps the markers in place.
def Baker_LoopBounds : Resource<"::karakal::ir::LoopBoundsResource">;

def Baker_LoopEntryOp
    : Baker_ServiceOp<"loop_entry", [MemoryEffects<[MemWrite<Baker_LoopBounds>]>]> {
  let summary = "mark the entry of a loop with a stated bound";
  let description = [{
    `loop` identifies the loop; copies of the loop share it.

    Example: `baker.loop_entry 3`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Baker_LoopIterationOp
    : Baker_ServiceOp<"loop_iteration", [MemoryEffects<[MemWrite<Baker_LoopBounds>]>]> {
  let summary = "mark an iteration of a loop with a stated bound";
  let description = [{
    Executes at most `bound` times after each execution of the loop's
    `loop_entry` (`@bound(N)` in Baker).

    Example: `baker.loop_iteration 3, 8`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$loop,
                   ConfinedAttr<I32Attr, [IntPositive]>:$bound);
  let assemblyFormat = "$loop `,` $bound attr-dict";
}

/// The values of local variables, for whoever looks at a program that runs. No
/// operation reads this resource; it keeps the markers in place.
def Baker_Variables : Resource<"::karakal::ir::VariablesResource">;

def Baker_VariableOp
    : Baker_ServiceOp<"variable", [MemoryEffects<[MemWrite<Baker_Variables>]>]> {
  let summary = "say which value a local variable has from here on";
  let description = [{
    `name` is the variable, or a scalar of it such as `a[2]` or `s.x`, with its
    type in Baker and the line of its declaration. Made by `bakerc -g` alone.

    Example: `baker.variable "hop" "u16" 12 = %v : i16`
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$type, I32Attr:$line,
                   AnySignlessInteger:$value);
  let assemblyFormat = [{
    $name $type $line `=` $value attr-dict `:` type($value)
  }];
}

#endif // KARAKAL_IR_BAKERSERVICES_TD
