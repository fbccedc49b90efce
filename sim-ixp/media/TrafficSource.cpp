// The traffic offered to the ports.

#include "sim-ixp/media/TrafficSource.h"

#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "traces/Wire.h"

#include <cmath>

namespace karakal::sim {

TrafficSource::TrafficSource(std::vector<traces::Packet> packets,
                             const TrafficOptions &given)
    : options(given), trace(std::move(packets)), ports(given.portCount) {
  KARAKAL_ASSERT(!trace.empty(), "a run needs a packet");
  KARAKAL_ASSERT(options.portCount > 0, "a run needs a port");
  if (options.packetCount == 0)
    options.packetCount = trace.size();
  bitsBefore.reserve(trace.size());
  for (uint32_t i = 0; i < trace.size(); ++i) {
    traces::padToMinimum(trace[i]);
    bitsBefore.push_back(traceBits);
    traceBits += (trace[i].bytes.size() + traces::crcBytes) * 8;
    ports[trace[i].port % options.portCount].packets.push_back(i);
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
  port.frame.hasError = options.hasError && options.hasError(number);
  port.frame.dueSeconds = 0;
  if (!isClosedLoop())
    port.frame.dueSeconds =
        (static_cast<double>(repetition) * static_cast<double>(traceBits) +
         static_cast<double>(bitsBefore[packet])) /
        (options.offeredGbps * 1e9);
  port.isPrepared = true;
  return &port.frame;
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
