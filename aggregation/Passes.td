// Passes that form aggregates.

#ifndef KARAKAL_AGGREGATION_PASSES_TD
#define KARAKAL_AGGREGATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitCores : Pass<"baker-split-cores", "::mlir::ModuleOp"> {
  let summary = "map PPFs to the microengines or to the XScale core";
  let description = [{
    A PPF marked `baker.cold` runs on the XScale core. A PPF is rare if it receives
    less than `cold-share` of the received packets in the profile; without a
    profile none is. Rare PPFs run on the XScale core, too, except for the first
    `rare-on-engines` in the order of the profile, which become `baker.rare`. All
    others form one aggregate, which runs on every programmable microengine.
    `baker.core.reason` gives the reason for each decision.

    A channel inside the program of one core becomes a call. A channel between
    the cores becomes the ring `to_xscale` or `from_xscale`. A channel on a cycle
    of the PPF graph becomes a ring of its core, because a call would be
    recursive; on the engines it is marked `baker.cycle`: a put does not wait for
    ever. A channel towards the XScale core gets limits (`baker.punt`), so that it
    never makes an engine wait.

    ```mlir
    func.func @l3.arp.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>, baker.cold}
    // becomes
    func.func @l3.arp.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>, baker.cold, baker.core = #baker.core<xscale>,
                    baker.core.reason = "marked cold"}
    ```
  }];
  let options = [
    Option<"coldShare", "cold-share", "double", "0.001",
           "share of received packets below which a PPF is rare">,
    Option<"rareOnEngines", "rare-on-engines", "unsigned", "0",
           "rare PPFs that stay on the engines: most packets first, then fewest "
           "words">,
    ListOption<"xscale", "xscale", "std::string",
           "PPFs (module.ppf) that always run on the XScale core">,
    ListOption<"puntRates", "punt-rate", "std::string",
           "packets a second that channels towards the XScale core pass: "
           "PACKETS for each (default: 100000), CHANNEL=PACKETS for one; none: "
           "engines wait for the core">
  ];
}

def SplitPpfs : Pass<"baker-split-ppfs", "::mlir::ModuleOp"> {
  let summary = "cut PPFs that are larger than a control store";
  let description = [{
    A PPF with more words of code than `words-max`, by the estimate times
    `words-scale`, becomes several PPFs with channels between them. A cut is made
    where it costs least: the share of packets that cross it, times the cost of
    the message and of the words of the descriptor that carry values to the second
    part. No cut lies inside a loop or a critical section, or where two packets
    are live. If a PPF cannot be cut, the pass explains why.

    ```mlir
    func.func @m.f.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>} // 6,000 words
    // becomes
    baker.channel @m.f.rest2 : "ether" from "m.f" to @"m.f-2.in_cc"
    func.func @m.f.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>} // 3,000 words
    func.func @"m.f-2.in_cc"(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>} // 3,000 words
    ```

    Runs before `baker-assign-memory`, which gives the new metadata and channels
    their numbers.
  }];
  let options = [
    Option<"wordsMax", "words-max", "unsigned", "0",
           "words of one control store; 0: the chip's">,
    Option<"wordsScale", "words-scale", "double", "1.0",
           "words of generated code for one word of the estimate">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def Aggregation : Pass<"baker-aggregation", "::mlir::ModuleOp"> {
  let summary = "form aggregates of PPFs and give them engines";
  let description = [{
    Section 5.1 and Figure 7 of the paper. The pass merges PPFs of the
    microengines by the traffic of the channels between them, and duplicates slow
    aggregates on several engines. It follows the throughput model
    (`aggregation/model/ThroughputModel.h`) and the size of a control store. Each
    aggregate becomes one program. A channel inside an aggregate becomes a call,
    and a channel between aggregates a ring of the receiver.

    `mapping` names a file that fixes a part of the mapping
    (`aggregation/formation/MappingFile.h`). `words-scale` scales the estimated
    sizes to those of generated code.

    ```mlir
    func.func @l3.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>}
    // becomes (the module also gets the list of aggregates)
    func.func @l3.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>,
                    baker.aggregate = "main"}
    ```

    Requires: `baker-split-cores`.
  }];
  let options = [
    Option<"engines", "engines", "unsigned", "0",
           "microengines for the program; 0: all of the chip">,
    Option<"wordsMax", "words-max", "unsigned", "0",
           "words of one control store; 0: the chip's">,
    Option<"wordsScale", "words-scale", "double", "1.0",
           "words of generated code for one word of the estimate">,
    Option<"mapping", "mapping", "std::string", "\"\"",
           "file with the part of the mapping that is fixed">
  ];
}

def PlaceLocks : Pass<"baker-place-locks", "::mlir::ModuleOp"> {
  let summary = "put each lock in the memory where taking it costs least";
  let description = [{
    If all code that takes a lock runs on one engine, the lock is a word of that
    engine's local memory, which needs no memory command. If several engines take
    it, it lies in scratch or SRAM, by the loads that the throughput model
    predicts for them. If the XScale core takes it, it lies in scratch.

    ```mlir
    baker.global @m.guard : i32 {baker.placement = #baker.placement<scratch at 12288>}
    // becomes, if only one engine takes it,
    baker.global @m.guard : i32 {baker.placement = #baker.placement<local at 0>}
    ```

    Requires: `baker-aggregation`.
  }];
}

def PlaceLocals : Pass<"baker-place-locals", "::mlir::ModuleOp"> {
  let summary = "put local arrays in local memory, scratch or SRAM";
  let description = [{
    The front end keeps a local array that is indexed by a variable as a global
    with `baker.local`, if registers do not pay. Each context has a copy. This
    pass gives it local memory as long as caches and locks leave some, most used
    arrays first; arrays that are never in use together share words. If it saves
    more than it costs, the stacks of registers that do not fit get less. What is
    left lies in scratch or SRAM, whichever answers sooner at its predicted load.

    ```mlir
    baker.global @m.p.a : !baker.array<64 x i32> {baker.local}
    // becomes
    baker.global @m.p.a : !baker.array<64 x i32>
        {baker.local, baker.placement = #baker.placement<local at 0>,
         baker.stride = 64 : i32}
    ```

    Requires: `baker-aggregation`, `baker-place-locks`.
  }];
}

#endif // KARAKAL_AGGREGATION_PASSES_TD
