#include "target-ixp/table/Printer.h"

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <cstdio>
#include <set>

namespace karakal::target {

namespace {

using Kind = Operand::Kind;

std::string hex(unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

const char *suffix(PostModify post) {
  return post == PostModify::None        ? ""
         : post == PostModify::Increment ? "++"
                                         : "--";
}

std::string printShift(const Shift &shift) {
  std::string amount = std::to_string(shift.amount);
  switch (shift.kind) {
  case Shift::Kind::None:
    return "";
  case Shift::Kind::Left:
    return ", <<" + amount;
  case Shift::Kind::Right:
    return ", >>" + amount;
  case Shift::Kind::RotateRight:
    return ", >>rot" + amount;
  case Shift::Kind::LeftIndirect:
    return ", <<indirect";
  case Shift::Kind::RightIndirect:
    return ", >>indirect";
  }
  KARAKAL_UNREACHABLE("shift without text");
}

std::string printDefer(unsigned defer) {
  return defer ? ", defer[" + std::to_string(defer) + "]" : "";
}

/// Prints one canonical instruction.
class Text {
public:
  Text(const Instruction &instruction, const LabelResolver &labels)
      : i(instruction), r(row(instruction.op)), labels(labels) {}

  std::string str() const;

private:
  const Instruction &i;
  const InstructionRow &r;
  const LabelResolver &labels;

  std::string target() const {
    std::string label = labels ? labels(i.target) : "";
    return label.empty() ? "." + std::to_string(i.target) : label;
  }
  std::string operands(std::initializer_list<std::string> list) const {
    std::string text = std::string(r.mnemonic) + "[";
    bool first = true;
    for (const std::string &item : list) {
      text += (first ? "" : ", ") + item;
      first = false;
    }
    return text + "]";
  }
  std::string camLookup() const;
  std::string branchOn() const;
  std::string commandOperands() const;

  // One function for each group of Formats.def.
  std::string printFixed() const { return r.mnemonic; }
  std::string printAlu() const;
  std::string printCam() const;
  std::string printCrc() const;
  std::string printShifted() const;
  std::string printLdField() const;
  std::string printImmed() const;
  std::string printMul() const;
  std::string printBranch() const;
  std::string printJump() const;
  std::string printCtxArb() const;
  std::string printCsr() const;
  std::string printCommand() const;
};

std::string Text::printAlu() const {
  if (r.format == Format::AluSource)
    return operands({print(i.b)});
  if (r.format == Format::AluMove)
    return operands({print(i.dest), print(i.b)});
  return operands({print(i.dest), print(i.a), r.variant, print(i.b)});
}

std::string Text::printShifted() const {
  std::string shift = printShift(i.shift);
  std::string list = std::string(r.mnemonic) + "[" + print(i.dest);
  switch (r.format) {
  case Format::ShfUnary:
  case Format::ShfBinary:
    return list + ", " + print(i.a) + ", " + r.variant + ", " + print(i.b) +
           shift + "]";
  case Format::DblShf:
    return list + ", " + print(i.a) + ", " + print(i.b) + shift + "]";
  case Format::ByteAlignA:
    return list + ", " + print(i.a) + "]";
  default:
    return list + ", " + print(i.b) + shift + "]";
  }
}

std::string Text::printLdField() const {
  std::string mask;
  for (int bit = 3; bit >= 0; --bit)
    mask += i.byteMask >> bit & 1 ? '1' : '0';
  return std::string(r.mnemonic) + "[" + print(i.dest) + ", " + mask + ", " +
         print(i.b) + printShift(i.shift) + "]" + (i.loadCc ? ", load_cc" : "");
}

std::string Text::printImmed() const {
  if (!i.invert)
    return std::string(r.mnemonic) + "[" + print(i.dest) + ", " +
           hex(i.immediate) + printShift(i.shift) + "]";
  unsigned shift = i.shift.amount;
  return std::string(r.mnemonic) + "[" + print(i.dest) + ", ~(" +
         hex(i.immediate) + ")" + (shift ? printShift(i.shift) : "") + "]";
}

std::string Text::printCrc() const {
  constexpr const char *Types[8] = {
      "none", "?", "crc_ccitt", "?", "crc_32", "crc_iscsi", "crc_10", "crc_5"};
  constexpr const char *Bytes[8] = {"",       "bytes_1_3", "bytes_2_3",
                                    "byte_3", "bytes_0_2", "bytes_0_1",
                                    "byte_0", "?"};
  std::string text = i.crcLittleEndian ? "crc_le[" : "crc_be[";
  text += Types[static_cast<unsigned>(i.crcType)];
  text += ", " + print(i.dest) + ", " + print(i.b) + "]";
  if (i.crcBytes != CrcBytes::All)
    text += std::string(", ") + Bytes[static_cast<unsigned>(i.crcBytes)];
  return text + (i.crcBitSwap ? ", bit_swap" : "");
}

std::string Text::camLookup() const {
  std::string text = operands({print(i.dest), print(i.a)});
  std::string block = "[" + std::to_string(i.lmBlock) + "]";
  if (i.loadLm0)
    text += ", lm_addr0" + block;
  if (i.loadLm1)
    text += ", lm_addr1" + block;
  return text;
}

std::string Text::printCam() const {
  switch (r.format) {
  case Format::CamLookup:
    return camLookup();
  case Format::CamWrite:
    return operands({print(i.b), print(i.a), std::to_string(i.parameter)});
  default:
    return operands({print(i.b), std::to_string(i.parameter)});
  }
}

std::string Text::printMul() const {
  if (r.format == Format::MulLast)
    return operands({print(i.dest), "--"}) + ", " + r.variant;
  return operands({print(i.a), print(i.b)}) + ", " +
         (i.op == Op::MulStart ? "32x32_start" : r.variant);
}

std::string Text::branchOn() const {
  std::string parameter = std::to_string(i.parameter);
  if (i.op == Op::BrSignal || i.op == Op::BrNotSignal)
    parameter = "s" + parameter;
  if (i.op == Op::BrInpState || i.op == Op::BrNotInpState)
    parameter = inputStateName(i.parameter);
  return operands({parameter, target()});
}

std::string Text::printBranch() const {
  std::string number = std::to_string(i.parameter), defer = printDefer(i.defer);
  switch (r.format) {
  case Format::BranchOn:
    return branchOn() + defer;
  case Format::BranchBit:
    return operands({print(i.a), number, target()}) + defer;
  case Format::BranchByte:
    return operands({print(i.a), number, hex(i.immediate), target()}) + defer;
  default:
    return operands({target()}) + defer;
  }
}

std::string Text::printJump() const {
  std::string text = i.target == 0 ? "rtn[" + print(i.a) + "]"
                                   : operands({print(i.a), target()});
  return text + printDefer(i.defer);
}

std::string Text::printCtxArb() const {
  std::string list;
  auto add = [&](const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  bool kill = i.any && !i.signalMask;
  if (i.keepMask)
    add("--");
  if (i.breakpoint)
    add("bpt");
  if (kill)
    add("kill");
  if (i.signalMask & 1)
    add("voluntary");
  for (unsigned signal = 1; signal < 16; ++signal)
    if (i.signalMask >> signal & 1)
      add("s" + std::to_string(signal));
  std::string text = "ctx_arb[" + list + "]";
  if (i.any && !kill)
    text += ", any";
  if (i.hasTarget)
    text += ", br[" + target() + "]";
  return text + printDefer(i.defer);
}

std::string Text::printCsr() const {
  const char *name = localCsrName(i.csr);
  std::string csr = name ? name : hex(i.csr);
  return r.format == Format::CsrRead ? operands({csr})
                                     : operands({csr, print(i.a)});
}

std::string Text::commandOperands() const {
  std::string unit = std::string(r.mnemonic) + "[";
  if (r.address == AddressForm::Key)
    return unit + print(i.xfer) + ", " + std::to_string(i.count) + "]";
  unit += r.variant;
  switch (r.address) {
  case AddressForm::FastData:
    return unit + ", " + std::to_string(i.immediate) + ", " + hex(i.csr) + "]";
  case AddressForm::FastAlu:
    return unit + ", ALU, " + hex(i.csr) + "]";
  case AddressForm::CapRegister:
    return unit + ", " + print(i.xfer) + ", " + hex(i.csr) + "]";
  default:
    break;
  }
  unit += ", " + print(i.xfer) + ", " + print(i.a) + ", " + print(i.b);
  if (r.countMax)
    unit += i.indirectRef && i.count == 8 ? ", max_8"
                                          : ", " + std::to_string(i.count);
  return unit + "]";
}

std::string Text::printCommand() const {
  std::string text = commandOperands();
  if (i.indirectRef)
    text += ", indirect_ref";
  if (i.signal)
    text += std::string(i.ctxSwap ? ", ctx_swap[s" : ", sig_done[s") +
            std::to_string(i.signal) + "]";
  return text + printDefer(i.defer);
}

std::string Text::str() const {
  switch (r.format) {
#define KARAKAL_FORMAT(name, group, mask, text)                                \
  case Format::name:                                                           \
    return print##group();
#include "target-ixp/table/Formats.def"
  }
  KARAKAL_UNREACHABLE("format without text");
}

} // namespace

std::string print(const Operand &operand) {
  std::string number = std::to_string(operand.value);
  switch (operand.kind) {
  case Kind::None:
    return "--";
  case Kind::GprA:
    return "a" + number;
  case Kind::GprB:
    return "b" + number;
  case Kind::AbsoluteA:
    return "@a" + number;
  case Kind::AbsoluteB:
    return "@b" + number;
  case Kind::SXfer:
    return "$" + number;
  case Kind::DXfer:
    return "$$" + number;
  case Kind::SXferIndex:
    return std::string("*$index") + suffix(operand.post);
  case Kind::DXferIndex:
    return std::string("*$$index") + suffix(operand.post);
  case Kind::LocalMemory0:
  case Kind::LocalMemory1: {
    std::string text =
        operand.kind == Kind::LocalMemory0 ? "*l$index0" : "*l$index1";
    return operand.post == PostModify::None ? text + "[" + number + "]"
                                            : text + suffix(operand.post);
  }
  case Kind::Neighbour:
    return "n$" + number;
  case Kind::NeighbourIndex:
    return std::string("*n$index") + suffix(operand.post);
  case Kind::Immediate:
    return hex(operand.value);
  }
  KARAKAL_UNREACHABLE("operand without text");
}

std::string print(const Instruction &instruction, const LabelResolver &labels) {
  Instruction shown = canonical(instruction);
  return Text(shown, labels).str();
}

namespace {

/// The comment after one instruction, or "".
std::string comment(const std::vector<uint64_t> &words, unsigned address,
                    const ListingOptions &options) {
  std::string text;
  if (options.words) {
    char addressAndWord[40];
    std::snprintf(addressAndWord, sizeof addressAndWord, "%4u %010llx", address,
                  static_cast<unsigned long long>(words[address]));
    text += addressAndWord;
  } else if (decode(words[address]) && !isCanonical(words[address])) {
    // ixp-as writes another word with the same meaning.
    char word[32];
    std::snprintf(word, sizeof word, "word %010llx",
                  static_cast<unsigned long long>(words[address]));
    text += word;
  }
  bool hasLine = options.showLines && options.lines &&
                 address < options.lines->size() &&
                 (*options.lines)[address].line;
  if (hasLine) {
    const SourceLine &line = (*options.lines)[address];
    text +=
        (text.empty() ? "" : " ") + line.file + ":" + std::to_string(line.line);
  }
  return text.empty() ? "" : " // " + text;
}

} // namespace

std::string printProgram(const std::vector<uint64_t> &words,
                         const ListingOptions &options) {
  std::set<unsigned> targets;
  std::vector<std::string> lines;
  LabelResolver labels = [&](unsigned address) -> std::string {
    if (address >= words.size())
      return "";
    targets.insert(address);
    char label[16];
    std::snprintf(label, sizeof label, "l_%04u#", address);
    return label;
  };
  for (uint64_t word : words) {
    if (Result<Instruction> instruction = decode(word)) {
      lines.push_back(print(*instruction, labels));
      continue;
    }
    char text[32];
    std::snprintf(text, sizeof text, ".word 0x%010llx",
                  static_cast<unsigned long long>(word));
    lines.push_back(text);
  }
  std::string text;
  for (unsigned address = 0; address < lines.size(); ++address) {
    if (targets.count(address))
      text += labels(address) + ":\n";
    std::string line = "    " + lines[address];
    std::string note = comment(words, address, options);
    if (!note.empty() && line.size() < 56)
      line.resize(56, ' ');
    text += line + note + "\n";
  }
  return text;
}

} // namespace karakal::target
