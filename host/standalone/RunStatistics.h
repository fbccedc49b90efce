// What became of the packets and calls of a run on x86.

#ifndef KARAKAL_HOST_STANDALONE_RUNSTATISTICS_H
#define KARAKAL_HOST_STANDALONE_RUNSTATISTICS_H

#include "traces/ControlFile.h"
#include "traces/Timers.h"
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace karakal::host {

/// Where packets ended, in frames. At the end of a run
/// received = forwarded + dropped + consumed + waiting.
struct PacketCounts {
  uint64_t received = 0;    ///< originals: frames that Rx accepted
  uint64_t forwarded = 0;   ///< originals that were transmitted
  uint64_t dropped = 0;     ///< originals dropped by a PPF of the engines
  uint64_t consumed = 0;    ///< originals dropped by a PPF of the XScale core
  uint64_t waiting = 0;     ///< originals in queues of the program
  uint64_t copied = 0;      ///< made by packet_copy and packet_create
  uint64_t transmitted = 0; ///< frames sent, originals and copies
  uint64_t oversize = 0;    ///< frames too long for the port, not received
  uint64_t toXScale = 0;    ///< messages from an engine's PPF to the XScale

  /// Every original that has not ended waits.
  void countWaiting() { waiting = received - forwarded - dropped - consumed; }
};

/// How often something happened, by symbol, in the program's order.
using Counts = std::vector<std::pair<std::string, uint64_t>>;

struct RunStatistics {
  PacketCounts packets;
  /// Frames by drop reason, originals and copies.
  Counts drops;
  /// Control calls that ran, and those that were due after the last packet.
  uint64_t controlCalls = 0, controlNotReached = 0;
  /// What control functions returned, in the order of their calls.
  std::vector<traces::ControlValue> controlValues;
  std::vector<traces::TimerCounts> timers;
  /// Seconds of processor time for the packet loop alone.
  double runSeconds = 0;
};

nlohmann::ordered_json toJson(const Counts &counts);

/// Returns the statistics as JSON: "packets" and "drops" as in the simulator's
/// stats.json, "control". No wall time, so the same run gives the same bytes.
nlohmann::ordered_json statisticsJson(const RunStatistics &run,
                                      const std::string &program);

/// Returns the same as lines of a table, without the speed.
std::string countsTable(const RunStatistics &run, const std::string &program);

/// "1.234 million packets per second of processor time"; empty if no packet
/// took any time.
std::string rateText(const RunStatistics &run);

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_RUNSTATISTICS_H
