// Passes over the baker dialect.
//
// What each pass is for, its options and its statistics. `baker-opt --help`
// and the pass page of the documents are made from this file.

#ifndef KARAKAL_PASSES_PASSES_TD
#define KARAKAL_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignMemory : Pass<"baker-assign-memory", "::mlir::ModuleOp"> {
  let summary = "give globals, metadata and channels their places";
  let description = [{
    Places each global in scratch, an SRAM channel or DRAM (`baker.place`, its
    reason in `baker.place.reason`) so that a packet waits least for global
    data: latency of its accesses, plus queueing at units that others load,
    as `passes/memory/Placement.h` states it. Accesses a packet come from the profile;
    without one, each access in the text of a PPF counts once. A global that
    the source marks `@place(scratch)` (`baker.place.in`) goes there; one that
    has a place keeps it. DRAM takes only what no engine writes, since a store
    of one word would rewrite its neighbour.

    Numbers the words of user metadata (`baker.word`, from 0) and the channels
    (`baker.id`, from 1; 0 marks messages of Rx and to Tx).

    ```mlir
    baker.global @hops : !baker.array<64 x i32>
    // becomes
    baker.global @hops : !baker.array<64 x i32>
        {baker.place = {memory = "sram1", address = 0 : i32}}
    ```

    What does not fit is an error that tells the sizes.
  }];
  let options = [
    Option<"maxScratch", "max-scratch", "double", "0.3",
           "scratch commands a packet that global data may cause: the rings "
           "and their polling have the rest (the most in the paper's Table 1)">,
    Option<"sramBytes", "sram-bytes", "uint64_t", "4194304",
           "size of an SRAM channel">
  ];
  let statistics = [
    Statistic<"globalCount", "globals", "Globals placed">,
    Statistic<"byteCount", "bytes", "Bytes that globals take">,
    Statistic<"nodeCount", "nodes", "Nodes of the search for places">,
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

def Inline : Pass<"baker-inline", "::mlir::ModuleOp"> {
  let summary = "one function out of a microengine's program";
  let description = [{
    Inlines into `@me_main` what it reaches, callees first, so that the passes
    behind it see each packet from the ring it comes from to the ring it goes
    to. A function that touches no packet and is called from several places is
    left to LLVM's inliner if it is larger than `max-operations`: nothing is
    hidden behind it. What is no longer called goes.

    ```mlir
    func.call @m.second.in_cc(%ph) : (!baker.packet<"ether">) -> ()
    // becomes the body of @m.second.in_cc, its returns branches
    ```

    The whole program stays below `max-size` operations; beyond, calls remain,
    the explanation says which.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", "40",
           "operations of a function that is inlined wherever it is called">,
    Option<"maxSize", "max-size", "unsigned", "20000",
           "operations of the entry at which inlining ends">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect"];
  let statistics = [
    Statistic<"inlinedCount", "inlined", "Calls inlined">,
    Statistic<"keptCount", "kept", "Calls that stay">
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
    host's. A message becomes a packet by `baker.packet_take` and is made by
    `baker.packet_send`; on the host it is `id << 24 | handle`.

    What Rx promises of its messages (port, head, least length) is said by
    `llvm.intr.assume`, so that no check of it stays in the code.

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
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"callCount", "calls", "Channel puts that became calls">,
    Statistic<"ringPutCount", "ring-puts", "Channel puts that became messages">
  ];
}

def Simplify : Pass<"baker-simplify", "::mlir::ModuleOp"> {
  let summary = "canonical form, with the profile's counts kept";
  let description = [{
    All canonicalization patterns, as MLIR's `canonicalize` runs them: branches
    of inlined bodies fold, and blocks of one way become one. A branch that a
    pattern makes anew keeps the counts of the one that it replaces.
  }];
}

def RemoveCopies : Pass<"baker-remove-copies", "::mlir::ModuleOp"> {
  let summary = "no copy where nothing but a drop awaits the packet or the copy";
  let description = [{
    The part of `baker-phr` that must run before packet accesses are combined.
    Where nothing is done with a packet after it was copied but to drop it, the
    copy is the packet itself, and the drop is counted alone; the same for a
    copy that is only dropped.

    ```mlir
    %copy = baker.packet_copy %ph : !baker.packet<"ether">
    baker.packet_drop %ph reason @old : !baker.packet<"ether">
    baker.packet_send %copy ring 1 id 0 : !baker.packet<"ether">
    // becomes
    call @baker_count_drop(%number) : (i32) -> ()
    baker.packet_send %ph ring 1 id 0 : !baker.packet<"ether">
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"moveCount", "moves", "Copies that became moves">
  ];
}

def Pac : Pass<"baker-pac", "::mlir::ModuleOp"> {
  let summary = "packet access combining";
  let description = [{
    Combines reads and writes of fields of packets into the fewest commands of
    DRAM, across `packet_decap` and `packet_encap` of constant sizes and across
    branches: reads into a wide one where it serves them all, writes into one
    where the packet leaves, or where the only way that writes ends. What was
    written is read from values. Bytes between two writes that a read has
    brought are written back, so that whole quadwords are written. Loads of
    words of one object of global data become one burst, and so do stores of
    neighbouring words.

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
    Statistic<"unrollCount", "unrolled", "Loops over header arrays">,
    Statistic<"guessCount", "guesses",
              "Reads with a way of their own for a likely index">,
    Statistic<"pathCount", "paths", "Paths copied for a known head">,
    Statistic<"readCount", "reads", "Reads of fields that were combined">,
    Statistic<"writeCount", "writes", "Writes of fields that were combined">,
    Statistic<"loadCount", "loads", "Commands that read packets">,
    Statistic<"storeCount", "stores", "Commands that write packets">,
    Statistic<"globalLoadCount", "global-loads",
              "Loads of global data that were combined">,
    Statistic<"globalStoreCount", "global-stores",
              "Stores of global data that were combined">,
    Statistic<"burstCount", "bursts", "Commands that they became">
  ];
}

def ChannelHeads : Pass<"baker-channel-heads", "::mlir::ModuleOp"> {
  let summary = "where the heads of packets on channels are";
  let description = [{
    The part of `baker-soar` that needs the whole program: for each channel,
    what is known of the heads of all packets that its consumer gets, as
    `baker.head` on the channel. `baker-lower-channels` hands it on to the
    packets that it takes from rings.

    ```mlir
    baker.channel @a.out_cc : "ipv4" from "a" to @b.in_cc
    // becomes
    baker.channel @a.out_cc : "ipv4" from "a" to @b.in_cc
        {baker.head = #baker.head<offset 142>}
    ```
  }];
  let statistics = [
    Statistic<"channelCount", "channels", "Channels with a known head">
  ];
}

def Soar : Pass<"baker-soar", "::mlir::ModuleOp"> {
  let summary = "static offset and alignment resolution";
  let description = [{
    Sets `baker.head` on each operation that uses a packet: the byte offset of
    the head in the packet's buffer, or its remainder modulo 8, 4 or 2. A
    forward analysis on the lattices of Figures 10 and 11 of the paper, through
    decap and encap by constants and by multiples of known numbers, copies,
    joins, calls, and channels.

    ```mlir
    %ih = baker.packet_decap %ph, %c14 {baker.head = #baker.head<offset 128>}
    %t = baker.packet_read %ih "ttl" {baker.head = #baker.head<offset 142>}
    ```

    Every packet comes from Rx or is a copy, so the backward pass of the paper
    has nothing to find.
  }];
  let statistics = [
    Statistic<"offsetCount", "offsets", "Accesses at a constant offset">,
    Statistic<"alignmentCount", "alignments",
              "Accesses of which the alignment alone is known">,
    Statistic<"unknownCount", "unknown", "Accesses of which nothing is known">
  ];
}

def Phr : Pass<"baker-phr", "::mlir::ModuleOp"> {
  let summary = "packet handling removal";
  let description = [{
    In `@me_main`, what the descriptor says of a packet becomes values: head,
    length, ports and metadata. Decap and encap become arithmetic, which mostly
    folds to constants; reads of metadata become what was written; a message to
    Tx carries port, head and length. The descriptor is read where a packet
    comes from a ring other than Rx's, once, and written where it goes to a
    ring other than Tx's, only the words that changed.

    ```mlir
    %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    %n = baker.packet_length %ih : !baker.packet<"ipv4">
    // becomes
    %h = arith.addi %head, %c14 : i32
    %n = arith.subi %length, %c14 : i32
    %ih = baker.packet_view %ph head %h : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    ```

    Does nothing where a call takes a packet or one packet has two names at a
    time; the explanation says where.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"decapCount", "decaps", "Decaps that became arithmetic">,
    Statistic<"encapCount", "encaps", "Encaps that became arithmetic">,
    Statistic<"lengthCount", "lengths", "Lengths that became values">,
    Statistic<"tailCount", "tails", "Tails that became arithmetic">,
    Statistic<"copyCount", "copies", "Copies that copy bytes alone">,
    Statistic<"createCount", "created", "Packets made without a descriptor">,
    Statistic<"metadataReadCount", "metadata-reads",
              "Reads of metadata that became values">,
    Statistic<"metadataWriteCount", "metadata-writes",
              "Writes of metadata that became values">,
    Statistic<"descriptorReadCount", "descriptor-reads",
              "Packets whose descriptor is read">,
    Statistic<"descriptorWriteCount", "descriptor-writes",
              "Commands that write descriptors">
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
              "Loads and stores of global data">,
    Statistic<"resolvedCount", "resolved",
              "Accesses of packets with constant shifts">
  ];
}

#endif // KARAKAL_PASSES_PASSES_TD
