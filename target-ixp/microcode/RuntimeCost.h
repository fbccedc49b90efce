// The cost of a frame in Rx and Tx.
//
// The receive and the transmit engine run the microcode of runtime/rx.uc and
// runtime/tx.uc. A table lists what the words of the paths do that a frame
// takes there; a test assembles both files, follows the paths and compares. All
// cycles follow from the table and the chip.
//
//   frame of 1 mpacket     Rx: whole                 Tx: whole
//   frame of n mpackets    Rx: first, n - 2 middle,  Tx: several, n - 2 more
//                              last
//
// With order, Rx asks once in a block of numbers whether Tx has released an
// earlier block, and Tx stores a packet that comes before its turn. Tx counts
// as if each packet did: while its ring is never empty, each turn stores the
// message that it takes and sends one that waited, and the packets that wait
// become no fewer. When Tx is not busy, its cost does not matter.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_RUNTIMECOST_H
#define KARAKAL_TARGET_IXP_MICROCODE_RUNTIMECOST_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/microcode/MessageCost.h"
#include <array>

namespace karakal::target {

/// Paths of a frame, or of a part of it, in the receive or transmit engine.
enum class RuntimePath {
  RxWhole,   ///< a frame of one mpacket
  RxFirst,   ///< the first mpacket of several
  RxMiddle,  ///< neither the first nor the last
  RxLast,    ///< the last of several
  RxBlock,   ///< the first number of a block: whether its places are free
  TxWhole,   ///< a frame of one mpacket
  TxSeveral, ///< a frame of two
  TxMore,    ///< each further mpacket
  TxEarly,   ///< a message that is stored, and one that waited and is sent
  TxBlock,   ///< a block of numbers has left
};

/// What the words of a path do.
struct RuntimeWords {
  RuntimePath path;
  bool keepsOrder;
  unsigned words;
  std::array<unsigned, 3> swaps; ///< by the number of slots that are filled
  unsigned deadCycles;           ///< after taken branches
  /// Commands: messages of rings, counters, moves of an mpacket, queue
  /// operations, writes of a descriptor.
  unsigned messages, counters, moves, queues, descriptors;
};

/// The row of a path. RxBlock, TxEarly and TxBlock exist with order only.
const RuntimeWords &runtimeWords(RuntimePath path, bool keepsOrder);

/// A frame in Rx or Tx.
struct RuntimeFrame {
  unsigned mpackets = 1;
  bool keepsOrder = true;
};

/// The cost of a frame in the receive engine.
MessageCost receiveCost(const RuntimeFrame &frame, const ChipParameters &chip);

/// The cost of a frame in the transmit engine if its message has its head and
/// its length.
MessageCost transmitCost(const RuntimeFrame &frame, const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_RUNTIMECOST_H
