// Constant expressions of microcode.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H

#include "target-ixp/assembler/AsmLexer.h"

#include <functional>
#include <optional>

namespace karakal::target::as {

/// What names in an expression mean.
struct ExpressionNames {
  /// Value of a plain word, or nothing.
  std::function<std::optional<int64_t>(const Token &)> word;
  /// Number of a register or signal, the operand of '&': its tokens are
  /// [begin, end); advances begin behind them.
  std::function<std::optional<int64_t>(const Token *&begin, const Token *end)>
      numberOf;
};

/// Evaluates C's integer operators over all tokens of [begin, end). Reports
/// E-target-ixp-103 (malformed), 104 (unknown name), 105 (division by zero)
/// and then returns nothing.
std::optional<int64_t> evaluate(const Token *begin, const Token *end,
                                const ExpressionNames &names,
                                Reporter &reporter, const Place &fallback);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMEXPRESSION_H
