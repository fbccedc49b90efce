// Reads the operands of one item.
//
// Resolves the arguments between the commas of an instruction: registers and
// signals by scope, constants, labels, shifts. Before allocation, symbols have
// no number yet and the value of '&symbol' is 1. After allocation, all operands
// are final.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMOPERANDS_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMOPERANDS_H

#include "target-ixp/assembler/AsmProgram.h"

#include <optional>

namespace karakal::target::as {

/// An operand and the symbol that it names, or null.
struct Resolved {
  Operand operand;
  Symbol *symbol = nullptr;
};

/// Reads the arguments of one item. Reports the first error and clears `good`;
/// after that, readers return zeros and report nothing.
class OperandReader {
public:
  OperandReader(AsmProgram &program, Item &item, Reporter &reporter, bool final)
      : program(program), item(item), reporter(reporter), final(final) {}

protected:
  AsmProgram &program;
  Item &item;
  Reporter &reporter;
  const bool final; ///< after allocation
  bool good = true;

  void fail(const Location &location, const char *id,
            const std::string &message) {
    if (good)
      reporter.error(location, id, message);
    good = false;
  }
  size_t count() const { return item.arguments.size(); }
  const Argument &argument(size_t index) const { return item.arguments[index]; }

  /// A constant of any size.
  std::optional<int64_t> value(const Argument &argument);
  /// A constant from 0 to `most`; 0 after an error. `what` names it in
  /// messages.
  unsigned literal(const Argument &argument, int64_t most, const char *what);
  /// The address of "label#" or ".12".
  unsigned target(const Argument &argument);
  /// The number of a signal. Sets `isPair` if the signal is a pair.
  unsigned signal(const Argument &argument, bool *isPair = nullptr);
  /// A register, an indexed operand, a literal 0..255 or "--".
  Resolved operand(const Argument &argument);
  /// <<n, >>n, <<rotN, >>rotN, <<indirect, >>indirect.
  Shift shift(const Argument &argument);
  /// Reports a 'write' register that is read, or a 'read' one that is written.
  void checkDirection(const Symbol *symbol, const Location &location,
                      bool asSource);

private:
  std::optional<int64_t> valueOf(const Token *begin, const Token *end,
                                 const Location &location);
  std::optional<int64_t> numberOf(const Token *&at, const Token *end);
  bool indexed(const Argument &argument, Operand &operand);
  Resolved registerOperand(const Argument &argument, bool &isRegister);
  Operand allocatedOperand(const Symbol &symbol) const;
};

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMOPERANDS_H
