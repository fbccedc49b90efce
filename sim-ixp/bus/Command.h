// One memory or I/O command in flight.
//
// A command is what a microengine puts into its command FIFO: the operation, an
// address, a count, the first transfer register and a signal. It travels over
// the command bus of the engine's cluster to its unit. The unit pulls operands
// from transfer-out registers or pushes results into transfer-in registers
// through the chassis, and then gives the command back. Commands live in the
// chassis's pool.

#ifndef KARAKAL_SIM_IXP_BUS_COMMAND_H
#define KARAKAL_SIM_IXP_BUS_COMMAND_H

#include "target-ixp/table/Instruction.h"

#include <array>
#include <cstdint>

namespace karakal::sim {

class CommandUnit;

/// No chip of the family has more engines.
constexpr uint32_t engineCountMax = 16;
/// Among the actors that observers are told of, engines have their index and
/// the XScale core this number.
constexpr uint32_t xscaleActor = engineCountMax;

/// The kind of transfer register that a command names.
enum class TransferKind : uint8_t { S, D };

/// The fields of a command that its instruction determines, with engine and
/// context.
struct CommandHead {
  /// Microengine 0..15 and context 0..7 that issued the command.
  uint8_t engine = 0;
  uint8_t context = 0;
  /// The operation, which also determines the unit (CommandCodes.h).
  target::Op op = autopush;
  /// The operation of a push that no command asked for.
  static constexpr target::Op autopush = target::Op::Nop;
  /// Longwords (SRAM, scratch, MSF 32-bit), quadwords (DRAM, MSF 64-bit) or
  /// keys (hash), 1..16; an indirect reference has been applied.
  uint8_t count = 0;
  /// First transfer register of the context and its kind.
  uint8_t xfer = 0;
  TransferKind kind = TransferKind::S;
  /// Signal 1..15 raised at completion, 0 = none.
  uint8_t signal = 0;
  /// The signal is a pair: signal and signal + 1 are raised together (DRAM).
  bool isSignalPair = false;
  /// The command has an indirect reference: the result of the preceding
  /// instruction.
  bool isIndirect = false;
  /// Private to the chassis: words that a pull or push has yet to move.
  uint8_t wordsInTransit = 0;
  /// Address of the instruction.
  uint16_t pc = 0;
};

/// A command from issue to completion. All but the data lies in one cache line
/// of the host.
struct alignas(64) Command : CommandHead {
  /// Word of the indirect reference, 0 if the command has none.
  uint32_t indirectWord = 0;
  /// Sum of the two address operands.
  uint32_t address = 0;
  /// The unit that has accepted the command and not yet performed it. Only
  /// units whose memory the XScale core shares set and clear it.
  const CommandUnit *pendingAt = nullptr;
  /// Private to the chassis: order of issue and then of arrival at units, and
  /// the unit that a pull or a move serves.
  uint64_t arrivalNumber = 0;
  CommandUnit *puller = nullptr;
  /// Private to the push bus: the cycle after the last word.
  uint64_t transferEnd = 0;
  /// Private to the chassis: the inlet in which the command has a place or
  /// waits for one.
  uint32_t inlet = 0;
  /// Operands pulled, or results to be pushed: one 32-bit word per register.
  alignas(64) std::array<uint32_t, 32> data{};
};
/// A command as the argument of an event, and back.
inline uint64_t eventArgument(Command &command) {
  return reinterpret_cast<uintptr_t>(&command);
}
inline Command &commandOf(uint64_t eventArgument) {
  return *reinterpret_cast<Command *>(static_cast<uintptr_t>(eventArgument));
}
static_assert(sizeof(void *) != 8 || sizeof(Command) == 64 + 128,
              "a command takes one cache line besides its data");

/// Observes commands between issue and completion.
class CommandObserver {
public:
  virtual ~CommandObserver() = default;
  /// A command is issued (`isEnd` is false) or complete.
  virtual void onCommand(uint64_t cycle, const Command &command,
                         bool isEnd) = 0;
};

/// A unit that takes commands: scratch, SRAM, DRAM, hash, CAP, MSF.
///
/// The chassis calls `accept` when the command reaches the unit; the
/// scheduler's now is that cycle. The unit owns the command until it passes it
/// to `Chassis::push` or `Chassis::finish`. Before that it may call
/// `Chassis::pull` once, which ends in `onPulled`.
class CommandUnit {
public:
  virtual ~CommandUnit() = default;
  virtual void accept(Command &command) = 0;
  /// The operands are in `command.data`; now is the cycle of the last word.
  virtual void onPulled(Command &command) {}
  /// What the command moves to the media interface's buffer has arrived.
  virtual void onMoved(Command &command) {}
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_COMMAND_H
