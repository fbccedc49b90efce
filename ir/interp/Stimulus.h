// Random packets and global data for the pass check.
//
// Packets fit the program: they are headers of its protocols one after another,
// with fields drawn from the constants that it compares them with, cut anywhere
// after the first header. A few are random bytes. If there are samples of its
// traffic, most packets are samples, unchanged or with a field changed. Some
// packets come from rings, with metadata. Global data holds constants, small
// numbers and random words, or the result of calls of control functions.

#ifndef KARAKAL_IR_INTERP_STIMULUS_H
#define KARAKAL_IR_INTERP_STIMULUS_H

#include "ir/interp/Interpreter.h"

namespace karakal::ir {

/// Samples of the traffic and set-up of a program.
struct CheckInputs {
  /// Received frames; only bytes and receive port count.
  std::vector<PacketImage> frames;
  /// Calls that set up the program's tables.
  std::vector<ControlCall> calls;
  /// Whose messages arrive, as next-neighbour rings have one number in all
  /// engines; empty: all.
  std::string aggregate;
};

/// Makes random packets and global data for `module` from `seed`.
Stimulus makeStimulus(mlir::ModuleOp module, const CheckInputs &inputs,
                      uint64_t seed, size_t packetCount);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_STIMULUS_H
