// Passes over the baker dialect.
//
// The description and options of each pass. `baker-opt --help` and
// docs/passes.md are generated from this file.

#ifndef KARAKAL_PASSES_PASSES_TD
#define KARAKAL_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignMemory : Pass<"baker-assign-memory", "::mlir::ModuleOp"> {
  let summary = "assign addresses to globals, words to metadata and numbers to channels";
  let description = [{
    Places each global in scratch, an SRAM channel or DRAM (`baker.placement`, with the
    reason in `baker.placement.reason`) so that a packet waits the least for global
    data: the latency of its accesses plus the queueing delay at loaded units, as
    `passes/memory/Placement.h` defines it. The accesses per packet come from the
    profile; without one, each access in the text of a PPF counts once. What Rx, Tx,
    rings and packets load the units with at line rate follows from the chip
    (`passes/memory/UnitLoads.h`). A global
    that the source marks `@place(scratch)` (`baker.placement.in`) is placed there, and
    one that has an address keeps it. DRAM holds only globals that no engine
    writes, because a store of one word would overwrite the word next to it.

    Numbers the words of user metadata (`baker.word`, from 0) and the channels
    (`baker.id`, from 1; 0 marks messages of Rx and to Tx).

    ```mlir
    baker.global @hops : !baker.array<64 x i32>
    // becomes
    baker.global @hops : !baker.array<64 x i32>
        {baker.placement = #baker.placement<sram1 at 0>}
    ```

    A global that does not fit is an error that states the sizes.
  }];
  let options = [
    Option<"core", "core", "::karakal::ir::Core", "::karakal::ir::Core::Me",
           "host: globals get no places, for x86 has no such memories",
           "coreNames()">,
    Option<"descriptors", "descriptors", "bool", "false",
           "the program reads and writes the descriptors of packets (levels "
           "below phr)">,
    Option<"copyWords", "copy-words", "unsigned", "0",
           "words of local memory for an engine's copies of globals; a global "
           "that they can hold leaves scratch to others">
  ];
}

