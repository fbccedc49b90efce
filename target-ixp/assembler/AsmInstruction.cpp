#include "target-ixp/assembler/AsmInstruction.h"

namespace karakal::target::as {

bool InstructionReader::expect(size_t least, size_t most, const char *form) {
  if (count() >= least && count() <= most)
    return true;
  fail(item.location, "E-target-ixp-111",
       "'" + item.mnemonic + "' has the form " + form);
  return false;
}

void InstructionReader::dest(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).location, false);
  i.dest = found.operand;
  symbolDest = found.symbol;
}

void InstructionReader::sourceA(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).location, true);
  i.a = found.operand;
  symbolA = found.symbol;
}

void InstructionReader::sourceB(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).location, true);
  i.b = found.operand;
  symbolB = found.symbol;
}

void InstructionReader::operatorForm(bool withShiftAllowed) {
  if (!expect(4, 5, "alu[dest, a, op, b] or alu_shf[dest, a, op, b, shift]"))
    return;
  bool shifted = count() == 5 || !withShiftAllowed;
  std::string op = argument(2).text();
  const InstructionRow *row = findVariant(shifted ? "alu_shf" : "alu", op);
  if (!row) {
    bool known = findVariant("alu", op);
    fail(argument(2).location, "E-target-ixp-114",
         known ? "'" + op +
                     "' does not exist with a shift: B, ~B, AND, ~AND, "
                     "AND~ and OR do"
               : "there is no operator '" + op + "'");
    return;
  }
  i.op = row->op;
  dest(0);
  sourceA(1);
  sourceB(3);
  if (count() == 5)
    i.shift = shift(argument(4));
}

void InstructionReader::parseAlu() {
  switch (item.row->format) {
  case Format::AluSource:
    if (expect(1, 1, "with one operand, e.g. pop_count1[source]"))
      sourceB(0);
    return;
  case Format::AluMove:
    return moveForm();
  default:
    return operatorForm(true);
  }
}

void InstructionReader::moveForm() {
  if (!expect(2, 2, "with two operands, [dest, source]"))
    return;
  dest(0);
  sourceB(1);
}

void InstructionReader::parseShifted() {
  switch (item.row->format) {
  case Format::ByteAlignA:
    if (expect(2, 2, "byte_align_le[dest, source]")) {
      dest(0);
      sourceA(1);
    }
    return;
  case Format::ByteAlignB:
    return moveForm();
  case Format::Asr:
    if (expect(3, 3, "asr[dest, source, >>n]")) {
      dest(0);
      sourceB(1);
      i.shift = shift(argument(2));
    }
    return;
  case Format::DblShf:
    if (expect(4, 4, "dbl_shf[dest, high, low, >>n]")) {
      dest(0);
      sourceA(1);
      sourceB(2);
      i.shift = shift(argument(3));
    }
    return;
  default:
    return operatorForm(false);
  }
}

void InstructionReader::immedValue(int64_t value, bool shifted) {
  uint32_t bits = static_cast<uint32_t>(value);
  bool inRange = value >= -(int64_t(1) << 31) && value < int64_t(1) << 32;
  auto form = [&](uint32_t low, unsigned left, bool invert) {
    i.immediate = static_cast<uint16_t>(low);
    if (!shifted)
      i.shift = shl(left);
    i.invert = invert;
  };
  if (inRange && bits <= 0xffff)
    return form(bits, 0, false);
  if (inRange && ~bits <= 0xffff)
    return form(~bits, 0, true);
  for (unsigned left : {8u, 16u}) {
    uint32_t low = (1u << left) - 1;
    if (!inRange || shifted)
      break;
    if (!(bits & low) && bits >> left <= 0xffff)
      return form(bits >> left, left, false);
    if (!(~bits & low) && ~bits >> left <= 0xffff)
      return form(~bits >> left, left, true);
  }
  if (final)
    fail(argument(1).location, "E-target-ixp-007",
         "the constant " + std::to_string(value) +
             " does not fit one immed; use immed and immed_w1");
}

void InstructionReader::parseImmed() {
  if (equalsIgnoringCase(item.mnemonic, "load_addr"))
    return loadAddr();
  if (!expect(2, 3,
              "immed[dest, constant] or immed[dest, constant, <<8 or "
              "<<16]"))
    return;
  dest(0);
  if (count() == 3)
    i.shift = shift(argument(2));
  std::optional<int64_t> constant = value(argument(1));
  if (!constant)
    return;
  if (i.op == Op::Immed) {
    immedValue(*constant, i.shift.kind != Shift::Kind::None);
    return;
  }
  if (count() == 3)
    fail(argument(2).location, "E-target-ixp-111",
         "'" + item.mnemonic + "' takes no shift");
  int64_t most = item.row->format == Format::ImmedByte ? 0xff : 0xffff;
  if (*constant < 0 || *constant > most) {
    fail(argument(1).location, "E-target-ixp-007",
         "'" + item.mnemonic + "' takes 0 to " + std::to_string(most) +
             ", not " + std::to_string(*constant));
    return;
  }
  i.immediate = static_cast<uint16_t>(*constant);
}

