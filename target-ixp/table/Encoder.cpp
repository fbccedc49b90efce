// Encodes instructions.
//
// Each group of Formats.def has one function, which puts the fields into a
// WordBuilder. The builder keeps the first error and ignores later ones.

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/OperandFields.h"

#include <optional>

namespace karakal::target {

namespace {

constexpr unsigned TargetMax = 0x1fff; // 13 bits of branch address

/// Builds a word from its fields and keeps the first error.
class WordBuilder {
public:
  WordBuilder(const Instruction &instruction)
      : i(instruction), r(row(instruction.op)), word(r.bits) {}

  Result<uint64_t> build();

private:
  const Instruction &i;
  const InstructionRow &r;
  uint64_t word;
  std::optional<Error> error;

  void fail(const char *id, std::string message) {
    if (!error)
      error = makeError(id, std::move(message));
  }
  void check(const Status &status) {
    if (!status && !error)
      error = status.error();
  }
  void put(uint64_t value, unsigned lowBit) {
    KARAKAL_ASSERT(error || !(word & value << lowBit),
                   "two fields of a word overlap");
    word |= value << lowBit;
  }

  unsigned wide(const Operand &operand, Role role) {
    Result<unsigned> field = encodeWide(operand, role);
    KARAKAL_ASSERT(!field || *field >> 10 == 0, "a wide field has 10 bits");
    if (field)
      return *field;
    if (!error)
      error = field.error();
    return 0;
  }
  NarrowField narrow(const Operand &operand, Role role, unsigned immediateMax) {
    Result<NarrowField> field = encodeNarrow(operand, role, immediateMax);
    KARAKAL_ASSERT(!field || field->bits >> 8 == 0,
                   "a narrow field has 8 bits");
    if (field)
      return *field;
    if (!error)
      error = field.error();
    return {};
  }

  /// Whether the logical first source must use the B port.
  static bool needsSwap(const Operand &a, const Operand &b) {
    return a.isBankB() || b.isBankA();
  }
  void putWideSources(const Operand &a, const Operand &b, unsigned swapBit);
  void putNarrowSources(const Operand &a, const Operand &b,
                        unsigned immediateMax, bool storesBit7);
  void putBank(const Operand &dest, unsigned bit) {
    if (dest.isBankB())
      put(1, bit);
  }
  void putShift(bool immediateCountOnly);
  void putTargetAndDefer();
  void requireOperands(bool needsA, bool needsB);
  void requireCamEntry();

