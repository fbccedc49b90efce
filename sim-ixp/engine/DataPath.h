// Operations of the data path.
//
// What an engine does without the rest of the chip: arithmetic, logic, shifts,
// constants, and branches on them. Each operation has its meaning once, and two
// ways to run it:
//
//   step    one operation, whatever its operands are;
//   chain   one operation and all that follow it, up to the first that must be
//           looked at: each handler ends with a jump to the next one's, so that
//           an operation costs a dozen instructions of the host. Handlers are
//           made for each kind of operands.
//
// A chain stops in front of what is special in the engine's present state and
// of loops that have run for long. It goes over commands and changes of context
// as long as it is the engine's turn (ControlPath.cpp), and stops in front of
// whatever else belongs to no data path.

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

/// Calls X(op) for each branch on what the engine knows by itself.
#define KARAKAL_CONDITIONAL_BRANCHES(X)                                        \
  X(Beq) X(Bne) X(Bmi) X(Bpl) X(Bcs) X(Bcc)                                    \
  X(Bvs) X(Bvc) X(Bge) X(Blt) X(Ble) X(Bgt)                                    \
  X(BrBset) X(BrBclr) X(BrByte) X(BrNotByte) X(BrCtx) X(BrNotCtx)

// clang-format on

/// Jumps to the next handler instead of calling it.
#define KARAKAL_CHAIN [[clang::musttail]] return

namespace karakal::sim {

class Microengine;

/// Operations of the data path; the friend of Microengine that does them.
struct DataPath {
  /// Whether this is an operation of the data path, and no branch.
  static bool has(target::Op op);
  /// Does one operation.
  static void step(Microengine &engine, const MicroOp &op);
  /// Whether a branch is taken, which may be br or a conditional one.
  static bool isTaken(const Microengine &engine, const MicroOp &op);
  /// The handler of an operation in a chain.
  static ChainHandler chainOf(const MicroOp &op);

  struct Semantics;
  struct Handlers;
  struct Control;

private:
  /// The handler of what belongs to no data path, null if there is none.
  static ChainHandler controlOf(const MicroOp &op);
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_DATAPATH_H