void InstructionReader::loadAddr() {
  if (!expect(2, 2, "load_addr[dest, label#]"))
    return;
  dest(0);
  i.immediate = static_cast<uint16_t>(target(argument(1)));
}

void InstructionReader::parseLdField() {
  if (!expect(3, 4, "ld_field[dest, mask, source, shift]"))
    return;
  Resolved found = operand(argument(0));
  checkDirection(found.symbol, argument(0).location, false);
  i.dest = found.operand;
  symbolDest = found.symbol;
  std::string mask = argument(1).text();
  bool binary = !mask.empty() && mask.size() <= 4 &&
                mask.find_first_not_of("01") == std::string::npos;
  if (binary)
    for (char bit : mask)
      i.byteMask = static_cast<uint8_t>(i.byteMask << 1 | (bit - '0'));
  else
    i.byteMask = static_cast<uint8_t>(
        literal(argument(1), 15, "a byte mask, such as 0011 or 0x3,"));
  sourceB(2);
  if (count() == 4)
    i.shift = shift(argument(3));
}

void InstructionReader::parseMul() {
  if (!expect(2, 2, "mul_step[a, b], 32x32_start"))
    return;
  const InstructionRow *row = nullptr;
  if (item.options.size() == 1) {
    const std::string &name = item.options[0].name.text;
    bool start = equalsIgnoringCase(name, "24x8_start") ||
                 equalsIgnoringCase(name, "16x16_start") ||
                 equalsIgnoringCase(name, "32x32_start");
    row = findVariant("mul_step", start ? "start" : name);
  }
  if (!row) {
    fail(item.location, "E-target-ixp-111",
         "mul_step needs one of 24x8_start, 24x8_step1, 24x8_last, "
         "16x16_start, 16x16_step1, ... after it");
    return;
  }
  i.op = row->op;
  if (row->format == Format::MulLast) {
    dest(0);
    if (!operand(argument(1)).operand.isNone())
      fail(argument(1).location, "E-target-ixp-111", "'--' is needed here");
    return;
  }
  sourceA(0);
  sourceB(1);
}

void InstructionReader::branchOn() {
  if (!expect(2, 2, "e.g. br=ctx[0, label#], br_signal[sig, label#]"))
    return;
  bool isSignal = i.op == Op::BrSignal || i.op == Op::BrNotSignal;
  bool isState = i.op == Op::BrInpState || i.op == Op::BrNotInpState;
  int state = isState ? findInputState(argument(0).text()) : -1;
  i.parameter = static_cast<uint8_t>(
      isSignal     ? signal(argument(0))
      : state >= 0 ? static_cast<unsigned>(state)
                   : literal(argument(0), isState ? 15 : 7,
                             isState ? "an input state (scr_ring0_status, "
                                       "nn_empty, ...)"
                                     : "a context"));
  i.target = static_cast<uint16_t>(target(argument(1)));
}

void InstructionReader::parseBranch() {
  switch (item.row->format) {
  case Format::Branch:
    if (expect(1, 1, "with one label, e.g. beq[label#]"))
      i.target = static_cast<uint16_t>(target(argument(0)));
    return;
  case Format::BranchOn:
    return branchOn();
  case Format::BranchBit:
    if (!expect(3, 3, "br_bset[reg, bit, label#]"))
      return;
    sourceA(0);
    i.parameter =
        static_cast<uint8_t>(literal(argument(1), 31, "a bit number"));
    i.target = static_cast<uint16_t>(target(argument(2)));
    return;
  case Format::BranchByte:
    if (!expect(4, 4, "br=byte[reg, byte, value, label#]"))
      return;
    sourceA(0);
    i.parameter =
        static_cast<uint8_t>(literal(argument(1), 3, "a byte number"));
    i.immediate =
        static_cast<uint16_t>(literal(argument(2), 255, "a byte's value"));
    i.target = static_cast<uint16_t>(target(argument(3)));
    return;
  default:
    KARAKAL_UNREACHABLE("a format that is not a branch");
  }
}

void InstructionReader::parseJump() {
  bool isReturn = equalsIgnoringCase(item.mnemonic, "rtn");
  if (!expect(isReturn ? 1 : 2, isReturn ? 1 : 2,
              isReturn ? "rtn[reg]" : "jump[reg, label#]"))
    return;
  sourceA(0);
  if (!isReturn)
    i.target = static_cast<uint16_t>(target(argument(1)));
}

