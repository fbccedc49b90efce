// The cost of a message on an engine and the units of the chip.

#include "target-ixp/microcode/MessageCost.h"

namespace karakal::target {

const char *sharedUnitName(SharedUnit unit) {
  switch (unit) {
  case SharedUnit::Scratch:
    return "scratch";
  case SharedUnit::Sram0:
    return "sram0_read";
  case SharedUnit::Sram1:
    return "sram1_read";
  case SharedUnit::Sram2:
    return "sram2_read";
  case SharedUnit::Sram3:
    return "sram3_read";
  case SharedUnit::Sram0Write:
    return "sram0_write";
  case SharedUnit::Sram1Write:
    return "sram1_write";
  case SharedUnit::Sram2Write:
    return "sram2_write";
  case SharedUnit::Sram3Write:
    return "sram3_write";
  case SharedUnit::Dram:
    return "dram";
  case SharedUnit::Hash:
    return "hash";
  }
  KARAKAL_UNREACHABLE("no such unit");
}

SharedUnit readPort(uint32_t channel) {
  KARAKAL_ASSERT(channel < SramChannelsMax, "no such SRAM channel");
  return SharedUnit(size_t(SharedUnit::Sram0) + channel);
}

SharedUnit writePort(uint32_t channel) {
  KARAKAL_ASSERT(channel < SramChannelsMax, "no such SRAM channel");
  return SharedUnit(size_t(SharedUnit::Sram0Write) + channel);
}

std::optional<uint32_t> channelOf(SharedUnit unit) {
  for (uint32_t channel = 0; channel < SramChannelsMax; ++channel)
    if (unit == readPort(channel) || unit == writePort(channel))
      return channel;
  return std::nullopt;
}

SharedUnit unitOf(Memory memory) {
  switch (memory) {
  case Memory::Scratch:
    return SharedUnit::Scratch;
  case Memory::Sram0:
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return readPort(*sramChannelOf(memory));
  case Memory::Dram:
    return SharedUnit::Dram;
  case Memory::Local:
    break;
  }
  KARAKAL_UNREACHABLE("local memory is not a shared unit");
}

std::vector<SharedUnit> unitsOf(const ChipParameters &chip) {
  std::vector<SharedUnit> units;
  for (size_t u = 0; u < sharedUnitCount; ++u)
    if (channelOf(SharedUnit(u)).value_or(0) < chip.sramChannels)
      units.push_back(SharedUnit(u));
  return units;
}

MessageCost &MessageCost::operator+=(const MessageCost &other) {
  issue += other.issue;
  latency += other.latency;
  segments += other.segments;
  segmentSquares += other.segmentSquares;
  locked += other.locked;
  lockedSwaps += other.lockedSwaps;
  sent += other.sent;
  sentWithoutHead += other.sentWithoutHead;
  for (size_t u = 0; u < sharedUnitCount; ++u) {
    busy[u] += other.busy[u];
    commands[u] += other.commands[u];
    squares[u] += other.squares[u];
  }
  return *this;
}

MessageCost operator*(MessageCost cost, double times) {
  cost.issue *= times;
  cost.latency *= times;
  cost.segments *= times;
  cost.segmentSquares *= times;
  cost.locked *= times;
  cost.lockedSwaps *= times;
  cost.sent *= times;
  cost.sentWithoutHead *= times;
  for (auto *figures : {&cost.busy, &cost.commands, &cost.squares})
    for (double &figure : *figures)
      figure *= times;
  return cost;
}

} // namespace karakal::target
