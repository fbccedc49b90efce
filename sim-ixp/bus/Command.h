// One memory or I/O command in flight.
//
// A command is what a microengine puts into its command FIFO: the unit's
// operation, an address, a count, the first transfer register and a signal. It
// travels over the cluster's command bus to its unit, which pulls operands from
// transfer-out registers or pushes results into transfer-in registers through
// the chassis, and then gives it back. Commands live in the chassis's pool.

#ifndef KARAKAL_SIM_IXP_BUS_COMMAND_H
#define KARAKAL_SIM_IXP_BUS_COMMAND_H

#include "target-ixp/table/Instruction.h"

#include <array>
#include <cstdint>

namespace karakal::sim {

class CommandUnit;

/// Which kind of transfer register a command names.
enum class TransferKind : uint8_t { S, D };

/// What a command's instruction says of it, with engine and context.
struct CommandHead {
  /// Microengine index 0..15 and context 0..7 that issued it.
  uint8_t engine = 0;
  uint8_t context = 0;
  /// The operation, which names the unit, too (CommandCodes.h).
  target::Op op = autopush;
  /// The operation of a push that no command asked for.
  static constexpr target::Op autopush = target::Op::Nop;
  /// Longwords (SRAM, scratch, MSF 32-bit) or quadwords (DRAM, MSF 64-bit),
  /// 1..16, the override of an indirect reference already applied.
  uint8_t count = 0;
  /// First transfer register of the context and its kind.
  uint8_t xfer = 0;
  TransferKind kind = TransferKind::S;
  /// Signal 1..15 raised at completion, 0 = none.
  uint8_t signal = 0;
  /// The signal is a pair: signal and signal + 1 are raised together (DRAM).
  bool isSignalPair = false;
  /// Indirect reference: the result of the preceding instruction.
  bool isIndirect = false;
  /// Private to the chassis: words that a pull or push still moves.
  uint8_t wordsInTransit = 0;
  /// Address of the instruction.
  uint16_t pc = 0;
};

/// A command from issue to completion. All but the data lies in one line of the
/// host's cache.
struct alignas(64) Command : CommandHead {
  /// Word of an indirect reference, 0 if the command has none.
  uint32_t indirectWord = 0;
  /// Sum of the two address operands.
  uint32_t address = 0;
  /// Private to the unit that holds the command.
  uint64_t unitState = 0;
  /// The unit that has accepted the command and not yet done what it asks;
  /// set and cleared by units whose memory the core shares.
  const CommandUnit *server = nullptr;
  /// Private to the chassis: order of arrival at units, whom a pull serves.
  uint64_t arrivalNumber = 0;
  CommandUnit *puller = nullptr;
  /// Operands pulled, or results to be pushed: one 32-bit word a register.
  alignas(64) std::array<uint32_t, 32> data{};
};
static_assert(sizeof(void *) != 8 || sizeof(Command) == 64 + 128, "see above");

class Chassis;

/// Who sees commands come and go.
class CommandObserver {
public:
  virtual ~CommandObserver() = default;
  /// A command is issued, or is done.
  virtual void onCommand(uint64_t cycle, const Command &command,
                         bool isEnd) = 0;
};

/// A unit that takes commands: scratch, SRAM, DRAM, hash, CAP, MSF.
///
/// `accept` runs when the command reaches the unit (the scheduler's now is that
/// cycle). The unit owns the command until it hands it to
/// `Chassis::push` or `Chassis::finish`; between them it may call
/// `Chassis::pull` once, which ends in `onPulled`.
class CommandUnit {
public:
  virtual ~CommandUnit() = default;
  virtual void accept(Command &command) = 0;
  /// The operands are in `command.data` (now is the cycle of the last word).
  virtual void onPulled(Command &command) {}
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_COMMAND_H
