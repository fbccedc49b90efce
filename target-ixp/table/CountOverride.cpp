// Evaluates overrides: follows definitions backward through straight-line code.

#include "target-ixp/table/CountOverride.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::target {
namespace {

class Evaluator {
public:
  explicit Evaluator(const DecodedProgram &program) : program(program) {}

  /// The result of the instruction at `address`, if it is constant.
  std::optional<uint32_t> resultAt(uint32_t address, unsigned depth = 0) const;

private:
  const DecodedProgram &program;

  /// Words and definitions that the search covers; longer code is unknown.
  static constexpr uint32_t WordsMax = 32;
  static constexpr unsigned DepthMax = 8;

  bool isEntered(uint32_t address) const;
  std::optional<uint32_t> valueBefore(const Operand &operand, uint32_t address,
                                      unsigned depth) const;
};

/// Whether control may reach the word other than from the word before it.
bool Evaluator::isEntered(uint32_t address) const {
  if (address == 0)
    return true;
  return std::any_of(program.begin(), program.end(), [&](const auto &i) {
    bool leads = i && (row(i->op).isBranch() || i->hasTarget);
    // A jump may lead to any word after its label, a rtn to any word.
    return leads &&
           (i->op == Op::Jump ? i->target <= address : i->target == address);
  });
}

std::optional<uint32_t> Evaluator::valueBefore(const Operand &operand,
                                               uint32_t address,
                                               unsigned depth) const {
  if (operand.isImmediate())
    return operand.value;
  if (operand.kind != Operand::Kind::GprA &&
      operand.kind != Operand::Kind::GprB)
    return std::nullopt;
  uint32_t end = address > WordsMax ? address - WordsMax : 0;
  for (uint32_t at = address; at > end && !isEntered(at);) {
    --at;
    const std::optional<Instruction> &i = program[at];
    if (!i || row(i->op).isBranch() || i->op == Op::CtxArb)
      return std::nullopt;
    if (i->dest == operand)
      return resultAt(at, depth + 1);
  }
  return std::nullopt;
}

std::optional<uint32_t> shiftedConstant(uint32_t value, const Shift &shift) {
  switch (shift.kind) {
  case Shift::Kind::None:
    return value;
  case Shift::Kind::Left:
    return value << shift.amount;
  case Shift::Kind::Right:
    return value >> shift.amount;
  case Shift::Kind::RotateRight:
    return value >> shift.amount | value << (32 - shift.amount);
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> Evaluator::resultAt(uint32_t address,
                                            unsigned depth) const {
  KARAKAL_ASSERT(address < program.size(), "a result of a word outside");
  if (!program[address] || depth > DepthMax)
    return std::nullopt;
  const Instruction &i = *program[address];
  if (i.op == Op::Immed) {
    std::optional<uint32_t> value = shiftedConstant(i.immediate, i.shift);
    // An immed after a local_csr_rd receives the CSR.
    bool isCsr = address && (!program[address - 1] ||
                             program[address - 1]->op == Op::CsrRead);
    return isCsr || !value ? std::nullopt
           : i.invert      ? std::optional<uint32_t>(~*value)
                           : value;
  }
  if (i.op == Op::ImmedW0 || i.op == Op::ImmedW1) {
    std::optional<uint32_t> old = valueBefore(i.dest, address, depth);
    if (!old)
      return std::nullopt;
    return i.op == Op::ImmedW0 ? (*old & 0xffff0000) | i.immediate
                               : (*old & 0xffff) | uint32_t{i.immediate} << 16;
  }
  std::optional<uint32_t> b = valueBefore(i.b, address, depth);
  if (b)
    b = shiftedConstant(*b, i.shift);
  if (!b || i.op == Op::AluB || i.op == Op::ShfB)
    return i.op == Op::AluB || i.op == Op::ShfB ? b : std::nullopt;
  std::optional<uint32_t> a = valueBefore(i.a, address, depth);
  if (!a)
    return std::nullopt;
  switch (i.op) {
  case Op::AluOr:
  case Op::ShfOr:
    return *a | *b;
  case Op::AluAnd:
  case Op::ShfAnd:
    return *a & *b;
  case Op::AluAdd:
    return *a + *b;
  case Op::AluSub:
    return *a - *b;
  case Op::AluXor:
    return *a ^ *b;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<unsigned> overriddenCount(const DecodedProgram &program,
                                        uint32_t address) {
  KARAKAL_ASSERT(address < program.size() && program[address],
                 "an override belongs to a command");
  if (!program[address]->indirectRef || address == 0)
    return std::nullopt;
  std::optional<uint32_t> word = Evaluator(program).resultAt(address - 1);
  if (!word || !(*word & OverridesCount))
    return std::nullopt;
  return (*word >> CountOverrideShift & 15) + 1;
}

} // namespace karakal::target
