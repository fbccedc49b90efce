// The traffic offered to the ports.

#include "sim-ixp/media/TrafficSource.h"

#include "sim-ixp/media/FrameCheck.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "traces/Wire.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace karakal::sim {

TrafficSource::TrafficSource(std::vector<traces::Packet> packets,
                             const TrafficOptions &given)
    : options(given), trace(std::move(packets)), ports(given.portCount) {
  KARAKAL_ASSERT(!trace.empty(), "a run needs a packet");
  KARAKAL_ASSERT(options.portCount > 0, "a run needs a port");
  KARAKAL_ASSERT(options.offeredGbps <= 0 || !options.keepsTimes,
                 "a packet has one time");
  if (options.packetCount == 0)
    options.packetCount = trace.size();
  bitsBefore.reserve(trace.size());
  for (uint32_t i = 0; i < trace.size(); ++i) {
    traces::padToMinimum(trace[i]);
    bitsBefore.push_back(traceBits);
    traceBits += (trace[i].bytes.size() + traces::crcBytes) * 8;
    uint32_t port = trace[i].port % options.portCount;
    ports[port].packets.push_back(i);
    if (options.fcsPorts >> port & 1) {
      std::vector<uint8_t> &bytes = trace[i].bytes;
      uint8_t check[traces::crcBytes];
      storeFrameCheckSequence(bytes.data(), bytes.size(), check);
      bytes.insert(bytes.end(), std::begin(check), std::end(check));
    }
  }
}

const OfferedFrame *TrafficSource::peek(uint32_t index) {
  Port &port = ports[index];
  if (port.isPrepared)
    return &port.frame;
  if (port.packets.empty())
    return nullptr;
  uint64_t repetition = port.next / port.packets.size();
  uint32_t packet = port.packets[port.next % port.packets.size()];
  uint64_t number = repetition * trace.size() + packet;
  if (number >= options.packetCount)
    return nullptr;
  port.frame.number = number;
  port.frame.port = index;
  port.frame.bytes = &trace[packet].bytes;
  bool hasFcs = options.fcsPorts >> index & 1;
  port.frame.wireBytes = static_cast<uint32_t>(trace[packet].bytes.size() +
                                               (hasFcs ? 0 : traces::crcBytes));
  port.frame.hasError = options.hasError && options.hasError(number);
  port.frame.dueSeconds = 0;
  if (!isClosedLoop())
    port.frame.dueSeconds = dueSeconds(repetition, packet);
  port.isPrepared = true;
  return &port.frame;
}

double TrafficSource::dueSeconds(uint64_t repetition, uint32_t packet) const {
  auto repetitions = static_cast<double>(repetition);
  if (!options.keepsTimes)
    return (repetitions * static_cast<double>(traceBits) +
            static_cast<double>(bitsBefore[packet])) /
           (options.offeredGbps * 1e9);
  auto since = [&](uint64_t timeNs) {
    uint64_t first = trace.front().timeNs;
    return timeNs > first ? static_cast<double>(timeNs - first) : 0.0;
  };
  // A repetition follows after the mean gap.
  double span = since(trace.back().timeNs);
  auto gaps = static_cast<double>(std::max<size_t>(trace.size() - 1, 1));
  return (repetitions * (span + span / gaps) + since(trace[packet].timeNs)) /
         1e9;
}

void TrafficSource::take(uint32_t index) {
  Port &port = ports[index];
  KARAKAL_ASSERT(port.isPrepared, "take follows peek");
  port.isPrepared = false;
  ++port.next;
}

double wireCycles(double bytes, const target::ChipParameters &parameters) {
  return bytes * 8.0 * static_cast<double>(parameters.meClockHz) /
         static_cast<double>(parameters.portsRateBps);
}

uint64_t mediaBusCycles(uint32_t bytes,
                        const target::ChipParameters &parameters) {
  double busCycles =
      (bytes + 3) / 4 + static_cast<double>(parameters.msfBusOverhead);
  return static_cast<uint64_t>(
      std::ceil(busCycles * static_cast<double>(parameters.meClockHz) /
                static_cast<double>(parameters.msfClockHz)));
}

} // namespace karakal::sim
