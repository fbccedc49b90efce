#include "target-ixp/assembler/AsmBuilder.h"

#include "target-ixp/assembler/AsmExpression.h"
#include "target-ixp/assembler/AsmInstruction.h"

namespace karakal::target::as {

void collect(AsmProgram &program, Reporter &reporter) {
  for (Item &item : program.items) {
    if (item.hasError || !item.row)
      continue;
    if (!item.within.empty())
      reporter.within.push_back(item.within);
    if (!InstructionReader(program, item, reporter, false).read())
      item.hasError = true;
    if (!item.within.empty())
      reporter.within.pop_back();
  }
}

std::optional<Instruction> build(AsmProgram &program, Item &item,
                                 Reporter &reporter) {
  return InstructionReader(program, item, reporter, true).read();
}

std::optional<int64_t> buildWord(const Item &item, Reporter &reporter) {
  const Argument &text = item.arguments[0];
  auto value =
      evaluate(text.tokens.data(), text.tokens.data() + text.tokens.size(), {},
               reporter, item.location);
  if (value && (*value < 0 || *value >> 40)) {
    reporter.error(item.location, "E-target-ixp-007", "a word has 40 bits");
    return std::nullopt;
  }
  return value;
}

} // namespace karakal::target::as
