// Numbers that the TableGen files and the C++ code share.
//
// Ixp.td writes them into the flags and operands of instructions: the kind of
// word sequence, the operation within the kind, shifter, condition, command.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXP_H
#define KARAKAL_CODEGEN_ME_TARGET_IXP_H

#include "target-ixp/chip/Memories.h"
#include "target-ixp/table/Instruction.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInstrDesc.h"

#include <cstdint>
#include <string>

#define GET_REGINFO_ENUM
#include "codegen-me/target/IxpGenRegisterInfo.inc"
#define GET_INSTRINFO_ENUM
#include "codegen-me/target/IxpGenInstrInfo.inc"

namespace llvm {
class FunctionPass;
class ModulePass;
class PassRegistry;
} // namespace llvm

namespace karakal::codegen {

using target::DramSpace;
using target::LocalSpace;
using target::ScratchSpace;
using target::SramSpace;
using target::StackSpace;

/// Words of an SRAM read whose count an indirect reference overrides. It moves
/// 16 words, but $15 is reserved.
constexpr unsigned WideReadWords = 15;

/// Kinds of word sequences, as in IxpFormats.td.
enum class Kind : uint8_t {
  None,
  Alu,
  AluUnary,
  Shift,
  ShiftUnary,
  ShiftBy,
  Asr,
  AsrBy,
  Funnel,
  FunnelBy,
  Insert,
  Extract,
  Immediate,
  Mul,
  MulFull,
  Pop,
  Ffs,
  Wide,
  BranchCompare,
  BranchBit,
  BranchByte,
  Branch,
  SetCompare,
  SelectCompare,
  Call,
  Return,
  FrameLoad,
  FrameStore,
  FrameAddress,
  LocalLoad,
  LocalStore,
  Command,
  Swap,
  CsrRead,
  CsrWrite,
  Halt,
  RingStatus,
  Move,
  ArgumentStore,
  BranchCompareWide,
  SetCompareWide,
  Exchange,
  Hash,
  WriteMasked,
  Cam,
  Crc,
  OnesAdd,
  Neighbour,
  ByteAlign,
  Barrier,
};

/// Results of BYTEALIGNBE8, the longest of its kind.
constexpr unsigned ByteAlignMax = 8;

/// Signal by which FUTURE_COUNT wakes a context.
constexpr unsigned TimerSignal = 15;

/// An instruction's flags, unpacked.
struct Traits {
  Kind kind;
  unsigned operation;
  unsigned pairFirst;  ///< operand number
  unsigned pairSecond; ///< operand number, 0 if there is no pair
  unsigned pairStep;   ///< distance to the second pair, 0 if there is none
};

inline Traits traitsOf(const llvm::MCInstrDesc &desc) {
  uint64_t flags = desc.TSFlags;
  return {static_cast<Kind>(flags & 0xff), unsigned(flags >> 8 & 0x3f),
          unsigned(flags >> 14 & 0xf), unsigned(flags >> 18 & 0xf),
          unsigned(flags >> 22 & 3)};
}

/// Operations of Kind::Alu.
enum AluOperation : unsigned {
  AluAdd,
  AluSub,
  AluAnd,
  AluOr,
  AluXor,
  AluAndNot,
  AluAdd16,
  AluAdd8,
};

/// Shifter operands.
enum Shifter : unsigned { NoShift, ShiftRight, ShiftLeft, RotateRight };

/// Conditions of a compare of a with b.
enum Condition : unsigned {
  Equal,
  NotEqual,
  Less,
  GreaterEqual,
  LessEqual,
  Greater,
  Below,   ///< unsigned <
  AtLeast, ///< unsigned >=
};

/// The condition that holds exactly when `condition` does not.
inline Condition inverse(Condition condition) {
  return static_cast<Condition>(condition ^ 1) < Less
             ? static_cast<Condition>(condition ^ 1)
         : condition == Less         ? GreaterEqual
         : condition == GreaterEqual ? Less
         : condition == LessEqual    ? Greater
         : condition == Greater      ? LessEqual
         : condition == Below        ? AtLeast
                                     : Below;
}

/// Memory commands that the compiler emits, as numbers of the operations in
/// the table of instructions.
// clang-format off
#define KARAKAL_COMMANDS(C) \
  C(SramRead) C(SramWrite) C(SramAdd) C(SramIncr) C(SramDequeue) \
  C(SramEnqueue) C(DramRead) C(DramWrite) C(ScratchRead) C(ScratchWrite) \
  C(ScratchAdd) C(ScratchIncr) C(ScratchGet) C(ScratchPut) C(SramSet) \
  C(SramClr) C(SramDecr) C(SramTestSet) C(SramTestClr) C(SramTestAdd) \
  C(SramTestIncr) C(SramTestDecr) C(SramSwap) C(SramGet) C(SramPut) \
  C(ScratchSet) C(ScratchClr) C(ScratchSub) C(ScratchDecr) \
  C(ScratchTestSet) C(ScratchTestClr) C(ScratchTestAdd) C(ScratchTestSub) \
  C(ScratchTestIncr) C(ScratchTestDecr) C(ScratchSwap) C(Hash48) C(Hash64) \
  C(Hash128)
// clang-format on
enum Command : unsigned {
#define KARAKAL_NAME(name) name = unsigned(target::Op::name),
  KARAKAL_COMMANDS(KARAKAL_NAME)
#undef KARAKAL_NAME
};
inline bool isDram(Command c) { return c == DramRead || c == DramWrite; }

/// Operations of Kind::Cam.
enum CamOperation : unsigned {
  CamLookup,
  CamLookupLine, ///< also yields the entry's cache line and points to it
  CamWrite,
  CamWriteState,
  CamReadTag,
  CamReadState,
  CamClear,
};

/// Calling convention of the functions that stand for commands; their results
/// are never demoted to memory.
constexpr unsigned CommandCallingConv = 1000;

/// Largest literal of a command's address operand.
constexpr int64_t AddressLiteralMax = 127;

/// Collects errors found inside LLVM's passes, which cannot return them.
class ErrorSink {
public:
  void add(const std::string &message) {
    if (first.empty())
      first = message;
  }
  bool empty() const { return first.empty(); }
  const std::string &message() const { return first; }

private:
  std::string first;
};

llvm::FunctionPass *createCommandSchedule();
llvm::FunctionPass *createCommandExpansion();
llvm::FunctionPass *createTransferAllocation();
llvm::FunctionPass *createBankAssignment();
llvm::FunctionPass *createKeepPathMarks();

/// The ld_field mask of a word whose bytes are all 0 or ff; 0 for other words.
inline unsigned byteMaskOf(uint32_t value) {
  unsigned mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    uint32_t b = value >> 8 * byte & 0xff;
    if (b == 0xff)
      mask |= 1u << byte;
    else if (b)
      return 0;
  }
  return mask == 0xf ? 0 : mask;
}

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXP_H
