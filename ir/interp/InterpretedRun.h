// The input of an interpreted run and its visible effects.

#ifndef KARAKAL_IR_INTERP_INTERPRETEDRUN_H
#define KARAKAL_IR_INTERP_INTERPRETEDRUN_H

#include "target-ixp/chip/MemoryMap.h"

#include "llvm/ADT/BitVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::ir {

/// A packet as the program receives it or sends it.
struct PacketImage {
  std::vector<uint8_t> bytes;
  uint8_t rxPort = 0, txPort = 0;
  uint32_t sequence = 0;
  /// The words of user metadata of the descriptor.
  std::vector<uint32_t> metadata;
};

/// An effect of the program that is visible from outside.
struct Event {
  enum Kind {
    Put,  ///< a packet leaves by a channel or ring
    Drop, ///< a packet ends and is counted under a reason
    Trap, ///< the program stops, for example for lack of headroom
  };
  Kind kind = Put;
  /// Index of the packet that was received last.
  size_t input = 0;
  /// The name and number of the ring or channel; the drop reason; or the reason
  /// of the stop.
  std::string where;
  PacketImage packet; ///< Put

  /// A stop at an access outside of global data, which random global data may
  /// lead to. No program relies on it: a pass may remove the access.
  bool isOutside() const { return kind == Trap && where == outsideGlobals; }
  static constexpr const char *outsideGlobals =
      "an access outside of global data";

  /// One line of text, with the packet's bytes in hexadecimal.
  std::string str() const;
};

/// The visible effects of a run.
struct RunResult {
  std::vector<Event> events;
  /// Words of all globals in order of declaration.
  std::vector<uint32_t> globals;
  /// Packets that the program took in.
  size_t packetCount = 0;
  /// For each block of a function, in the order of a walk: whether the run
  /// entered it.
  llvm::BitVector reached;
  /// Why the interpreter could not complete the run, such as an operation that
  /// it does not support; empty if the run is complete. This is no statement
  /// about the program.
  std::string unknown;
};

/// A packet on its way to the program.
struct Arrival {
  PacketImage packet;
  /// The ring that brings it and the number of its channel. On a ring other
  /// than Rx's, its head and metadata are where its sender left them.
  uint32_t ring = target::RingRx;
  uint32_t channel = 0;
  uint32_t head = target::BufferHeadroom;
};

/// A call of a control function, each argument extended to 64 bits.
struct ControlCall {
  std::string function;
  std::vector<uint64_t> arguments;
};

/// The input of a run.
struct Stimulus {
  std::vector<Arrival> packets;
  /// Words of all globals at start, in order of declaration.
  std::vector<uint32_t> globals;
  /// The value of buffer bytes that no packet wrote.
  uint8_t garbage = 0xa5;
};

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETEDRUN_H