void InstructionReader::parseCtxArb() {
  if (equalsIgnoringCase(item.mnemonic, "halt")) {
    i.breakpoint = true;
    expect(0, 0, "without operands");
    return;
  }
  if (!expect(1, 16, "ctx_arb[signal, ...], ctx_arb[voluntary], ctx_arb[--]"))
    return;
  for (const Argument &text : item.arguments) {
    std::string name = text.text();
    if (name == "--") {
      i.keepMask = true;
    } else if (equalsIgnoringCase(name, "voluntary")) {
      i.signalMask |= 1;
    } else if (equalsIgnoringCase(name, "kill")) {
      i.any = true;
    } else if (equalsIgnoringCase(name, "bpt")) {
      i.breakpoint = true;
    } else {
      bool isPair = false;
      unsigned number = signal(text, &isPair);
      i.signalMask |= static_cast<uint16_t>((isPair ? 3u : 1u) << number);
    }
  }
}

void InstructionReader::parseCam() {
  switch (item.row->format) {
  case Format::CamLookup:
    if (!expect(2, 2, "cam_lookup[dest, value], lm_addr0[k]"))
      return;
    dest(0);
    sourceA(1);
    return;
  case Format::CamWrite:
    if (!expect(3, 3, "cam_write[entry, value, state]"))
      return;
    sourceB(0);
    sourceA(1);
    i.parameter = static_cast<uint8_t>(literal(argument(2), 15, "a state"));
    return;
  default:
    if (!expect(2, 2, "cam_write_state[entry, state]"))
      return;
    sourceB(0);
    i.parameter = static_cast<uint8_t>(literal(argument(1), 15, "a state"));
  }
}

void InstructionReader::parseCrc() {
  if (!expect(3, 3, "crc_be[type, dest, source] or crc_le[...]"))
    return;
  static const std::pair<const char *, CrcType> Types[] = {
      {"none", CrcType::None},    {"crc_ccitt", CrcType::Ccitt},
      {"crc_32", CrcType::Crc32}, {"crc_iscsi", CrcType::Iscsi},
      {"crc_10", CrcType::Crc10}, {"crc_5", CrcType::Crc5}};
  bool found = false;
  for (const auto &[name, type] : Types)
    if (equalsIgnoringCase(argument(0).text(), name)) {
      i.crcType = type;
      found = true;
    }
  if (!found || equalsIgnoringCase(item.mnemonic, "crc"))
    fail(argument(0).location, "E-target-ixp-111",
         "crc_be and crc_le take none, crc_ccitt, crc_32, crc_iscsi, crc_10 "
         "or crc_5");
  i.crcLittleEndian = equalsIgnoringCase(item.mnemonic, "crc_le");
  dest(1);
  sourceB(2);
}

void InstructionReader::parseCsr() {
  bool writes = item.row->format == Format::CsrWrite;
  if (!expect(writes ? 2 : 1, writes ? 2 : 1,
              writes ? "local_csr_wr[csr, source]" : "local_csr_rd[csr]"))
    return;
  int csr = findLocalCsr(argument(0).text());
  i.csr = static_cast<uint16_t>(
      csr >= 0 ? static_cast<unsigned>(csr)
               : literal(argument(0), 0x1ffc, "a local CSR"));
  if (writes)
    sourceA(1);
}

/// Records that two GPRs which one instruction reads must be in different
/// banks.
void InstructionReader::recordConstraints() {
  bool ldField = item.row->format == Format::LdField;
  Symbol *left = ldField ? symbolDest : symbolA;
  const Operand &leftOperand = ldField ? i.dest : i.a;
  auto isGpr = [](const Symbol *symbol) { return symbol && symbol->isGpr(); };
  if (isGpr(left) && isGpr(symbolB))
    program.conflicts.push_back({left, symbolB, 0, item.location});
  else if (isGpr(left) && i.b.isGpr())
    program.conflicts.push_back({left, nullptr, i.b.isBankB(), item.location});
  else if (isGpr(symbolB) && leftOperand.isGpr())
    program.conflicts.push_back(
        {symbolB, nullptr, leftOperand.isBankB(), item.location});
}

std::optional<Instruction> InstructionReader::read() {
  KARAKAL_ASSERT(item.row && !item.hasError,
                 "only an instruction without errors is read");
  i.op = item.row->op;
  switch (item.row->format) {
#define KARAKAL_FORMAT(name, group, mask, text)                                \
  case Format::name:                                                           \
    parse##group();                                                            \
    break;
#include "target-ixp/table/Formats.def"
  }
  if (good)
    options();
  if (good && item.row->isCommand())
    checkXferTuple();
  if (!good)
    return std::nullopt;
  if (!final)
    recordConstraints();
  return i;
}

} // namespace karakal::target::as
