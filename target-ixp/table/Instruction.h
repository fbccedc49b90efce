// One MEv2 instruction, decoded.
//
// The decoded form of a 40-bit microword. The assembler parses it, the code
// generator builds it, the printer prints it and the simulator executes it.
// Operands are in logical order (dest, a, b as written). The encoder chooses
// the port of each source and the swap bits (Encoding.h).
//
//   Instruction i = alu(Op::AluAdd, gprA(3), gprB(1), imm(4));
//   encode(i)  -> 40-bit word          print(i) -> "alu[a3, b1, +, 0x4]"
//
// InstructionTable.def defines the operations and their operands.

#ifndef KARAKAL_TARGET_IXP_TABLE_INSTRUCTION_H
#define KARAKAL_TARGET_IXP_TABLE_INSTRUCTION_H

#include <cstdint>

namespace karakal::target {

/// One operation: one row of InstructionTable.def.
enum class Op : uint8_t {
#define KARAKAL_INSTRUCTION(op, ...) op,
#define KARAKAL_COMMAND(op, ...) op,
#include "target-ixp/table/InstructionTable.def"
};

/// Number of operations (rows).
constexpr unsigned OpCount = 0
#define KARAKAL_INSTRUCTION(op, ...) +1
#define KARAKAL_COMMAND(op, ...) +1
#include "target-ixp/table/InstructionTable.def"
    ;

enum class PostModify : uint8_t { None, Increment, Decrement };

/// A source or destination.
struct Operand {
  enum class Kind : uint8_t {
    None,           ///< "--", or not given
    GprA,           ///< context-relative GPR aN
    GprB,           ///< context-relative GPR bN
    AbsoluteA,      ///< @aN, N 0..127
    AbsoluteB,      ///< @bN, N 0..127
    SXfer,          ///< $N: in-register as source, out-register as destination
    DXfer,          ///< $$N: likewise
    SXferIndex,     ///< *$index: S transfer register that T_INDEX names
    DXferIndex,     ///< *$$index
    LocalMemory0,   ///< *l$index0[N]: word LM_ADDR_0 | N
    LocalMemory1,   ///< *l$index1[N]
    Neighbour,      ///< n$N
    NeighbourIndex, ///< *n$index: the next-neighbour ring
    Immediate,      ///< literal 0..255
  };
  Kind kind = Kind::None;
  PostModify post = PostModify::None;
  /// Register number, local-memory offset or literal.
  uint16_t value = 0;

  bool isNone() const { return kind == Kind::None; }
  bool isImmediate() const { return kind == Kind::Immediate; }
  bool isGpr() const { return kind >= Kind::GprA && kind <= Kind::AbsoluteB; }
  /// A GPR of bank A (relative or absolute).
  bool isBankA() const { return kind == Kind::GprA || kind == Kind::AbsoluteA; }
  bool isBankB() const { return kind == Kind::GprB || kind == Kind::AbsoluteB; }
  bool isLocalMemory() const {
    return kind == Kind::LocalMemory0 || kind == Kind::LocalMemory1;
  }
  bool isSXfer() const {
    return kind == Kind::SXfer || kind == Kind::SXferIndex;
  }
  bool isDXfer() const {
    return kind == Kind::DXfer || kind == Kind::DXferIndex;
  }
  bool operator==(const Operand &o) const {
    return kind == o.kind && post == o.post && value == o.value;
  }
  bool operator!=(const Operand &o) const { return !(*this == o); }
};

/// The shift of the logical b operand.
struct Shift {
  enum class Kind : uint8_t {
    None,
    Left,          ///< <<N, N 1..31 (immed: 8 or 16)
    Right,         ///< >>N, N 1..31
    RotateRight,   ///< >>rotN, N 1..31 (<<rotN is >>rot(32-N))
    LeftIndirect,  ///< << by the previous instruction's a operand
    RightIndirect, ///< >> by the same
  };
  Kind kind = Kind::None;
  uint8_t amount = 0;

  bool operator==(const Shift &o) const {
    return kind == o.kind && amount == o.amount;
  }
};

/// Polynomial of a crc instruction; values are the encoding's.
enum class CrcType : uint8_t {
  None = 0,
  Ccitt = 2,
  Crc32 = 4,
  Iscsi = 5,
  Crc10 = 6,
  Crc5 = 7,
};

/// Which bytes of the source enter a crc; values are the encoding's.
enum class CrcBytes : uint8_t {
  All = 0,
  From1To3 = 1,
  From2To3 = 2,
  Only3 = 3,
  From0To2 = 4,
  From0To1 = 5,
  Only0 = 6,
};

/// A decoded instruction. A field is meaningful only if the row's format has
/// it (InstructionTable.h); all others keep their default, so that equality of
/// instructions is equality of members.
struct Instruction {
  Op op = Op::Nop;

