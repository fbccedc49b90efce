#include "target-ixp/assembler/AsmBuilder.h"

#include "target-ixp/assembler/AsmExpression.h"
#include "target-ixp/assembler/AsmOperands.h"

namespace karakal::target::as {

namespace {

class Builder : OperandReader {
public:
  using OperandReader::OperandReader;

  std::optional<Instruction> run();

private:
  Instruction i;
  Symbol *symbolDest = nullptr, *symbolA = nullptr, *symbolB = nullptr;
  Symbol *symbolXfer = nullptr;

  bool expect(size_t least, size_t most, const char *form) {
    if (count() >= least && count() <= most)
      return true;
    fail(item.place, "E-target-ixp-111",
         "'" + item.mnemonic + "' is written " + form);
    return false;
  }
  void dest(size_t index);
  void sourceA(size_t index);
  void sourceB(size_t index);

  //-- Formats
  void format();
  void alu(bool withShiftAllowed);
  void immed();
  void immedValue(int64_t value, bool shifted);
  void ldField();
  void mul();
  void branch();
  void ctxArb();
  void cam();
  void crc();
  void command();
  void capCommand();
  void xfer(size_t index);
  void checkXferRun();
  void options();
  void commandOption(const Option &option);
  void loadAddr();
  void note();
};

void Builder::dest(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).place, false);
  i.dest = found.operand;
  symbolDest = found.symbol;
}

void Builder::sourceA(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).place, true);
  i.a = found.operand;
  symbolA = found.symbol;
}

void Builder::sourceB(size_t index) {
  Resolved found = operand(argument(index));
  checkDirection(found.symbol, argument(index).place, true);
  i.b = found.operand;
  symbolB = found.symbol;
}

//===-- Formats -----------------------------------------------------------===//

