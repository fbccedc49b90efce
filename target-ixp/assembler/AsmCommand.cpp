// Reads the operands of commands to the memory units.

#include "target-ixp/assembler/AsmInstruction.h"

namespace karakal::target::as {

void InstructionReader::xfer(size_t index) {
  Resolved found = operand(argument(index));
  symbolXfer = found.symbol;
  i.xfer = found.operand;
  if (i.xfer.isImmediate() && i.xfer.value == 0 &&
      item.row->xfer == XferUse::No)
    i.xfer = none(); // "0" is an old spelling of "--"
  XferUse use = item.row->xfer;
  if (use == XferUse::In || use == XferUse::InOut)
    checkDirection(found.symbol, argument(index).location, true);
  if (use == XferUse::Out || use == XferUse::InOut)
    checkDirection(found.symbol, argument(index).location, false);
}

/// Checks that the .xfer_order of the operand has all consecutive registers
/// that the command moves.
void InstructionReader::checkXferTuple() {
  if (!symbolXfer || i.indirectRef)
    return;
  unsigned registers = (i.count ? i.count : 1u) * (item.row->unitBytes / 4u);
  unsigned available = 1;
  if (symbolXfer->group >= 0) {
    const std::vector<Symbol *> &group = program.groups[symbolXfer->group];
    size_t at = 0;
    while (at < group.size() && group[at] != symbolXfer)
      ++at;
    KARAKAL_ASSERT(at < group.size(), "a register is in its own .xfer_order");
    available = static_cast<unsigned>(group.size() - at);
  }
  if (registers > available)
    fail(item.location, "E-target-ixp-118",
         "the command moves " + std::to_string(registers) +
             " registers from '" + symbolXfer->name +
             "' on, but the .xfer_order has only " + std::to_string(available) +
             " from there");
}

void InstructionReader::capCommand() {
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

void InstructionReader::parseCommand() {
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
    fail(argument(0).location, "E-target-ixp-114",
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

} // namespace karakal::target::as
