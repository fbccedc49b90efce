// An instruction prepared for execution.
//
// Decoding happens once, at load (PrepareProgram.h). All storage that an
// operand can name lies in one array of words, the register file. The literals
// 0..255 follow it, and one word, the sink, takes results without a
// destination. So almost every operand is an index and one of four bases: 0,
// the context's registers, and the context's two local-memory pointers. Index
// and base are ORed, as the hardware does for local memory; all kinds of
// storage are aligned for that:
//
//   regs[op.a | bases[op.aBase]]
//
// An operand that moves its index register, or goes through T_INDEX or the
// next-neighbour ring, is resolved to such an index when it executes. A shift
// is a rotation and a mask.

#ifndef KARAKAL_SIM_IXP_ENGINE_MICROOP_H
#define KARAKAL_SIM_IXP_ENGINE_MICROOP_H

#include "sim-ixp/bus/Command.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/Instruction.h"
#include "target-ixp/table/InstructionTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

/// Where each kind of storage begins in the register file.
namespace reg {
constexpr uint16_t gprA = 0;
constexpr uint16_t gprB = gprA + target::GprPerBank;
constexpr uint16_t sIn = gprB + target::GprPerBank;
constexpr uint16_t sOut = sIn + 128;
constexpr uint16_t dIn = sOut + 128;
constexpr uint16_t dOut = dIn + 128;
constexpr uint16_t neighbour = dOut + 128;
constexpr uint16_t sink = neighbour + 128;
constexpr uint16_t localMemory = 1024; ///< a pointer names 1,024 words
constexpr uint16_t literal = localMemory + target::LocalMemoryWords;
constexpr uint16_t count = literal + 256;
static_assert(sink < localMemory && localMemory % 1024 == 0,
              "pointers are ORed into the index");
} // namespace reg

/// Why an instruction needs more than the common path.
enum MicroOpSpecial : uint16_t {
  /// It touches state that others change or see, so it must wait until the
  /// engine is the earliest of all.
  SpecialShared = 1,
  /// An operand moves its index register, or is no plain index.
  SpecialIndexed = 2,
  /// It is a memory or I/O command.
  SpecialCommand = 4,
  /// The word is no instruction: executing it is a fault.
  SpecialIllegal = 8,
  /// A conditional branch directly before a CAM instruction: if the branch is
  /// taken, the hardware does not suppress the CAM's side effect.
  SpecialBeforeCam = 16,
  /// An operand lies in local memory, at a pointer.
  SpecialLocal = 32,
  /// It reads the engine's time or PC.
  SpecialState = 64,
  /// It names a register that exists only in four-context mode.
  SpecialFourContexts = 128,
  /// It reads a transfer-in or writes a transfer-out register.
  SpecialTransfer = 256,
  /// A breakpoint: the run stops here.
  SpecialBreak = 512,
  /// It is no operation of the data path.
  SpecialControl = 1024,
  /// Of a swap's delay slots: one writes a local CSR.
  SpecialSlotWrite = 2048,
  /// It reads the condition codes, which CC_ENABLE may freeze.
  SpecialFlags = 4096,
};

/// Flags that need attention whatever the engine's state is.
constexpr uint16_t SpecialAlways = SpecialShared | SpecialIndexed |
                                   SpecialIllegal | SpecialState |
                                   SpecialFourContexts | SpecialBreak;

/// What is ORed into an operand's index.
enum MicroOpBase : uint8_t {
  BaseAbsolute = 0,
  BaseContext = 1,
  BaseLocal0 = 2,
  BaseLocal1 = 3,
};

/// Parameter of an instruction with a shift.
enum MicroOpShift : uint8_t {
  ShiftConstant = 0,
  ShiftLeftIndirect = 1,
  ShiftRightIndirect = 2,
};

/// Bits of MicroOp::value of ctx_arb; 15:0 are the mask of signals.
enum MicroOpArbitration : uint32_t {
  ArbitrationAny = 1u << 16,
  ArbitrationKeepMask = 1u << 17,
  ArbitrationBreakpoint = 1u << 18,
  ArbitrationTarget = 1u << 19,
};

class Microengine;
struct MicroOp;

