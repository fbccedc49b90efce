//===- DataPath.h - operations of the data path ---------------*- C++ -*-===//
//
// What an engine does without the rest of the chip: arithmetic, logic, shifts,
// constants, and branches on them. Each operation has its meaning once, and two
// ways to run it:
//
//   step    one operation, whatever its operands are;
//   chain   one operation and all behind it, up to the first that must be
//           looked at: each handler ends with a jump to the next one's, so that
//           a straight line costs a dozen instructions of the host an
//           operation. Handlers are made for each kind of operands.
//
// A chain stops in front of what is special in the engine's present state, of
// taken branches, and of whatever belongs to no data path.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_DATAPATH_H
#define KARAKAL_SIM_IXP_DATAPATH_H

#include "sim-ixp/MicroOp.h"

#include <cstdint>

namespace karakal::sim {

class Microengine;

/// Operations of the data path; the friend of Microengine that does them.
struct DataPath {
  /// Does one operation, which is none of control, CAM, CSRs or commands.
  static void step(Microengine &engine, const MicroOp &op);
  /// The handler of an operation in a chain.
  static ChainHandler chainOf(const MicroOp &op);

  struct Semantics;
  struct Handlers;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_DATAPATH_H
