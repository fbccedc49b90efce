//===- Passes.td - passes that form aggregates -------------*- tablegen -*-===//

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
        attributes {baker.kind = "ppf", baker.cold}
    // becomes
    func.func @l3.arp.in_cc(%ph: !baker.packet<"ether">)
        attributes {baker.kind = "ppf", baker.cold, baker.core = "xscale",
                    baker.core.reason = "marked cold"}
    ```
  }];
  let options = [
    Option<"coldShare", "cold-share", "double", "0.001",
           "share of received packets below which a PPF is cold">
  ];
  let statistics = [
    Statistic<"meCount", "me-ppfs", "PPFs on the microengines">,
    Statistic<"xscaleCount", "xscale-ppfs", "PPFs on the XScale core">,
    Statistic<"ringCount", "ring-channels", "Channels that are rings">
  ];
}

#endif // KARAKAL_AGGREGATION_PASSES_TD