def PackArrays : Pass<"baker-pack-arrays", "::mlir::ModuleOp"> {
  let summary = "let elements of arrays share words";
  let description = [{
    An array of numbers of at most 16 bits takes a word for each element. This pass
    puts 2, 4, 8, 16 or 32 of them in a word, if no packet stores to the array: a
    store of a part of a word reads the word first, so two contexts that
    store to one word would lose a value. Control functions run one at a time. Short
    arrays are left as they are, for a look-up takes three instructions more.

    ```mlir
    baker.global @port_of : !baker.array<256 x i8>
    %e = baker.element %ref[%i] : !baker.ref<!baker.array<256 x i8>>
    %v = baker.load %e : !baker.ref<i8>
    // becomes
    baker.global @port_of : !baker.array<64 x i32>
        {baker.packed = !baker.array<256 x i8>}
    %e = baker.element %ref[%i / 4] : !baker.ref<!baker.array<64 x i32>>
    %w = baker.load %e : !baker.ref<i32>
    %v = arith.trunci (%w >> 8 * (%i % 4)) : i32 to i8
    ```
  }];
  let options = [
    Option<"elementsMin", "min-elements", "uint64_t", "64",
           "arrays with fewer elements are left as they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
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
    func.func @karakal.globals() attributes {baker.kind = #baker.kind<init>} {
      %ref = baker.global_ref @used : !baker.ref<i32>
      %v = arith.constant 16 : i32
      baker.store %v, %ref : !baker.ref<i32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect"];
}

def Inline : Pass<"baker-inline", "::mlir::ModuleOp"> {
  let summary = "inline a microengine's program into one function";
  let description = [{
    Inlines into `@me_main` the functions that it reaches, callees first, so that
    later passes see each packet from the ring that it comes from to the ring that
    it goes to. A function without packets, with several calls and with more than
    `max-operations` operations is left to LLVM's inliner. Functions without calls
    are removed.

    ```mlir
    func.call @m.second.in_cc(%ph) : (!baker.packet<"ether">) -> ()
    // becomes the body of @m.second.in_cc, its returns branches
    ```

    A call with `baker.message` that nothing follows before the next message
    becomes a message of the context to itself: the packet's path ends, and
    `@me_message` takes it anew; a last call there goes back to its loop. So
    the code of rare PPFs exists once and shares no value with frequent code. Other
    calls with `baker.message` are inlined.

    ```mlir
    func.call @m.rare.in_cc(%ph) {baker.message = 3 : i32} : (!baker.packet<"ether">) -> ()
    cf.br ^loop
    // becomes
    %m = baker.packet_send %ph ring 17 id 3 : !baker.packet<"ether"> -> i32
    cf.br ^message(%m : i32)
    ^message(%n: i32):
    func.call @me_message(%n) : (i32) -> ()
    cf.br ^loop
    ```

    The program stays below `max-size` operations. Beyond that calls remain, and
    `--explain=inline` names them.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", "40",
           "most operations of a function that is inlined at every call">,
    Option<"maxCopied", "max-copied", "unsigned", "16",
           "most operations of a PPF that is inlined at every call in rare code">,
    Option<"maxSize", "max-size", "unsigned", "20000",
           "most operations of the entry">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def LowerChannels : Pass<"baker-lower-channels", "::mlir::ModuleOp"> {
  let summary = "make the program of one core from the PPF graph";
  let description = [{
    Turns `baker.channel_put` into a call of the consumer or into a message on
    a ring, as the channel's `baker.via` and `baker.ring` say, makes the core's
    entry, and removes the functions that it does not reach.

    | core   | entry             | messages come from                         |
    |--------|-------------------|--------------------------------------------|
    | me     | `@me_main`        | its own ring, `from_xscale`, then `rx`     |
    | xscale | `@xscale_handler` | `to_xscale`, one a call                    |
    | host   | each PPF          | the host's queue (any ring but `tx`)       |

    Control and init functions stay in the XScale core's program and in the
    host's. A message becomes a packet by `baker.packet_take` and is made by
    `baker.packet_send`; on the host it is `id << 24 | handle`.

    `llvm.intr.assume` states the properties of messages from Rx (port, head, least
    length), so that LLVM removes checks of them.

    If the microengines have several aggregates, the pass makes the program of one,
    which `aggregate` names. Only one takes the packets of Rx: the one with the
    receiving PPF, or the first one if that PPF is on the XScale core.

    With `context-messages`, if PPFs are rare, each call of a PPF has
    `baker.message`, the number of its channel, and `@me_message` is a loop that
    takes a packet by its message and calls the PPF: `baker-inline` makes jumps of
    calls. Whoever does not know the attribute finds a call.

    Requires: channel ids; for `me` and `xscale`, the decisions of
    `baker-split-cores` and `baker-aggregation`.
  }];
  let options = [
    Option<"core", "core", "::karakal::ir::Core", "::karakal::ir::Core::Me",
           "core whose program is made: me, xscale or host", "coreNames()">,
    Option<"aggregate", "aggregate", "std::string", "\"\"",
           "for me: the aggregate to make; empty: all PPFs of the engines">,
    Option<"contextMessages", "context-messages", "bool", "false",
           "for me: rare PPFs get their packets by messages of the context to "
           "itself">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def Simplify : Pass<"baker-simplify", "::mlir::ModuleOp"> {
  let summary = "canonicalize and keep the profile's counts";
  let description = [{
    Runs all canonicalization patterns, as MLIR's `canonicalize` does: branches of
    inlined bodies fold, and sequences of blocks become one block. A branch that
    replaces another one gets its counts. Where a branch shows which value a select
    has, that value is used: a look-up's result is such a select.
  }];
}

def RemoveCopies : Pass<"baker-remove-copies", "::mlir::ModuleOp"> {
  let summary = "remove copies if one of the two packets is only dropped";
  let description = [{
    This is the part of `baker-phr` that must run before packet accesses are
    combined. If a packet is only dropped after it was copied, the copy becomes the
    packet itself, and the drop is only counted. The same holds for a copy that is
    only dropped.

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
}

def Pac : Pass<"baker-pac", "::mlir::ModuleOp"> {
  let summary = "combine packet accesses";
  let description = [{
    Combines reads and writes of packet fields into the fewest DRAM commands,
    across `packet_decap` and `packet_encap` of constant sizes and across branches.
    Reads become a wide read that serves all of them. Writes become one write where
    the packet leaves, or at the end of the only path that writes. Reads of written
    fields use the values. Bytes between two writes are written back if they were
    read, so that whole quadwords are written. Loads of words of one object of
    global data become one burst, and so do stores of adjacent words.

    ```mlir
    %a = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    %b = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
    // becomes
    %w:4 = baker.packet_load %ph at 0 : !baker.packet<"ether"> -> i32, i32, i32, i32
    // and shifts and masks of %w
    ```

    `--explain=pac` names the accesses that one command serves, and the reason why
    two accesses are not combined.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", "2250",
           "most operations of a function with copied paths">,
    Option<"rareCopies", "rare-copies", "unsigned", "0",
           "most operations of the copies in the code of rare PPFs">,
    Option<"metadata", "metadata", "bool", "true",
           "also combine accesses of descriptors">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ChannelHeads : Pass<"baker-channel-heads", "::mlir::ModuleOp"> {
  let summary = "find the heads of packets on channels";
  let description = [{
    This is the part of `baker-soar` that needs the whole program. It sets
    `baker.head` on each channel to what is known of the heads of all its packets.
    `baker-lower-channels` copies it to the packets that it takes from rings.

    ```mlir
    baker.channel @a.out_cc : "ipv4" from "a" to @b.in_cc
    // becomes
    baker.channel @a.out_cc : "ipv4" from "a" to @b.in_cc
        {baker.head = #baker.head<offset 142>}
    ```
  }];
}

def Soar : Pass<"baker-soar", "::mlir::ModuleOp"> {
  let summary = "resolve static offsets and alignments";
  let description = [{
    Sets `baker.head` on each operation that uses a packet: the byte offset of the
    head in the packet's buffer, or its remainder modulo 8, 4 or 2. A forward
    analysis on the lattices of Figures 10 and 11 of the paper propagates heads
    through decap and encap by constants and by multiples of known numbers, copies,
    meets, calls and channels.

    ```mlir
    %ih = baker.packet_decap %ph, %c14 {baker.head = #baker.head<offset 128>}
    %t = baker.packet_read %ih "ttl" {baker.head = #baker.head<offset 142>}
    ```

    Every packet comes from Rx or is a copy, so the backward pass of the paper is
    not needed.
  }];
}

def Phr : Pass<"baker-phr", "::mlir::ModuleOp"> {
  let summary = "remove packet handling";
  let description = [{
    In `@me_main` and `@me_message` the contents of packet descriptors become
    values: head, length, ports and metadata. Decap and encap become arithmetic,
    which mostly folds to constants. Reads of metadata become the values written.
    A message to Tx carries port, head and length. The descriptor is read once for
    a packet from a ring other than Rx's. Its changed words are written for a
    packet to a ring other than Tx's. A message of the context to itself brings all
    words in use as values, from the send to the call of `@me_message` and around
    its loop.

    ```mlir
    %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    %n = baker.packet_length %ih : !baker.packet<"ipv4">
    // becomes
    %h = arith.addi %head, %c14 : i32
    %n = arith.subi %length, %c14 : i32
    %ih = baker.packet_view %ph head %h : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    ```

    The pass does nothing if a call takes a packet or two values of one packet are
    live at a time; `--explain=phr` names the operation.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ToLlvm : Pass<"baker-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower one core's program to the LLVM dialect";
  let description = [{
    Operations on packets become calls of the packet primitives
    (`runtime/packet.ll`, on the host `host/Primitives.h`); handles are i32.
    Global data is words at fixed addresses in the address space of its memory; on
    the host each global is an LLVM global of words. Control and init functions get
    wrappers:

        i32  @"control.NAME"(ptr arguments)   64 bits each, extended
        void @"init.NAME"()

    Requires: no `baker.channel_put` (see `baker-lower-channels`); for `me`
    and `xscale`, addresses of globals and words of metadata.
  }];
  let options = [
    Option<"core", "core", "::karakal::ir::Core", "::karakal::ir::Core::Me",
           "core whose code is made: me, xscale or host", "coreNames()">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LineScopes : Pass<"baker-line-scopes", "::mlir::ModuleOp"> {
  let summary = "name the file of each source line";
  let description = [{
    LLVM takes the file of a source line from the scope of the line's location. The scope
    is the function, whose file is that of its first line. This pass gives each location
    of another file, such as one that the program imports, a scope of its own inside the
    function's.

    Requires: LLVM's functions have scopes (`ensure-debug-info-scope-on-llvm-func`).
  }];
  let statistics = [
    Statistic<"lines", "lines", "number of locations in another file">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // KARAKAL_PASSES_PASSES_TD
