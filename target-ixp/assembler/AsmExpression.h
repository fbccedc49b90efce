// Evaluates constant expressions of microcode.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H

#include "target-ixp/assembler/AsmLexer.h"

#include <functional>
#include <optional>

namespace karakal::target::as {

/// The meaning of names in an expression.
struct ExpressionNames {
  /// The value of a plain word, or nothing.
  std::function<std::optional<int64_t>(const Token &)> word;
  /// The number of the register or signal after '&', whose tokens begin at
  /// `begin`. Advances `begin` past them.
  std::function<std::optional<int64_t>(const Token *&begin, const Token *end)>
      numberOf;
};

/// Evaluates the tokens [begin, end) with C's integer operators. Returns
/// nothing after an error: E-target-ixp-103 (malformed), 104 (unknown name),
/// 105 (division by zero). `fallback` locates errors of an empty expression.
std::optional<int64_t> evaluate(const Token *begin, const Token *end,
                                const ExpressionNames &names,
                                Reporter &reporter, const Location &fallback);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H