  /// Destination; ld_field: also the source of the kept bytes.
  Operand dest;
  /// Logical first source. Commands: address operand on the A port.
  Operand a;
  /// Logical second source, the one that passes the shifter. Commands:
  /// address operand on the B port.
  Operand b;
  Shift shift;

  /// ld_field: bit n set = byte n (0 = bits 7:0) is written.
  uint8_t byteMask = 0;
  /// ld_field: also update the condition codes.
  bool loadCc = false;
  /// immed family: the 16-bit (8-bit) value before shift and inversion.
  /// br=byte: the byte compared with. cap[fast_wr, N, ...]: the data.
  uint16_t immediate = 0;
  /// immed: the shifted value is complemented.
  bool invert = false;

  /// Branches, jump base, ctx_arb br[]: absolute word address.
  uint16_t target = 0;
  /// Number of delay slots that are executed, defer[n].
  uint8_t defer = 0;
  /// Context, signal or input state of a branch; bit of br_bset; byte number
  /// of br=byte; state of cam_write.
  uint8_t parameter = 0;
  /// Local CSR byte offset, or CAP register address.
  uint16_t csr = 0;

  /// ctx_arb: bit n = signal n, bit 0 = voluntary.
  uint16_t signalMask = 0;
  bool any = false;        ///< ctx_arb: wake on any signal of the mask
  bool keepMask = false;   ///< ctx_arb[--]: the mask is already in the CSR
  bool breakpoint = false; ///< ctx_arb[bpt]
  bool hasTarget = false;  ///< ctx_arb: resume at `target`

  /// cam_lookup: also load LM_ADDR_0 / LM_ADDR_1 with (block, entry).
  bool loadLm0 = false;
  bool loadLm1 = false;
  uint8_t lmBlock = 0; ///< lm_addr0[k]: k 0..3

  CrcType crcType = CrcType::None;
  CrcBytes crcBytes = CrcBytes::All;
  bool crcLittleEndian = false;
  bool crcBitSwap = false;

  /// Commands: first transfer register (SXfer or DXfer), None if none.
  Operand xfer;
  /// Commands: 1..8 longwords or quadwords; 0 if the command has no count.
  uint8_t count = 0;
  /// Commands: signal 1..15 raised at completion, 0 = none. The DRAM and
  /// test_and_ forms raise `signal` (even) and `signal` + 1.
  uint8_t signal = 0;
  /// Commands: swap out until the signal; `defer` slots are executed first.
  bool ctxSwap = false;
  bool indirectRef = false;