  // One function for each group of Formats.def.
  void encodeFixed() {}
  void encodeAlu();
  void encodeCam();
  void encodeCrc();
  void encodeShifted();
  void encodeLdField();
  void encodeImmed();
  void encodeMul();
  void encodeBranch();
  void encodeJump();
  void encodeCtxArb();
  void encodeCsr();
  void encodeCommand();
  void putCommandAddress();
  void putXfer();
  void putCompletion();
};

void WordBuilder::requireOperands(bool needsA, bool needsB) {
  if ((needsA && i.a.isNone()) || (needsB && i.b.isNone()))
    fail("E-target-ixp-005", "a source is missing: '--' is not allowed here");
}

void WordBuilder::putWideSources(const Operand &a, const Operand &b,
                                 unsigned swapBit) {
  check(checkSources(a, b));
  check(checkPostModify(i.dest, a, b));
  bool swap = needsSwap(a, b);
  const Operand &portA = swap ? b : a;
  const Operand &portB = swap ? a : b;
  put(portA.isNone() ? WideFillerA : wide(portA, Role::Source), 0);
  put(portB.isNone() ? WideFillerB : wide(portB, Role::Source), 10);
  put(swap, swapBit);
}

void WordBuilder::putNarrowSources(const Operand &a, const Operand &b,
                                   unsigned immediateMax, bool storesBit7) {
  check(checkSources(a, b));
  check(checkPostModify(i.dest, a, b));
  bool swap = needsSwap(a, b);
  const Operand &portA = swap ? b : a;
  const Operand &portB = swap ? a : b;
  NarrowField fieldA{NarrowFillerA, 0}, fieldB{NarrowFillerB, 0};
  if (!portA.isNone())
    fieldA = narrow(portA, Role::Source, immediateMax);
  if (!portB.isNone())
    fieldB = narrow(portB, Role::Source, immediateMax);
  put(fieldA.bits, 0);
  put(fieldB.bits, 10);
  if (storesBit7) {
    put(fieldA.immediateHigh | fieldB.immediateHigh, 18);
    put(swap, 19);
  }
}

/// Encodes a shift: amount at 31:28 and 32, kind at 9:8. Formats whose row
/// fixes the kind (asr, dbl_shf) shift right only, by 1..31 or indirectly.
void WordBuilder::putShift(bool rightOnly) {
  using ShiftKind = Shift::Kind;
  bool countless = i.shift.kind == ShiftKind::None ||
                   i.shift.kind == ShiftKind::LeftIndirect ||
                   i.shift.kind == ShiftKind::RightIndirect;
  if (!countless && (i.shift.amount < 1 || i.shift.amount > 31))
    fail("E-target-ixp-006", "a shift count must be between 1 and 31, not " +
                                 std::to_string(i.shift.amount));
  bool right = i.shift.kind == ShiftKind::Right ||
               i.shift.kind == ShiftKind::RightIndirect;
  if (rightOnly && !right)
    fail("E-target-ixp-006", std::string(r.mnemonic) +
                                 " needs a shift to the right, >>1 to >>31 or "
                                 ">>indirect");
  switch (i.shift.kind) {
  case ShiftKind::None:
  case ShiftKind::RotateRight:
    put(i.shift.kind == ShiftKind::None ? 0 : i.shift.amount, 28);
    break;
  case ShiftKind::Right:
  case ShiftKind::RightIndirect:
    put(i.shift.kind == ShiftKind::Right ? i.shift.amount : 0, 28);
    if (!rightOnly)
      put(1, 8);
    break;
  case ShiftKind::Left:
  case ShiftKind::LeftIndirect:
    put(i.shift.kind == ShiftKind::Left ? 32 - i.shift.amount : 0, 28);
    put(2, 8);
    break;
  }
}

void WordBuilder::requireCamEntry() {
  if (i.b.isImmediate() && i.b.value > 15)
    fail("E-target-ixp-016", "a CAM entry must be between 0 and 15");
}

void WordBuilder::encodeAlu() {
  if (i.op == Op::CamReadTag || i.op == Op::CamReadState)
    requireCamEntry();
  requireOperands(r.format == Format::AluBinary, true);
  bool usesA = r.format == Format::AluUnary || r.format == Format::AluBinary;
  putWideSources(usesA ? i.a : none(), i.b, 30);
  bool usesDest = r.format != Format::AluSource;
  Operand dest = usesDest ? i.dest : none();
  put(wide(dest, Role::Destination), 20);
  putBank(dest, 36);
}

void WordBuilder::encodeCam() {
  if (r.format == Format::CamLookup) {
    requireOperands(true, false);
    check(checkPostModify(i.dest, i.a, none()));
    bool swap = i.a.isBankB();
    if (i.lmBlock > 3 || (i.lmBlock && !i.loadLm0 && !i.loadLm1))
      fail("E-target-ixp-016", "lm_addr0[k] and lm_addr1[k] take k = 0 to 3");
    unsigned options = i.loadLm0 | i.loadLm1 << 1 | (i.lmBlock & 3) << 2;
    put(wide(i.a, Role::Source), swap ? 10 : 0);
    put(options, swap ? 0 : 10);
    put(swap, 30);
    put(wide(i.dest, Role::Destination), 20);
    putBank(i.dest, 36);
    return;
  }
  requireCamEntry();
  if (i.parameter > 15)
    fail("E-target-ixp-016", "a CAM state must be between 0 and 15");
  requireOperands(r.format == Format::CamWrite, true);
  putWideSources(r.format == Format::CamWrite ? i.a : none(), i.b, 30);
  put(i.parameter & 15, 20);
}

void WordBuilder::encodeCrc() {
  requireOperands(false, true);
  check(checkPostModify(i.dest, none(), i.b));
  unsigned parameters = static_cast<unsigned>(i.crcType) << 5 |
                        i.crcBitSwap << 4 | i.crcLittleEndian << 3 |
                        static_cast<unsigned>(i.crcBytes);
  bool swap = i.b.isBankA();
  put(wide(i.b, Role::Source), swap ? 0 : 10);
  put(0x300 | parameters, swap ? 10 : 0);
  put(swap, 30);
  put(wide(i.dest, Role::Destination), 20);
  putBank(i.dest, 36);
}

void WordBuilder::encodeShifted() {
  bool needsA = r.format == Format::ShfBinary || r.format == Format::DblShf;
  // byte_align_le reads operand A, byte_align_be operand B.
  bool isAlignA = r.format == Format::ByteAlignA;
  bool usesA = needsA || isAlignA || r.format == Format::ShfUnary;
  requireOperands(needsA || isAlignA, !isAlignA);
  putNarrowSources(usesA ? i.a : none(), isAlignA ? none() : i.b, 255, true);
  put(narrow(i.dest, Role::Destination, 0).bits, 20);
  putBank(i.dest, 36);
  if (!isAlignA && r.format != Format::ByteAlignB)
    putShift(r.format == Format::Asr || r.format == Format::DblShf);
}

void WordBuilder::encodeLdField() {
  if (i.dest.isNone() || !(i.dest.isGpr() || i.dest.isLocalMemory()))
    fail("E-target-ixp-005",
         "ld_field also reads its destination, so it must be a GPR or local "
         "memory");
  if (i.byteMask > 15)
    fail("E-target-ixp-016", "a byte mask has four bits");
  requireOperands(false, true);
  // The swap bit means that the destination, not the source, uses the B port.
  putNarrowSources(i.dest, i.b, 255, true);
  putShift(false);
  put(i.byteMask & 15, 24);
  put(i.loadCc, 34);
}

void WordBuilder::encodeImmed() {
  unsigned most = r.format == Format::ImmedByte ? 0xff : 0xffff;
  if (i.immediate > most)
    fail("E-target-ixp-007",
         std::string(r.mnemonic) + " takes at most " + std::to_string(most));
  if (r.format == Format::Immed) {
    bool none = i.shift.kind == Shift::Kind::None;
    bool byte = i.shift.kind == Shift::Kind::Left &&
                (i.shift.amount == 8 || i.shift.amount == 16);
    if (!none && !byte)
      fail("E-target-ixp-006", "immed shifts by <<8 or <<16 only");
    put(none ? 0 : i.shift.amount / 8, 33);
    put(i.invert, 31);
  }
  if (r.format != Format::Immed && i.dest.isNone())
    fail("E-target-ixp-005", std::string(r.mnemonic) +
                                 " keeps part of its destination, so it "
                                 "cannot be '--'");
  unsigned field = wide(i.dest, Role::Destination);
  unsigned low = 0x300 | (i.immediate & 0xff);
  put(i.immediate >> 8, 20);
  put(i.dest.isBankB() ? field : low, 10);
  put(i.dest.isBankB() ? low : field, 0);
}

void WordBuilder::encodeMul() {
  if (r.format == Format::MulLast) {
    put(wide(i.dest, Role::Destination), 0);
    putBank(i.dest, 23);
    return;
  }
  requireOperands(true, true);
  putWideSources(i.a, i.b, 30);
}

void WordBuilder::putTargetAndDefer() {
  if (i.target > TargetMax)
    fail("E-target-ixp-013", "a branch address has 13 bits");
  if (i.defer > r.maxDefer)
    fail("E-target-ixp-008", std::string(r.mnemonic) + " defers at most " +
                                 std::to_string(r.maxDefer) +
                                 " instructions, not " +
                                 std::to_string(i.defer));
  put(i.target & TargetMax, 22);
  put(i.defer & 3, 20);
}

void WordBuilder::encodeBranch() {
  putTargetAndDefer();
  switch (r.format) {
  case Format::BranchOn: {
    bool context = i.op == Op::BrCtx || i.op == Op::BrNotCtx;
    unsigned most = context ? 7 : 15;
    if (i.parameter > most)
      fail("E-target-ixp-016", std::string(r.mnemonic) + " takes 0 to " +
                                   std::to_string(most) + ", not " +
                                   std::to_string(i.parameter));
    bool signal = i.op == Op::BrSignal || i.op == Op::BrNotSignal;
    if (signal && i.parameter == 0)
      fail("E-target-ixp-009", "a signal must be between 1 and 15");
    put(i.parameter & 15, 14);
    return;
  }
  case Format::BranchBit:
  case Format::BranchByte: {
    requireOperands(true, false);
    if (i.a.isImmediate())
      fail("E-target-ixp-005", "the tested operand must be a register");
    bool bit = r.format == Format::BranchBit;
    if (i.parameter > (bit ? 31 : 3))
      fail("E-target-ixp-016", bit ? "a bit number must be between 0 and 31"
                                   : "a byte number must be between 0 and 3");
    if (!bit && i.immediate > 255)
      fail("E-target-ixp-007", "a byte is compared with 0 to 255");
    Operand literal = imm(bit ? (i.parameter + 1) & 31 : i.immediate & 255);
    NarrowField reg = narrow(i.a, Role::Source, 0);
    NarrowField value = narrow(literal, Role::Source, 255);
    put(reg.bits, i.a.isBankB() ? 10 : 0);
    put(value.bits, i.a.isBankB() ? 0 : 10);
    if (!bit) {
      put(value.immediateHigh, 18);
      put(i.parameter & 3, 8);
    }
    return;
  }
  default:
    return;
  }
}

void WordBuilder::encodeJump() {
  if (i.a.isNone() || i.a.isImmediate())
    fail("E-target-ixp-005", "jump and rtn need a register");
  if (i.target > TargetMax)
    fail("E-target-ixp-013", "a branch address has 13 bits");
  if (i.defer > r.maxDefer)
    fail("E-target-ixp-008", "jump defers at most 3 instructions");
  put(i.target >> 8 & 0x1f, 22);
  put(i.defer & 3, 20);
  unsigned literal = 0x300 | (i.target & 0xff);
  unsigned reg = wide(i.a, Role::Source);
  put(reg, i.a.isBankB() ? 10 : 0);
  put(literal, i.a.isBankB() ? 0 : 10);
}

void WordBuilder::encodeCtxArb() {
  putTargetAndDefer();
  if (i.target && !i.hasTarget)
    fail("E-target-ixp-014", "a ctx_arb without br[] has no target");
  if ((i.keepMask || i.breakpoint) && (i.signalMask || i.any))
    fail("E-target-ixp-014", "ctx_arb[--] and ctx_arb[bpt] name no signal");
  if (i.keepMask && i.breakpoint)
    fail("E-target-ixp-014", "ctx_arb takes either '--' or bpt");
  if (!i.keepMask && !i.breakpoint && !i.signalMask && !i.any)
    fail("E-target-ixp-014", "ctx_arb needs a signal to wait for");
  put(i.keepMask, 19);
  put(i.hasTarget, 18);
  put(i.breakpoint, 17);
  put(i.any, 16);
  put(i.signalMask, 0);
}

void WordBuilder::encodeCsr() {
  if (i.csr % 4 || i.csr > 0x7ff * 4)
    fail("E-target-ixp-012", "a local CSR is a multiple of 4 below 0x2000");
  put(i.csr / 4 & 0x7ff, 22);
  if (r.format == Format::CsrRead)
    return;
  requireOperands(true, false);
  unsigned field = wide(i.a, Role::Source);
  unsigned other = i.a.isImmediate() ? field : WideFillerB;
  put(i.a.isBankB() ? field : other, 10);
  put(i.a.isBankB() ? other : field, 0);
}

/// Whether the command moves D transfer registers (DRAM), not S (other units).
bool movesDRegisters(const InstructionRow &r) {
  return (r.bits >> 32 & 0x3c) == 0x28;
}

void WordBuilder::putXfer() {
  if (r.xfer == XferUse::No) {
    if (!i.xfer.isNone())
      fail("E-target-ixp-011", std::string(r.mnemonic) + "[" + r.variant +
                                   "] moves no transfer register: write '--'");
    return;
  }
  bool isS = i.xfer.kind == Operand::Kind::SXfer;
  bool isD = i.xfer.kind == Operand::Kind::DXfer;
  if (!isS && !isD) {
    fail("E-target-ixp-011",
         std::string(r.mnemonic) + " needs a transfer register, $n or $$n");
    return;
  }
  if (i.xfer.value > 15)
    fail("E-target-ixp-011", "with 8 contexts a transfer register is 0 to 15");
  put(i.xfer.value & 15, 20);
  put(isD != movesDRegisters(r), 24);
}

void WordBuilder::putCompletion() {
  const char *unit = r.mnemonic;
  if (i.signal > 15)
    fail("E-target-ixp-009", "a signal must be between 1 and 15");
  if (i.signal && r.signals == 0)
    fail("E-target-ixp-009",
         std::string(unit) + "[" + r.variant + "] raises no signal");
  if (i.signal && r.signals == 2 && i.signal % 2)
    fail("E-target-ixp-009", std::string(unit) + "[" + r.variant +
                                 "] raises a pair of signals and needs the "
                                 "even one, not s" +
                                 std::to_string(i.signal));
  if (i.ctxSwap && r.signals == 2)
    fail("E-target-ixp-009", std::string(unit) + "[" + r.variant +
                                 "] raises a pair of signals: use sig_done "
                                 "and a ctx_arb on both, not ctx_swap");
  if (i.ctxSwap && i.signal == 0)
    fail("E-target-ixp-009", "ctx_swap needs a signal");
  if (i.defer && !i.ctxSwap)
    fail("E-target-ixp-008", "a command defers only with ctx_swap");
  if (i.defer > 2)
    fail("E-target-ixp-008", "ctx_swap defers at most 2 instructions, not " +
                                 std::to_string(i.defer));
  put(i.signal & 15, 28);
  put(i.ctxSwap ? i.defer & 3 : 3, 8);
}

void WordBuilder::putCommandAddress() {
  if (r.address == AddressForm::Key)
    return;
  if (r.address == AddressForm::Sum) {
    requireOperands(true, true);
    putNarrowSources(i.a, i.b, 127, false);
    return;
  }
  put(i.csr >> 8, 10);
  put(i.csr & 0xff, 0);
}

void WordBuilder::encodeCommand() {
  put(i.indirectRef, 38);
  putCommandAddress();
  if (r.address == AddressForm::FastData) {
    if (i.immediate > 0x3fff)
      fail("E-target-ixp-007", "cap[fast_wr] takes 14 bits of data");
    put(i.immediate & 0x3fff, 18);
    return;
  }
  if (r.address == AddressForm::FastAlu)
    return;
  putXfer();
  putCompletion();
  bool one = r.countMax == 0 && i.count <= 1;
  if (!one && (i.count < 1 || i.count > r.countMax))
    fail("E-target-ixp-010",
         std::string(r.mnemonic) + "[" + r.variant + "] takes a count of " +
             (r.countMax ? "1 to " + std::to_string(r.countMax) : "1 only") +
             ", not " + std::to_string(i.count));
  else if (r.countMax)
    put(i.count - 1u, 25);
}

Result<uint64_t> WordBuilder::build() {
  switch (r.format) {
#define KARAKAL_FORMAT(name, group, mask, text)                                \
  case Format::name:                                                           \
    encode##group();                                                           \
    break;
#include "target-ixp/table/Formats.def"
  }
  if (error)
    return *error;
  KARAKAL_ASSERT((word & r.mask) == r.bits,
                 "the fields leave the fixed bits of the row alone");
  return word;
}

} // namespace

Result<uint64_t> encode(const Instruction &instruction) {
  return WordBuilder(instruction).build();
}

} // namespace karakal::target
