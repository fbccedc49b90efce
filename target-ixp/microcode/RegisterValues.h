// Propagates constants through registers.
//
// A command names a unit, but not the SRAM channel: that is in bits 31:30 of
// the address, the sum of two registers. The addresses of tables are constants
// of the program, so following constants forward through the words finds most
// channels:
//
//   immed_w1[a9, 0x4000]                a9 is 0x4000nnnn: SRAM channel 1
//   alu[b6, a9, +, b6]                  an address in the table: channel 1
//   sram[read, $5, b6, 0, 2]            a command to channel 1
//
// An address of unknown channel counts as channel 0.
//
// A register is unknown where paths with different values meet, and after a
// call of a function that writes it. Values in memory are not tracked. The cost
// model needs averages, so paths that few messages take are ignored.
//
// Cost: words times registers, a few iterations.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_REGISTERVALUES_H
#define KARAKAL_TARGET_IXP_MICROCODE_REGISTERVALUES_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/microcode/FlowGraph.h"

#include <array>

namespace karakal::target {

/// The value of a register: a constant, an address in SRAM channel 1, 2 or 3,
/// or unknown.
struct RegisterValue {
  enum class Kind : uint8_t { Unreached, Constant, InChannel, Unknown };
  Kind kind = Kind::Unreached;
  /// The constant or the channel.
  uint32_t bits = 0;

  static RegisterValue constant(uint32_t bits) {
    return {Kind::Constant, bits};
  }
  static RegisterValue inChannel(uint32_t channel) {
    return {Kind::InChannel, channel};
  }
  static RegisterValue unknown() { return {Kind::Unknown, 0}; }
  bool isConstant() const { return kind == Kind::Constant; }
  /// The SRAM channel of the address on a chip of `channels` channels; 0 if
  /// unknown.
  uint32_t channel(uint32_t channels) const;
  bool operator==(const RegisterValue &o) const {
    return kind == o.kind && bits == o.bits;
  }
};

class RegisterValues {
public:
  RegisterValues(const Microcode &code, const WordFlow &flow,
                 const ChipParameters &chip);

  /// The SRAM channel of the command at `word`.
  uint32_t sramChannel(uint32_t word) const;
  /// Whether the command at `word` puts a message on the ring to Tx.
  bool sendsPacket(uint32_t word) const;
  /// Whether the message that the command at `word` puts lacks head and length
  /// of its packet.
  bool lacksHead(uint32_t word) const;

private:
  /// GPRs of both banks, then the S transfer registers that commands send.
  static constexpr unsigned bankRegisters = 16, stateSize = 3 * bankRegisters;
  static_assert(bankRegisters == GprPerBankPerContext &&
                    bankRegisters == XferPerContext,
                "a context has equally many registers of each kind");
  using State = std::array<RegisterValue, stateSize>;

  static std::optional<unsigned> indexOf(const Operand &operand);
  static RegisterValue valueOf(const State &state, const Operand &operand);
  RegisterValue resultOf(const State &state,
                         const Instruction &instruction) const;
  RegisterValue meet(RegisterValue a, RegisterValue b) const;
  RegisterValue sumOf(RegisterValue a, RegisterValue b, bool isOr) const;
  RegisterValue replaced(RegisterValue old, uint32_t mask, uint32_t bits) const;
  void findWrites(const Microcode &code);
  State after(uint32_t word) const;
  /// The dataflow meet of `from` and the state before `word`. Returns whether
  /// the state changed.
  bool join(uint32_t word, const State &from);
  void run(const Microcode &code);

  const WordFlow &flow;
  uint32_t channels; ///< number of SRAM channels
  std::vector<State> before;
  /// By first word of a function, the registers that it and its callees write.
  std::vector<std::array<bool, stateSize>> writes;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_REGISTERVALUES_H
