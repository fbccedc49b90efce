// The codes of memory and I/O commands.
//
// Generated from the command rows of InstructionTable.def, for code that
// handles commands by unit: the unit of an operation, its target and token in
// the instruction word, and one enumeration per unit, so that a switch over a
// unit's commands covers all of them. No other file has command numbers.
//
//   unitOf(Op::DramRbufRd)        -> FunctionalUnit::Dram
//   commandCode(Op::DramRbufRd)   -> target 0x2a, token 0
//   sramCommand(Op::SramTestAdd)  -> SramCommand::TestAdd

#ifndef KARAKAL_TARGET_IXP_TABLE_COMMANDCODES_H
#define KARAKAL_TARGET_IXP_TABLE_COMMANDCODES_H

#include "target-ixp/table/Instruction.h"
#include "target-ixp/table/InstructionTable.h"

#include <array>
#include <cstdint>

namespace karakal::target {

/// A unit of the chip that takes commands; None for all other operations.
enum class FunctionalUnit : uint8_t {
  None,
  Sram,
  Scratch,
  Dram,
  Cap,
  Pci,
  Hash,
  Msf
};
constexpr unsigned FunctionalUnitCount = 8;

/// The table entry of a command.
struct CommandCode {
  FunctionalUnit unit = FunctionalUnit::None;
  uint8_t target = 0; ///< bits 37:32 of the instruction
  uint8_t token = 0;  ///< bits 19:18
  XferUse xfer = XferUse::No;
  uint8_t unitBytes = 0; ///< bytes moved per count
};

namespace detail {
constexpr std::array<CommandCode, OpCount> commandCodes = {{
#define KARAKAL_INSTRUCTION(...) CommandCode(),
#define KARAKAL_COMMAND(op, unit, mnemonic, variant, target, token, xfer,      \
                        countMax, unitBytes, ...)                              \
  CommandCode{FunctionalUnit::unit, target, token, XferUse::xfer, unitBytes},
#include "target-ixp/table/InstructionTable.def"
}};
} // namespace detail

/// The code of a command.
constexpr const CommandCode &commandCode(Op op) {
  return detail::commandCodes[static_cast<unsigned>(op)];
}
/// The unit that executes `op`; None if it is not a command.
constexpr FunctionalUnit unitOf(Op op) { return commandCode(op).unit; }

/// Whether the unit takes operands from transfer-out registers.
constexpr bool pullsOperands(Op op) {
  XferUse xfer = commandCode(op).xfer;
  return xfer == XferUse::Out || xfer == XferUse::InOut;
}
/// Whether the unit returns words to transfer-in registers.
constexpr bool pushesResult(Op op) {
  XferUse xfer = commandCode(op).xfer;
  return xfer == XferUse::In || xfer == XferUse::InOut;
}

#define KARAKAL_COMMAND_VALUE(op) static_cast<uint8_t>(Op::op)

