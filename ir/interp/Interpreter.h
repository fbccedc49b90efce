// Programs of the baker dialect, run.
//
// Executes a module operation by operation on real buffers and descriptors, as
// docs/runtime.md lays them out. It knows the dialect in every form between
// the front end and baker-to-llvm: field accesses and runs of words, channels
// and messages on rings. It shares nothing with the lowering to LLVM, so that
// the two can be compared, and so can a module before a pass with the same
// module after it (ir/interp/PassCheck.h).
//
// A module that has `@me_main` (baker-lower-channels made it) is run from
// there: each packet is put on ring `rx`, and the engine's loop runs until it
// finds nothing to do. Any other module is run from the consumer of the channel
// `rx`, and channels are delivered in order.
//
// Cost: some 100 ns an operation.

#ifndef KARAKAL_IR_INTERP_INTERPRETER_H
#define KARAKAL_IR_INTERP_INTERPRETER_H

#include "target-ixp/chip/MemoryMap.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::ir {

/// A packet as the program gets it or gives it away.
struct PacketImage {
  std::vector<uint8_t> bytes;
  uint8_t rxPort = 0, txPort = 0;
  uint32_t sequence = 0;
  /// The words of user metadata of the descriptor.
  std::vector<uint32_t> metadata;
};

/// Something that the world outside of the program can see.
struct Event {
  enum Kind {
    Put,  ///< a packet leaves by a channel or ring
    Drop, ///< a packet ends, counted under a reason
    Trap, ///< the program stops: no room in front of a packet
  };
  Kind kind = Put;
  /// Index of the packet that was received last.
  size_t input = 0;
  /// Ring or channel by name and number; the drop reason; why it stops.
  std::string where;
  PacketImage packet; ///< Put

  /// One line, the packet's bytes in hexadecimal.
  std::string str() const;
};

/// What a run shows.
struct RunResult {
  std::vector<Event> events;
  /// Words of all globals in order of declaration.
  std::vector<uint32_t> globals;
  /// Packets that were taken in.
  size_t packetCount = 0;
  /// The blocks of functions in the order of a walk: whether each was entered.
  llvm::BitVector reached;
  /// Why the run could not go on, such as an operation that is not known;
  /// empty if it is whole. Says nothing of the program.
  std::string unknown;
};

/// A packet as it comes to the program.
struct Arrival {
  PacketImage packet;
  /// The ring that brings it and the number of its channel; a packet on another
  /// ring than Rx's has its head and metadata where its sender left them.
  uint32_t ring = target::RingRx;
  uint32_t channel = 0;
  uint32_t head = target::BufferHeadroom;
};

/// A call of a control function, each argument extended to 64 bits.
struct ControlCall {
  std::string function;
  std::vector<uint64_t> arguments;
};

/// What a run is given.
struct Stimulus {
  std::vector<Arrival> packets;
  /// Words of all globals at start, in order of declaration.
  std::vector<uint32_t> globals;
  /// Bytes of buffers that no packet wrote.
  uint8_t garbage = 0xa5;
};

/// Words of all globals of `module`.
size_t globalWordCount(mlir::ModuleOp module);

/// Runs `module` on each packet in turn. One from a ring that an engine's
/// program does not ask is left out.
RunResult interpret(mlir::ModuleOp module, const Stimulus &stimulus);

/// Global data of `module` after its initial values, its init functions and
/// `calls`.
RunResult callControl(mlir::ModuleOp module,
                      const std::vector<ControlCall> &calls);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETER_H