/// Executes an operation and those that follow it, over taken branches and
/// changes of context (DataPath.h). Returns the first operation that needs the
/// engine's loop, or null where the engine must stop. `own` are the registers
/// of the context.
using ChainHandler = const MicroOp *(*)(const MicroOp *op, uint32_t *regs,
                                        uint32_t *own, Microengine *engine);

/// One prepared instruction, half a cache line.
struct alignas(32) MicroOp {
  ChainHandler chain = nullptr;
  target::Op op = target::Op::Nop;
  /// Shifts: 0 constant, or the kind of indirect shift (MicroOpShift).
  uint8_t parameter = 0;
  uint16_t special = 0;
  uint16_t a = reg::literal;
  uint16_t b = reg::literal;
  uint16_t dest = reg::sink;
  uint8_t aBase = BaseAbsolute;
  uint8_t bBase = BaseAbsolute;
  uint8_t destBase = BaseAbsolute;
  /// Right rotation of b, to be masked with shiftMask. Branches, ctx_arb and
  /// commands: slots after a taken branch or swap (3:0), and how many of them
  /// execute (7:4).
  uint8_t rotate = 0;
  /// Branches, ctx_arb: the target. ld_field: whether it sets the flags.
  uint16_t target = 0;
  /// Branches and swaps: the flags of their delay slots (MicroOpSpecial), or
  /// SpecialControl if the path is illegal.
  uint32_t shiftMask = ~uint32_t{0};
  /// Final value of immed; byte mask of ld_field; literal of br=byte; what
  /// ctx_arb waits for (MicroOpArbitration); index of a command's shape; a
  /// local CSR.
  uint32_t value = 0;

  uint32_t slots() const { return rotate & 15; }
  uint32_t defer() const { return rotate >> 4; }
};
static_assert(sizeof(void *) != 8 || sizeof(MicroOp) == 32, "see above");

/// The fields that a command instruction gives each of its commands.
struct CommandShape {
  CommandHead head;
  bool hasSwap = false;
  /// The address is the sum of two operands, nothing is indirect.
  bool isPlain = true;
  uint8_t unitBytes = 0;   ///< bytes moved per count
  uint8_t ignoredBits = 0; ///< low address bits that the unit ignores
  target::AddressForm address = target::AddressForm::Sum;
  uint16_t csr = 0;
  uint16_t immediate = 0;
  /// The transfer registers that it fills and sends in eight-context mode, in
  /// the form of Context::pendingIn and pendingOut.
  uint64_t fills = 0;
  uint64_t takes = 0;
};

/// The bits of Context::pendingIn of `words` registers from `first` on; they
/// wrap around inside a context's `registers` registers of that kind.
inline uint64_t transferMask(TransferKind kind, uint32_t first, uint32_t words,
                             uint32_t registers) {
  uint64_t all = (uint64_t{1} << registers) - 1;
  uint64_t burst = words >= registers ? all : (uint64_t{1} << words) - 1;
  burst <<= first & (registers - 1);
  uint64_t mask = (burst | burst >> registers) & all;
  return kind == TransferKind::D ? mask << 32 : mask;
}

/// A program prepared for execution. `ops` ends with illegal operations, so
/// that running off the end is found.
struct MicroProgram {
  /// The name in the image; may be empty.
  std::string name;
  std::vector<target::Instruction> instructions;
  std::vector<MicroOp> ops;
  /// One for each command instruction, in program order.
  std::vector<CommandShape> commands;
  /// Whether a word is an instruction of the machine.
  std::vector<bool> isLegal;
  /// Source location of each word, "file:line"; may be shorter or empty.
  std::vector<std::string> locations;
  /// A function that waits for a lock, and the words that call it.
  struct LockFunction {
    uint32_t begin, end;
    std::vector<uint32_t> calls; ///< ascending
  };
  std::vector<LockFunction> lockFunctions;

  /// The lock function that contains a word, or null.
  const LockFunction *lockFunctionAt(uint32_t word) const {
    for (const LockFunction &function : lockFunctions)
      if (word >= function.begin && word < function.end)
        return &function;
    return nullptr;
  }

  /// " (file:line)" of a word, or an empty string.
  std::string locationOf(uint32_t word) const {
    return word < locations.size() && !locations[word].empty()
               ? " (" + locations[word] + ")"
               : std::string();
  }
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_MICROOP_H
