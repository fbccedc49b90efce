// Passes that form aggregates.

#ifndef KARAKAL_AGGREGATION_PASSES_TD
#define KARAKAL_AGGREGATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitCores : Pass<"baker-split-cores", "::mlir::ModuleOp"> {
  let summary = "map PPFs to the microengines or to the XScale core";
  let description = [{
    A PPF that is marked `baker.cold`, or that the profile saw in less than
    `cold-share` of the received packets, runs on the XScale core; all others
    form one aggregate, replicated on every programmable microengine. Without a
    profile only marked PPFs are cold. The reason stands beside the decision
    (`baker.core.reason`).

    Channels follow: inside a core's program a channel is a call; between the
    cores it is the ring `to_xscale` or `from_xscale`; on a cycle of the PPF
    graph it is a ring of the core's own, since a call would be recursion.

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
           "share of received packets below which a PPF is cold">,
    ListOption<"xscale", "xscale", "std::string",
           "PPFs (module.ppf) that run on the XScale core in any case">
  ];
  let statistics = [
    Statistic<"meCount", "me-ppfs", "PPFs on the microengines">,
    Statistic<"xscaleCount", "xscale-ppfs", "PPFs on the XScale core">,
    Statistic<"ringCount", "ring-channels", "Channels that are rings">
  ];
}

def SplitPpfs : Pass<"baker-split-ppfs", "::mlir::ModuleOp"> {
  let summary = "cut PPFs that no control store holds";
  let description = [{
    A PPF with more words of code than `words-max`, by the estimate times
    `words-scale`, becomes several with channels between them. Each is cut where
    it costs least: the share of packets that go across, times the words of the
    descriptor that carry what the second part needs of the first. No loop, no
    critical section and no use of two packets goes across a cut. What stands
    in the way of a PPF that cannot be cut is explained.

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
  let statistics = [
    Statistic<"cutCount", "cuts", "Cuts made">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def Aggregation : Pass<"baker-aggregation", "::mlir::ModuleOp"> {
  let summary = "form aggregates of PPFs and give them engines";
  let description = [{
    Section 5.1 and Figure 7 of the paper: PPFs of the microengines are merged
    by the cost of the channels between them and duplicated where they are
    slow, as the throughput model (`aggregation/model/ThroughputModel.h`) says, under
    the size of a control store. Each aggregate becomes one program; a channel
    inside an aggregate is a call, one between aggregates a ring of the
    receiver.

    `mapping` names a file in which the user fixes a part of it
    (`aggregation/formation/MappingFile.h`). `words-scale` corrects the estimated sizes
    by those of generated code.

    ```mlir
    func.func @l3.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>}
    // becomes, beside the list of aggregates on the module,
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
  let statistics = [
    Statistic<"aggregateCount", "aggregates", "Aggregates formed">
  ];
}

def PlaceLocks : Pass<"baker-place-locks", "::mlir::ModuleOp"> {
  let summary = "put each lock where taking it costs least";
  let description = [{
    Of a critical section that only one engine enters the lock is a word of that
    engine's local memory, which needs no command. One that several engines
    enter lies in scratch or in SRAM, by the load that the throughput model
    predicts of them; one that the XScale core takes, too, in scratch.

    ```mlir
    baker.global @m.guard : i32 {baker.placement = #baker.placement<scratch at 12288>}
    // becomes, if one engine runs all that take it,
    baker.global @m.guard : i32 {baker.placement = #baker.placement<local at 0>}
    ```

    Requires: `baker-aggregation`.
  }];
  let statistics = [
    Statistic<"lockCount", "locks", "Locks that some code takes">,
    Statistic<"localCount", "local", "Locks in local memory">
  ];
}

#endif // KARAKAL_AGGREGATION_PASSES_TD
