// The cost of a frame in Rx and Tx.

#include "target-ixp/microcode/RuntimeCost.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/Order.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/microcode/InstructionCost.h"
#include <algorithm>

namespace karakal::target {

namespace {

using Path = RuntimePath;

// The columns of RuntimeWords. tests/target-ixp/RuntimeCostTest.cpp prints the
// row that a changed runtime needs.
constexpr RuntimeWords rows[] = {
    {Path::RxWhole, false, 30, {0, 1, 1}, 0, 1, 1, 1, 1, 1},
    {Path::RxFirst, false, 24, {0, 1, 1}, 3, 0, 0, 1, 1, 0},
    {Path::RxMiddle, false, 27, {0, 1, 1}, 6, 0, 0, 1, 0, 0},
    {Path::RxLast, false, 42, {0, 1, 1}, 13, 1, 1, 1, 0, 1},
    {Path::TxWhole, false, 49, {0, 3, 1}, 0, 1, 1, 1, 1, 0},
    {Path::TxSeveral, false, 66, {3, 2, 1}, 6, 1, 1, 2, 1, 0},
    {Path::TxMore, false, 17, {2, 0, 0}, 0, 0, 0, 1, 0, 0},
    {Path::RxWhole, true, 41, {0, 1, 1}, 0, 1, 1, 1, 1, 1},
    {Path::RxBlock, true, 6, {1, 0, 0}, 3, 0, 1, 0, 0, 0},
    {Path::RxFirst, true, 24, {0, 1, 1}, 3, 0, 0, 1, 1, 0},
    {Path::RxMiddle, true, 27, {0, 1, 1}, 6, 0, 0, 1, 0, 0},
    {Path::RxLast, true, 53, {0, 1, 1}, 13, 1, 1, 1, 0, 1},
    {Path::TxWhole, true, 58, {0, 3, 1}, 0, 1, 1, 1, 1, 0},
    {Path::TxSeveral, true, 75, {3, 2, 1}, 6, 1, 1, 2, 1, 0},
    {Path::TxMore, true, 17, {2, 0, 0}, 0, 0, 0, 1, 0, 0},
    {Path::TxEarly, true, 77, {0, 3, 1}, 4, 1, 1, 1, 1, 0},
    {Path::TxBlock, true, 2, {0, 0, 0}, 1, 0, 1, 0, 0, 0},
};

/// A block of numbers is asked for, and released, once for so many packets.
constexpr double blockShare = 1.0 / OrderBlock;

/// Commands of the runtime on a chip.
struct Commands {
  CommandCost message, counter, move, queue, descriptor;

  explicit Commands(const ChipParameters &chip)
      : message(commandCost(chip, SharedUnit::Scratch, CommandKind::Memory,
                            RingMessageWords)),
        counter(commandCost(chip, SharedUnit::Scratch, CommandKind::Atomic, 1)),
        move(commandCost(chip, SharedUnit::Dram, CommandKind::Memory,
                         MpacketBytes / 4)),
        queue(commandCost(chip, SharedUnit::Sram0, CommandKind::Queue, 1)),
        descriptor(commandCost(chip, SharedUnit::Sram0Write,
                               CommandKind::Memory, DescriptorWords - 1)) {}
};

bool isReceive(RuntimePath path) { return path <= Path::RxBlock; }

/// The cost of a path. A context waits for the move of an mpacket, then, in Rx,
/// for the next buffer or the put of the message, in Tx for the MSF. The other
/// commands end meanwhile.
MessageCost costOf(RuntimePath path, bool keepsOrder,
                   const ChipParameters &chip) {
  const RuntimeWords &row = runtimeWords(path, keepsOrder);
  Commands one(chip);
  MessageCost cost;
  cost.issue = row.words + row.deadCycles;
  for (uint64_t filled = 0; filled < row.swaps.size(); ++filled)
    cost.issue += row.swaps[filled] *
                  double(chip.meSwapSlots - std::min(chip.meSwapSlots, filled));
  bool isRx = isReceive(path);
  cost.latency = row.moves * one.move.latency;
  if (!isRx)
    cost.latency += row.messages * one.message.latency +
                    row.moves * double(chip.msfLatency);
  else if (row.queues != 0)
    cost.latency += one.queue.latency;
  else if (row.messages != 0)
    cost.latency += one.message.latency;
  cost.addCommands(SharedUnit::Scratch, row.messages, one.message.busy);
  cost.addCommands(SharedUnit::Scratch, row.counters, one.counter.busy);
  cost.addCommands(SharedUnit::Dram, row.moves, one.move.busy);
  cost.addCommands(isRx ? SharedUnit::Sram0 : SharedUnit::Sram0Write,
                   row.queues, one.queue.busy);
  cost.addCommands(SharedUnit::Sram0Write, row.descriptors,
                   one.descriptor.busy);
  return cost;
}

} // namespace

const RuntimeWords &runtimeWords(RuntimePath path, bool keepsOrder) {
  const RuntimeWords *row =
      std::find_if(std::begin(rows), std::end(rows), [&](const auto &each) {
        return each.path == path && each.keepsOrder == keepsOrder;
      });
  KARAKAL_ASSERT(row != std::end(rows), "the path exists with this order");
  return *row;
}

MessageCost receiveCost(const RuntimeFrame &frame, const ChipParameters &chip) {
  KARAKAL_ASSERT(frame.mpackets > 0, "a frame has an mpacket");
  auto of = [&](RuntimePath path) {
    return costOf(path, frame.keepsOrder, chip);
  };
  MessageCost cost = frame.mpackets == 1
                         ? of(Path::RxWhole)
                         : of(Path::RxFirst) + of(Path::RxLast) +
                               of(Path::RxMiddle) * double(frame.mpackets - 2);
  if (frame.keepsOrder)
    cost += of(Path::RxBlock) * blockShare;
  return cost;
}

MessageCost transmitCost(const RuntimeFrame &frame,
                         const ChipParameters &chip) {
  KARAKAL_ASSERT(frame.mpackets > 0, "a frame has an mpacket");
  auto of = [&](RuntimePath path) {
    return costOf(path, frame.keepsOrder, chip);
  };
  MessageCost cost =
      frame.mpackets == 1
          ? of(Path::TxWhole)
          : of(Path::TxSeveral) + of(Path::TxMore) * double(frame.mpackets - 2);
  if (frame.keepsOrder) {
    cost += of(Path::TxBlock) * blockShare;
    // What is more than for a frame of one mpacket that does not wait.
    cost.issue += of(Path::TxEarly).issue - of(Path::TxWhole).issue;
  }
  return cost;
}

} // namespace karakal::target