  bool operator==(const Instruction &o) const;
  bool operator!=(const Instruction &o) const { return !(*this == o); }
};

//===-- Operands ----------------------------------------------------------===//

constexpr Operand none() { return {}; }
constexpr Operand operandOf(Operand::Kind kind, unsigned value,
                            PostModify post = PostModify::None) {
  return Operand{kind, post, static_cast<uint16_t>(value)};
}
constexpr Operand gprA(unsigned n) { return operandOf(Operand::Kind::GprA, n); }
constexpr Operand gprB(unsigned n) { return operandOf(Operand::Kind::GprB, n); }
constexpr Operand absA(unsigned n) {
  return operandOf(Operand::Kind::AbsoluteA, n);
}
constexpr Operand absB(unsigned n) {
  return operandOf(Operand::Kind::AbsoluteB, n);
}
constexpr Operand sXfer(unsigned n) {
  return operandOf(Operand::Kind::SXfer, n);
}
constexpr Operand dXfer(unsigned n) {
  return operandOf(Operand::Kind::DXfer, n);
}
constexpr Operand sXferIndex(PostModify post = PostModify::None) {
  return operandOf(Operand::Kind::SXferIndex, 0, post);
}
constexpr Operand dXferIndex(PostModify post = PostModify::None) {
  return operandOf(Operand::Kind::DXferIndex, 0, post);
}
/// *l$indexP[offset]: pointer P 0 or 1.
constexpr Operand localMemory(unsigned pointer, unsigned offset = 0,
                              PostModify post = PostModify::None) {
  return operandOf(pointer ? Operand::Kind::LocalMemory1
                           : Operand::Kind::LocalMemory0,
                   offset, post);
}
constexpr Operand neighbour(unsigned n) {
  return operandOf(Operand::Kind::Neighbour, n);
}
constexpr Operand neighbourIndex(PostModify post = PostModify::None) {
  return operandOf(Operand::Kind::NeighbourIndex, 0, post);
}
/// A literal 0..255.
constexpr Operand imm(unsigned value) {
  return operandOf(Operand::Kind::Immediate, value);
}

//===-- Shifts ------------------------------------------------------------===//

/// <<n; n = 0 is no shift.
constexpr Shift shl(unsigned n) {
  return n ? Shift{Shift::Kind::Left, static_cast<uint8_t>(n)} : Shift{};
}
/// >>n; n = 0 is no shift.
constexpr Shift shr(unsigned n) {
  return n ? Shift{Shift::Kind::Right, static_cast<uint8_t>(n)} : Shift{};
}
constexpr Shift rotr(unsigned n) {
  return n & 31 ? Shift{Shift::Kind::RotateRight, static_cast<uint8_t>(n & 31)}
                : Shift{};
}
constexpr Shift shlIndirect() { return {Shift::Kind::LeftIndirect, 0}; }
constexpr Shift shrIndirect() { return {Shift::Kind::RightIndirect, 0}; }

//===-- Instructions ------------------------------------------------------===//
// Each function builds one format without checks; encode checks.

/// alu[dest, a, op, b]; op one of the Alu* rows.
Instruction alu(Op op, Operand dest, Operand a, Operand b);
/// alu[dest, --, B, source]: a move.
Instruction move(Operand dest, Operand source);
/// alu_shf[dest, a, op, b, shift]; op one of the Shf* rows.
Instruction aluShf(Op op, Operand dest, Operand a, Operand b, Shift shift);
/// asr[dest, b, >>n]; it must directly follow the instruction that yields the
/// sign.
Instruction asr(Operand dest, Operand b, Shift shift);
/// dbl_shf[dest, high, low, >>n].
Instruction dblShf(Operand dest, Operand high, Operand low, Shift shift);
/// ld_field[dest, mask, source, shift] or, if `clear`, ld_field_w_clr.
Instruction ldField(Operand dest, unsigned byteMask, Operand source,
                    Shift shift = {}, bool clear = false);
/// immed[dest, value16, <<shift]; shift 0, 8 or 16.
Instruction immed(Operand dest, unsigned value, unsigned shift = 0,
                  bool invert = false);
/// immed_w0 / immed_w1 (word 0 or 1).
Instruction immedWord(unsigned word, Operand dest, unsigned value);
/// immed_b0..b3.
Instruction immedByte(unsigned byte, Operand dest, unsigned value);
Instruction nop();
/// ffs[dest, b].
Instruction ffs(Operand dest, Operand b);
/// A mul_step start or step: op MulStart, Mul*Step*.
Instruction mulStep(Op op, Operand a, Operand b);
/// A mul_step last or last2.
Instruction mulLast(Op op, Operand dest);
/// A branch without parameter: op Br, Beq, ...
Instruction branch(Op op, unsigned target, unsigned defer = 0);
/// br=ctx, br_signal, br_inp_state and their opposites.
Instruction branchOn(Op op, unsigned parameter, unsigned target,
                     unsigned defer = 0);
/// br_bset / br_bclr (set = true / false).
Instruction branchBit(bool set, Operand reg, unsigned bit, unsigned target,
                      unsigned defer = 0);
/// br=byte / br!=byte.
Instruction branchByte(bool equal, Operand reg, unsigned byte, unsigned value,
                       unsigned target, unsigned defer = 0);
/// jump[reg, target].
Instruction jump(Operand reg, unsigned target, unsigned defer = 0);
/// rtn[reg].
Instruction rtn(Operand reg, unsigned defer = 0);
/// ctx_arb on the signals of `mask` (all of them, or any).
Instruction ctxArb(unsigned mask, bool any = false, unsigned defer = 0);
/// ctx_arb[voluntary].
Instruction ctxArbVoluntary(unsigned defer = 0);
/// ctx_arb[kill].
Instruction ctxArbKill();
/// ctx_arb[bpt], also called halt.
Instruction halt();
/// local_csr_rd[csr]; the next instruction must be immed[dest, 0].
Instruction csrRead(unsigned csr);
/// local_csr_wr[csr, source]; source a register or a literal 0..255.
Instruction csrWrite(unsigned csr, Operand source);
/// A command with address a + b. `count` is 0 for commands without one.
Instruction command(Op op, Operand xfer, Operand a, Operand b, unsigned count);
/// The same command, raising `signal`; `swap` = ctx_swap.
Instruction withSignal(Instruction instruction, unsigned signal,
                       bool swap = false, unsigned defer = 0);
Instruction withIndirect(Instruction instruction);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_INSTRUCTION_H
