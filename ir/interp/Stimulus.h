// What the pass checker runs a program on.
//
// Packets are made for the program: headers of its protocols one after another,
// with fields drawn from the constants that it compares with, cut at any place
// after the first header, or mere noise. Where there are samples of its
// traffic, most packets are these, as they are or with one field changed. Some
// come from rings, with metadata. Global data holds constants, small numbers
// and noise, or what calls of control functions leave in it.

#ifndef KARAKAL_IR_INTERP_STIMULUS_H
#define KARAKAL_IR_INTERP_STIMULUS_H

#include "ir/interp/Interpreter.h"

namespace karakal::ir {

/// What is known of how a program is used.
struct CheckInputs {
  /// Received frames; only bytes and receive port count.
  std::vector<PacketImage> frames;
  /// Calls that set up the program's tables.
  std::vector<ControlCall> calls;
};

/// Random packets and global data for `module`, made from `seed`.
Stimulus makeStimulus(mlir::ModuleOp module, const CheckInputs &inputs,
                      uint64_t seed, size_t packetCount);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_STIMULUS_H
