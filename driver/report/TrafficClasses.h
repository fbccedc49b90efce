// The classes of traffic that the minimum rate prices apart.
//
// What a packet costs depends on where its path ends: a packet that is
// forwarded, one that is dropped, one that goes to the XScale core. Forwarded
// packets are divided further by their route, the channels that they pass:
//
//   forward  l2_clsfr.l3_forward_cc > l3_fwdr.eth_encap_cc > eth_encap.out_cc
//   copies   l2_clsfr.l2_bridge_cc > l2_bridge.flood_cc > flood.out_cc
//   drop     ttl_expired
//   punt     l2_clsfr.arp_cc
//   return   put_tag.out_cc
//
// A packet on a cycle of channels costs more the more often it passes them. It
// is priced as if it passed each once.
//
// Each class says which marks (target-ixp/image/Microcode.h) the paths of its
// packets do not have. Each path of a message is in a class: a path to the core
// is in that of its channel, any other that sends a packet in that of a route,
// and one that only drops packets in that of its reason.

#ifndef KARAKAL_DRIVER_REPORT_TRAFFICCLASSES_H
#define KARAKAL_DRIVER_REPORT_TRAFFICCLASSES_H

#include "driver/cores/EngineCode.h"
#include "target-ixp/microcode/WorstCase.h"

namespace karakal::driver {

enum class TrafficKind {
  Forward, ///< packets that are sent, and not to the core
  Copies,  ///< packets of which a PPF makes several, each of them sent
  Cycle,   ///< packets that may pass a channel several times
  Drop,    ///< packets that are dropped for one reason
  Punt,    ///< packets that go to the core over one channel
  Return,  ///< packets that come back from the core over one channel
};

/// The name in reports: "forward".
const char *trafficKindName(TrafficKind kind);

struct TrafficClass {
  /// What packets of the class do in one aggregate.
  struct Passage {
    /// Marks that the paths of the class do not have.
    std::set<target::PathMark> excluded;
    /// Messages a packet; 0: they do not come here.
    unsigned messages = 0;
  };

  TrafficKind kind = TrafficKind::Forward;
  /// The route, the reason or the channel.
  std::string name;
  /// By aggregate, in the plan's order.
  std::vector<Passage> passages;
  /// The most packets of the class in a second; 0: any number.
  double packetsPerSecondMax = 0;
  /// The most bytes that a packet has gained when it is sent.
  unsigned bytesAdded = 0;
};

/// Returns the classes of a program's traffic: routes, reasons, channels to the
/// core, channels from the core.
std::vector<TrafficClass>
trafficClassesOf(mlir::ModuleOp planned,
                 const std::vector<AggregateCode> &engines);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_TRAFFICCLASSES_H
