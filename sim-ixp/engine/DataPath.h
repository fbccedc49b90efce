// Operations of the data path.
//
// The operations that an engine does without the rest of the chip: arithmetic,
// logic, shifts, constants, and branches on their results. Each operation has
// one meaning and two forms of execution:
//
//   step    one operation, with any operands;
//   chain   one operation and those that follow it. Each handler ends with a
//           jump to the next one, so that an operation costs about a dozen host
//           instructions. There is a handler for each kind of operands.
//
// A chain does not end at an operand that must be checked. It goes on over
// commands and changes of context as long as the engine is the earliest of all
// (ControlPath.cpp), and stops before any other operation outside the data
// path.

#ifndef KARAKAL_SIM_IXP_ENGINE_DATAPATH_H
#define KARAKAL_SIM_IXP_ENGINE_DATAPATH_H

#include "sim-ixp/engine/MicroOp.h"

#include <cstdint>

// clang-format off

/// Calls X(op) for each operation of the data path.
#define KARAKAL_DATA_PATH(X)                                                   \
  X(AluB) X(AluNotB) X(AluAnd) X(AluNotAnd) X(AluAndNot)                       \
  X(AluOr) X(AluXor)                                                           \
  X(AluAdd) X(AluAdd16) X(AluAdd8) X(AluAddCarry)                              \
  X(AluSub) X(AluBSubA) X(AluSubCarry)                                         \
  X(PopCount1) X(PopCount2) X(PopCount3) X(Ffs)                                \
  X(ShfB) X(ShfNotB) X(ShfAnd) X(ShfNotAnd) X(ShfAndNot)                       \
  X(ShfOr) X(Asr) X(DblShf)                                                    \
  X(ByteAlignBe) X(ByteAlignLe) X(LdField) X(LdFieldWClr) X(Nop)               \
  X(Immed) X(ImmedB0) X(ImmedB1) X(ImmedB2) X(ImmedB3)                         \
  X(ImmedW0) X(ImmedW1)                                                        \
  X(MulStart) X(Mul24x8Step1) X(Mul24x8Last)                                   \
  X(Mul16x16Step1) X(Mul16x16Step2) X(Mul16x16Last)                            \
  X(Mul32x32Step1) X(Mul32x32Step2) X(Mul32x32Step3)                           \
  X(Mul32x32Step4) X(Mul32x32Last) X(Mul32x32Last2)

/// Calls X(op) for each conditional branch on state of the engine alone.
#define KARAKAL_CONDITIONAL_BRANCHES(X)                                        \
  X(Beq) X(Bne) X(Bmi) X(Bpl) X(Bcs) X(Bcc)                                    \
  X(Bvs) X(Bvc) X(Bge) X(Blt) X(Ble) X(Bgt)                                    \
  X(BrBset) X(BrBclr) X(BrByte) X(BrNotByte) X(BrCtx) X(BrNotCtx)

// clang-format on

/// Jumps to the next handler instead of calling it.
#define KARAKAL_CHAIN [[clang::musttail]] return

namespace karakal::sim {

class Microengine;

/// Operations of the data path, on the state of an engine.
struct DataPath {
  /// Whether this is an operation of the data path other than a branch.
  static bool has(target::Op op);
  /// Does one operation.
  static void step(Microengine &engine, const MicroOp &op);
  /// Whether a conditional branch is taken.
  static bool isTaken(const Microengine &engine, const MicroOp &op);
  /// The handler of an operation in a chain.
  static ChainHandler chainOf(const MicroOp &op);

  struct Semantics;
  struct Handlers;
  struct Control;

private:
  /// The handler of an operation outside the data path, or null.
  static ChainHandler controlOf(const MicroOp &op);
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_DATAPATH_H