/// Commands of the SRAM unit.
enum class SramCommand : uint8_t {
#define KARAKAL_SRAM_COMMAND(name, ...)                                        \
  name = KARAKAL_COMMAND_VALUE(Sram##name),
#include "target-ixp/table/InstructionTable.def"
};
/// Commands of the scratchpad.
enum class ScratchCommand : uint8_t {
#define KARAKAL_SCRATCH_COMMAND(name, ...)                                     \
  name = KARAKAL_COMMAND_VALUE(Scratch##name),
#include "target-ixp/table/InstructionTable.def"
};
/// Commands of the DRAM unit.
enum class DramCommand : uint8_t {
#define KARAKAL_DRAM_COMMAND(name, ...)                                        \
  name = KARAKAL_COMMAND_VALUE(Dram##name),
#include "target-ixp/table/InstructionTable.def"
};
/// Commands of the CAP.
enum class CapCommand : uint8_t {
#define KARAKAL_CAP_COMMAND(name, ...) name = KARAKAL_COMMAND_VALUE(Cap##name),
#include "target-ixp/table/InstructionTable.def"
};
/// Commands of the hash unit, by number of key bits.
enum class HashCommand : uint8_t {
#define KARAKAL_HASH_COMMAND(bits, ...)                                        \
  Key##bits = KARAKAL_COMMAND_VALUE(Hash##bits),
#include "target-ixp/table/InstructionTable.def"
};
/// Commands of the media switch fabric interface.
enum class MsfCommand : uint8_t {
#define KARAKAL_MSF_COMMAND(name, ...) name = KARAKAL_COMMAND_VALUE(Msf##name),
#include "target-ixp/table/InstructionTable.def"
};

#undef KARAKAL_COMMAND_VALUE

/// The command of a unit; `op` must be one of that unit.
constexpr SramCommand sramCommand(Op op) {
  return static_cast<SramCommand>(op);
}
constexpr ScratchCommand scratchCommand(Op op) {
  return static_cast<ScratchCommand>(op);
}
constexpr DramCommand dramCommand(Op op) {
  return static_cast<DramCommand>(op);
}
constexpr CapCommand capCommand(Op op) { return static_cast<CapCommand>(op); }
constexpr HashCommand hashCommand(Op op) {
  return static_cast<HashCommand>(op);
}
constexpr MsfCommand msfCommand(Op op) { return static_cast<MsfCommand>(op); }

/// The effect of a read, write or atomic command on a word of SRAM or scratch.
enum class WordAccess : uint8_t {
  None, ///< the command addresses a queue, a ring or a register
  Read,
  Write,
  Swap,
  Set,
  Clear,
  Add,
  Subtract,
  Increment,
  Decrement
};

namespace detail {
constexpr WordAccess classifyAccess(Op op) {
  switch (op) {
  case Op::SramRead:
  case Op::ScratchRead:
    return WordAccess::Read;
  case Op::SramWrite:
  case Op::ScratchWrite:
    return WordAccess::Write;
  case Op::SramSwap:
  case Op::ScratchSwap:
    return WordAccess::Swap;
  case Op::SramSet:
  case Op::SramTestSet:
  case Op::ScratchSet:
  case Op::ScratchTestSet:
    return WordAccess::Set;
  case Op::SramClr:
  case Op::SramTestClr:
  case Op::ScratchClr:
  case Op::ScratchTestClr:
    return WordAccess::Clear;
  case Op::SramAdd:
  case Op::SramTestAdd:
  case Op::ScratchAdd:
  case Op::ScratchTestAdd:
    return WordAccess::Add;
  case Op::ScratchSub:
  case Op::ScratchTestSub:
    return WordAccess::Subtract;
  case Op::SramIncr:
  case Op::SramTestIncr:
  case Op::ScratchIncr:
  case Op::ScratchTestIncr:
    return WordAccess::Increment;
  case Op::SramDecr:
  case Op::SramTestDecr:
  case Op::ScratchDecr:
  case Op::ScratchTestDecr:
    return WordAccess::Decrement;
  default:
    return WordAccess::None;
  }
}

struct WordAccessTable {
  WordAccess accesses[OpCount] = {};
  constexpr WordAccessTable() {
    for (unsigned op = 0; op < OpCount; ++op)
      accesses[op] = classifyAccess(static_cast<Op>(op));
  }
};
constexpr WordAccessTable wordAccesses;
} // namespace detail

/// The access of a command; SRAM and scratch have the same ones.
constexpr WordAccess wordAccess(Op op) {
  return detail::wordAccesses.accesses[static_cast<unsigned>(op)];
}
constexpr bool isAtomic(WordAccess access) {
  return access >= WordAccess::Swap;
}

namespace detail {
constexpr uint8_t accessBits(Op op) { return commandCode(op).target & 15; }
// SRAM and scratch encode an access in the same low four bits of the target
// ("MEv2 reference", commands).
static_assert(accessBits(Op::SramRead) == accessBits(Op::ScratchRead) &&
              accessBits(Op::SramWrite) == accessBits(Op::ScratchWrite) &&
              accessBits(Op::SramSwap) == accessBits(Op::ScratchSwap) &&
              accessBits(Op::SramTestSet) == accessBits(Op::ScratchTestSet) &&
              accessBits(Op::SramTestClr) == accessBits(Op::ScratchTestClr) &&
              accessBits(Op::SramTestAdd) == accessBits(Op::ScratchTestAdd) &&
              accessBits(Op::SramTestIncr) == accessBits(Op::ScratchTestIncr) &&
              accessBits(Op::SramTestDecr) == accessBits(Op::ScratchTestDecr));
} // namespace detail

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_COMMANDCODES_H