void Builder::alu(bool withShiftAllowed) {
  if (!expect(4, 5, "alu[dest, a, op, b] or alu_shf[dest, a, op, b, shift]"))
    return;
  bool shifted = count() == 5 || !withShiftAllowed;
  std::string op = argument(2).text();
  const InstructionRow *row = findVariant(shifted ? "alu_shf" : "alu", op);
  if (!row) {
    bool known = findVariant("alu", op);
    fail(argument(2).place, "E-target-ixp-114",
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

void Builder::immedValue(int64_t value, bool shifted) {
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
    fail(argument(1).place, "E-target-ixp-007",
         "the constant " + std::to_string(value) +
             " has no form of one immed; use immed and immed_w1");
}

void Builder::immed() {
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
    fail(argument(2).place, "E-target-ixp-111",
         "'" + item.mnemonic + "' takes no shift");
  int64_t most = item.row->format == Format::ImmedByte ? 0xff : 0xffff;
  if (*constant < 0 || *constant > most) {
    fail(argument(1).place, "E-target-ixp-007",
         "'" + item.mnemonic + "' takes 0 to " + std::to_string(most) +
             ", not " + std::to_string(*constant));
    return;
  }
  i.immediate = static_cast<uint16_t>(*constant);
}

void Builder::loadAddr() {
  if (!expect(2, 2, "load_addr[dest, label#]"))
    return;
  dest(0);
  i.immediate = static_cast<uint16_t>(target(argument(1)));
}

void Builder::ldField() {
  if (!expect(3, 4, "ld_field[dest, mask, source, shift]"))
    return;
  Resolved found = operand(argument(0));
  checkDirection(found.symbol, argument(0).place, false);
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

void Builder::mul() {
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
    fail(item.place, "E-target-ixp-111",
         "mul_step needs one of 24x8_start, 24x8_step1, 24x8_last, "
         "16x16_start, 16x16_step1, ... behind it");
    return;
  }
  i.op = row->op;
  if (row->format == Format::MulLast) {
    dest(0);
    if (!operand(argument(1)).operand.isNone())
      fail(argument(1).place, "E-target-ixp-111", "'--' is needed here");
    return;
  }
  sourceA(0);
  sourceB(1);
}

void Builder::branch() {
  switch (item.row->format) {
  case Format::Branch:
    if (expect(1, 1, "with one label, e.g. beq[label#]"))
      i.target = static_cast<uint16_t>(target(argument(0)));
    return;
  case Format::BranchOn: {
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
    return;
  }
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
    break;
  }
  bool isReturn = equalsIgnoringCase(item.mnemonic, "rtn");
  if (!expect(isReturn ? 1 : 2, isReturn ? 1 : 2,
              isReturn ? "rtn[reg]" : "jump[reg, label#]"))
    return;
  sourceA(0);
  if (!isReturn)
    i.target = static_cast<uint16_t>(target(argument(1)));
}

void Builder::ctxArb() {
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

void Builder::cam() {
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

void Builder::crc() {
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
    fail(argument(0).place, "E-target-ixp-111",
         "crc_be and crc_le take none, crc_ccitt, crc_32, crc_iscsi, crc_10 "
         "or crc_5");
  i.crcLittleEndian = equalsIgnoringCase(item.mnemonic, "crc_le");
  dest(1);
  sourceB(2);
}

//===-- Commands ----------------------------------------------------------===//

void Builder::xfer(size_t index) {
  Resolved found = operand(argument(index));
  symbolXfer = found.symbol;
  i.xfer = found.operand;
  if (i.xfer.isImmediate() && i.xfer.value == 0 &&
      item.row->xfer == XferUse::No)
    i.xfer = none(); // "0" is an old spelling of "--"
  XferUse use = item.row->xfer;
  if (use == XferUse::In || use == XferUse::InOut)
    checkDirection(found.symbol, argument(index).place, true);
  if (use == XferUse::Out || use == XferUse::InOut)
    checkDirection(found.symbol, argument(index).place, false);
}

/// A command moves consecutive registers: its .xfer_order must hold them.
void Builder::checkXferRun() {
  if (!symbolXfer || i.indirectRef)
    return;
  unsigned registers = (i.count ? i.count : 1u) * (item.row->unitBytes / 4u);
  unsigned available = 1;
  if (symbolXfer->group >= 0) {
    const std::vector<Symbol *> &group = program.groups[symbolXfer->group];
    size_t at = 0;
    while (group[at] != symbolXfer)
      ++at;
    available = static_cast<unsigned>(group.size() - at);
  }
  if (registers > available)
    fail(item.place, "E-target-ixp-118",
         "this moves " + std::to_string(registers) + " registers from '" +
             symbolXfer->name +
             "' on, but its "
             ".xfer_order holds " +
             std::to_string(available));
}

void Builder::capCommand() {
  const std::string op = argument(0).text();
  bool fast = equalsIgnoringCase(op, "fast_wr");
  if (!expect(3, 3, "cap[read, $x, register] or cap[fast_wr, data, register]"))
    return;
  if (fast && equalsIgnoringCase(argument(1).text(), "ALU"))
    i.op = Op::CapFastWrAlu;
  else if (fast)
    i.immediate =
        static_cast<uint16_t>(literal(argument(1), 0x3fff, "the data"));
  item.row = &row(i.op);
  if (!fast)
    xfer(1);
  i.csr = static_cast<uint16_t>(
      literal(argument(2), 0xffff, "a CAP register's address"));
}

void Builder::command() {
  bool isHash = item.row->address == AddressForm::Key;
  if (isHash) {
    if (!expect(2, 2, "hash_48[$x, count]"))
      return;
    xfer(0);
    i.count = static_cast<uint8_t>(literal(argument(1), 3, "a count"));
    return;
  }
  if (!expect(3, 5, "unit[op, xfer, address, address, count]"))
    return;
  std::string op = argument(0).text();
  bool isCap = equalsIgnoringCase(item.mnemonic, "cap");
  const InstructionRow *row = findVariant(item.mnemonic, op);
  if (isCap && count() > 3 && equalsIgnoringCase(op, "read"))
    row = &target::row(Op::CapReadSum);
  if (isCap && count() > 3 && equalsIgnoringCase(op, "write"))
    row = &target::row(Op::CapWriteSum);
  if (isCap && equalsIgnoringCase(op, "fast_wr"))
    row = &target::row(Op::CapFastWr);
  if (!row) {
    fail(argument(0).place, "E-target-ixp-114",
         "'" + item.mnemonic + "' has no operation '" + op + "'");
    return;
  }
  item.row = row;
  i.op = row->op;
  if (row->address != AddressForm::Sum) {
    capCommand();
    return;
  }
  if (!expect(row->countMax ? 5 : 4, 5,
              row->countMax ? "with a count: unit[op, xfer, a, b, count]"
                            : "unit[op, xfer, a, b]"))
    return;
  xfer(1);
  sourceA(2);
  sourceB(3);
  if (count() < 5)
    return;
  std::string text = argument(4).text();
  bool max = text.size() > 4 && equalsIgnoringCase(text.substr(0, 4), "max_");
  i.count = max ? 8 : static_cast<uint8_t>(literal(argument(4), 16, "a count"));
}

void Builder::commandOption(const Option &option) {
  const std::string &name = option.name.text;
  bool swap = equalsIgnoringCase(name, "ctx_swap");
  if (swap || equalsIgnoringCase(name, "sig_done")) {
    if (option.arguments.size() != 1)
      fail(option.name.place, "E-target-ixp-111",
           "'" + name + "' needs one signal");
    else
      i.signal = static_cast<uint8_t>(signal(option.arguments[0]));
    i.ctxSwap = swap;
  } else if (equalsIgnoringCase(name, "indirect_ref")) {
    i.indirectRef = true;
  } else {
    fail(option.name.place, "E-target-ixp-111",
         "'" + item.mnemonic + "' takes no '" + name + "'");
  }
}

void Builder::options() {
  static const std::pair<const char *, CrcBytes> Bytes[] = {
      {"bytes_0_3", CrcBytes::All},      {"bytes_1_3", CrcBytes::From1To3},
      {"bytes_2_3", CrcBytes::From2To3}, {"byte_3", CrcBytes::Only3},
      {"bytes_0_2", CrcBytes::From0To2}, {"bytes_0_1", CrcBytes::From0To1},
      {"byte_0", CrcBytes::Only0}};
  Format format = item.row->format;
  for (const Option &option : item.options) {
    const std::string &name = option.name.text;
    auto is = [&](const char *text) { return equalsIgnoringCase(name, text); };
    bool one = option.arguments.size() == 1;
    bool taken = false;
    if (is("defer") && one) {
      i.defer = static_cast<uint8_t>(literal(option.arguments[0], 3, "defer"));
      taken = item.row->maxDefer > 0;
    } else if (item.row->isCommand()) {
      commandOption(option);
      taken = true;
    } else if (format == Format::CtxArb) {
      taken = is("any") || (is("br") && one);
      i.any |= is("any");
      if (is("br") && one) {
        i.hasTarget = true;
        i.target = static_cast<uint16_t>(target(option.arguments[0]));
      }
    } else if (format == Format::LdField) {
      i.loadCc = taken = is("load_cc");
    } else if (format == Format::CamLookup) {
      taken = one && (is("lm_addr0") || is("lm_addr1"));
      i.loadLm0 |= is("lm_addr0");
      i.loadLm1 |= is("lm_addr1");
      if (taken)
        i.lmBlock = static_cast<uint8_t>(
            literal(option.arguments[0], 3, "lm_addr's block"));
    } else if (format == Format::Crc) {
      taken = is("bit_swap");
      i.crcBitSwap |= taken;
      for (const auto &[text, bytes] : Bytes)
        if (is(text)) {
          i.crcBytes = bytes;
          taken = true;
        }
    } else {
      taken = format == Format::MulStep || format == Format::MulLast;
    }
    if (!taken)
      fail(option.name.place, "E-target-ixp-111",
           "'" + item.mnemonic + "' takes no '" + name + "' here");
  }
}

void Builder::format() {
  switch (item.row->format) {
  case Format::Fixed:
    expect(0, 0, "without operands");
    return;
  case Format::AluUnary:
  case Format::AluBinary:
    return alu(true);
  case Format::ShfUnary:
  case Format::ShfBinary:
    return alu(false);
  case Format::AluSource:
    if (expect(1, 1, "with one operand, e.g. pop_count1[source]"))
      sourceB(0);
    return;
  case Format::AluMove:
  case Format::ByteAlign:
    if (expect(2, 2, "with two operands, [dest, source]")) {
      dest(0);
      sourceB(1);
    }
    return;
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
  case Format::CamLookup:
  case Format::CamWrite:
  case Format::CamWriteState:
    return cam();
  case Format::Crc:
    return crc();
  case Format::LdField:
    return ldField();
  case Format::Immed:
  case Format::ImmedByte:
  case Format::ImmedWord:
    return equalsIgnoringCase(item.mnemonic, "load_addr") ? loadAddr()
                                                          : immed();
  case Format::MulStep:
  case Format::MulLast:
    return mul();
  case Format::Branch:
  case Format::BranchOn:
  case Format::BranchBit:
  case Format::BranchByte:
  case Format::Jump:
    return branch();
  case Format::CtxArb:
    return ctxArb();
  case Format::CsrRead:
  case Format::CsrWrite: {
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
    return;
  }
  case Format::Command:
    return command();
  }
}

/// Tells the allocator what this instruction asks of it.
void Builder::note() {
  bool ldField = item.row->format == Format::LdField;
  Symbol *left = ldField ? symbolDest : symbolA;
  const Operand &leftOperand = ldField ? i.dest : i.a;
  auto isGpr = [](const Symbol *symbol) { return symbol && symbol->isGpr(); };
  if (isGpr(left) && isGpr(symbolB))
    program.conflicts.push_back({left, symbolB, 0, item.place});
  else if (isGpr(left) && i.b.isGpr())
    program.conflicts.push_back({left, nullptr, i.b.isBankB(), item.place});
  else if (isGpr(symbolB) && leftOperand.isGpr())
    program.conflicts.push_back(
        {symbolB, nullptr, leftOperand.isBankB(), item.place});
}

std::optional<Instruction> Builder::run() {
  i.op = item.row->op;
  format();
  if (good)
    options();
  if (good && item.row->isCommand())
    checkXferRun();
  if (!good)
    return std::nullopt;
  if (!final)
    note();
  return i;
}

} // namespace

void collect(AsmProgram &program, Reporter &reporter) {
  for (Item &item : program.items) {
    if (item.hasError || !item.row)
      continue;
    if (!item.within.empty())
      reporter.within.push_back(item.within);
    if (!Builder(program, item, reporter, false).run())
      item.hasError = true;
    if (!item.within.empty())
      reporter.within.pop_back();
  }
}

std::optional<Instruction> build(AsmProgram &program, Item &item,
                                 Reporter &reporter) {
  return Builder(program, item, reporter, true).run();
}

std::optional<int64_t> buildWord(const Item &item, Reporter &reporter) {
  const Argument &text = item.arguments[0];
  auto value =
      evaluate(text.tokens.data(), text.tokens.data() + text.tokens.size(), {},
               reporter, item.place);
  if (value && (*value < 0 || *value >> 40)) {
    reporter.error(item.place, "E-target-ixp-007", "a word has 40 bits");
    return std::nullopt;
  }
  return value;
}

} // namespace karakal::target::as
