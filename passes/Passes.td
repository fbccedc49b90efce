//===- Passes.td - passes over the baker dialect -----------*- tablegen -*-===//
//
// What each pass is for, its options and its statistics. `baker-opt --help`
// and the pass page of the documents are made from this file.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_PASSES_PASSES_TD
#define KARAKAL_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignMemory : Pass<"baker-assign-memory", "::mlir::ModuleOp"> {
  let summary = "give globals, metadata and channels their places";
  let description = [{
    Places each global in an SRAM channel (`baker.place`): the largest first,
    each in the channel with the most room left, so that tables spread over
    both channels. Numbers the words of user metadata (`baker.word`, from 0)
    and the channels (`baker.id`, from 1; 0 marks messages of Rx and to Tx).
    A global that has a place keeps it.

    ```mlir
    baker.global @hops : !baker.array<64 x i32>
    // becomes
    baker.global @hops : !baker.array<64 x i32>
        {baker.place = {memory = "sram1", address = 0 : i32}}
    ```

    What does not fit is an error that tells the sizes.
  }];
  let statistics = [
    Statistic<"globalCount", "globals", "Globals placed">,
    Statistic<"byteCount", "bytes", "Bytes of SRAM that globals take">,
    Statistic<"metadataWordCount", "metadata-words",
              "Words of user metadata per packet">
  ];
}

def InitGlobals : Pass<"baker-init-globals", "::mlir::ModuleOp"> {
  let summary = "store the initial values of globals at start";
  let description = [{
    The chip's memory is zero at start. For globals with other initial values
    this pass adds the init function `@karakal.globals`, which stores them;
    the image lists it before the program's own init functions.

    ```mlir
    baker.global @used : i32 init [16]
    // adds
    func.func @karakal.globals() attributes {baker.kind = "init"} {
      %ref = baker.global_ref @used : !baker.ref<i32>
      %v = arith.constant 16 : i32
      baker.store %v, %ref : !baker.ref<i32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"storeCount", "stores", "Scalars stored at start">
  ];
}

def LowerChannels : Pass<"baker-lower-channels", "::mlir::ModuleOp"> {
  let summary = "make one core's program out of the PPF graph";
  let description = [{
    Turns `baker.channel_put` into a call of the consumer or into a message on
    a ring, as the channel's `baker.via` and `baker.ring` say, makes the core's
    entry, and removes the functions that it does not reach.

    | core   | entry             | messages come from                         |
    |--------|-------------------|--------------------------------------------|
    | me     | `@me_main`        | its own ring, `from_xscale`, then `rx`     |
    | xscale | `@xscale_handler` | `to_xscale`, until it is empty             |
    | host   | each PPF          | the host's queue (any ring but `tx`)       |

    Control and init functions stay in the XScale core's program and in the
    host's. A message is `id << 24 | handle`; messages of `rx` and to `tx` are
    bare handles.

    Several aggregates of the microengines are made one at a time: `aggregate`
    names the one whose PPFs are the core's. Only one takes what Rx receives:
    the one that holds the PPF, or the first if that is on the XScale core.

    Requires: channel ids; for `me` and `xscale`, the decisions of
    `baker-split-cores` and `baker-aggregation`.
  }];
  let options = [
    Option<"core", "core", "std::string", "\"me\"",
           "whose program to make: me, xscale or host">,
    Option<"aggregate", "aggregate", "std::string", "\"\"",
           "for me: the aggregate to make; empty: all PPFs of the engines">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"callCount", "calls", "Channel puts that became calls">,
    Statistic<"ringPutCount", "ring-puts", "Channel puts that became messages">
  ];
}

def Pac : Pass<"baker-pac", "::mlir::ModuleOp"> {
  let summary = "packet access combining";
  let description = [{
    Combines reads and writes of fields of packets into the fewest commands of
    DRAM, across `packet_decap` and `packet_encap` of constant sizes and across
    branches: reads into a wide one where it serves them all, writes into one
    where the packet leaves. What was written is read from values. Bytes
    between two writes that a read has brought are written back, so that whole
    quadwords are written. Loads of words of one object of global data become
    one burst.

    ```mlir
    %a = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    %b = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
    // becomes
    %w:4 = baker.packet_load %ph at 0 : !baker.packet<"ether"> -> i32, i32, i32, i32
    // and shifts and masks of %w
    ```

    `--explain=pac` tells which accesses are served by one command, which two
    are not, and why.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", "2200",
           "operations up to which paths with a known head are copied">,
    Option<"metadata", "metadata", "bool", "true",
           "combine accesses of descriptors, too">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"guessCount", "guesses",
              "Reads with a way of their own for a likely index">,
    Statistic<"pathCount", "paths", "Paths copied for a known head">,
    Statistic<"readCount", "reads", "Reads of fields that were combined">,
    Statistic<"writeCount", "writes", "Writes of fields that were combined">,
    Statistic<"loadCount", "loads", "Commands that read packets">,
    Statistic<"storeCount", "stores", "Commands that write packets">,
    Statistic<"globalLoadCount", "global-loads",
              "Loads of global data that were combined">,
    Statistic<"burstCount", "bursts", "Commands that they became">
  ];
}

def ToLlvm : Pass<"baker-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower one core's program to the LLVM dialect";
  let description = [{
    Operations on packets become calls of the packet primitives
    (`runtime/packet.ll`, on the host `host/Primitives.h`); handles are i32.
    Global data is words at fixed addresses in address space 1 (SRAM) or 3
    (scratch); on the host each global is an LLVM global of words. Control and
    init functions get wrappers:

        i32  @"control.NAME"(ptr arguments)   64 bits each, extended
        void @"init.NAME"()

    Requires: no `baker.channel_put` (see `baker-lower-channels`); for `me`
    and `xscale`, places of globals and words of metadata.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"me\"",
           "whose code to make: me, xscale or host">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"primitiveCount", "primitives", "Calls of packet primitives">,
    Statistic<"globalAccessCount", "global-accesses",
              "Loads and stores of global data">
  ];
}

#endif // KARAKAL_PASSES_PASSES_TD
