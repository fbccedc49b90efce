// Expressions of the syntax tree.
//
// Literals are checked here, since only here their text is at hand.

#include "baker-lang/syntax/AstBuilder.h"

namespace karakal::lang {

/// Deepest expression: keeps every later recursion over the tree in bounds.
static constexpr unsigned depthMax = 1000;

static std::optional<BinaryOp> binaryOp(const std::string &text) {
  for (unsigned op = 0; op <= unsigned(BinaryOp::LogicalOr); ++op)
    if (text == spelling(BinaryOp(op)))
      return BinaryOp(op);
  return std::nullopt;
}

ExprPtr AstBuilder::expression(P::ExpressionContext *context) {
  if (!context)
    return std::make_unique<ErrorExpr>(SourceRange{});
  SourceRange where = range(context);
  if (isBroken(context))
    return std::make_unique<ErrorExpr>(where);
  if (depth >= depthMax) {
    error(DiagId::NestedTooDeep, where,
          "the expression nests deeper than " + std::to_string(depthMax) +
              " levels");
    return std::make_unique<ErrorExpr>(where);
  }
  ++depth;
  ExprPtr result = operation(context, where);
  --depth;
  return result ? std::move(result) : std::make_unique<ErrorExpr>(where);
}

ExprPtr AstBuilder::operation(P::ExpressionContext *context,
                              SourceRange where) {
  if (auto *item = dynamic_cast<P::PrimaryExpressionContext *>(context))
    return primary(item->primary());
  if (auto *item = dynamic_cast<P::BinaryExpressionContext *>(context)) {
    auto result = std::make_unique<BinaryExpr>(where);
    if (!item->op)
      return nullptr;
    result->op = *binaryOp(item->op->getText());
    result->opRange = places.range(item->op);
    result->left = expression(item->expression(0));
    result->right = expression(item->expression(1));
    return result;
  }
  if (auto *item = dynamic_cast<P::CallExpressionContext *>(context)) {
    auto result = std::make_unique<CallExpr>(where);
    result->callee = expression(item->expression());
    if (auto *arguments = item->arguments())
      for (P::ExpressionContext *argument : arguments->expression())
        result->arguments.push_back(expression(argument));
    return result;
  }
  if (auto *item = dynamic_cast<P::IndexExpressionContext *>(context)) {
    auto result = std::make_unique<IndexExpr>(where);
    result->base = expression(item->expression(0));
    result->index = expression(item->expression(1));
    return result;
  }
  if (auto *item = dynamic_cast<P::FieldExpressionContext *>(context)) {
    auto result = std::make_unique<FieldExpr>(where);
    result->base = expression(item->expression());
    result->isArrow = item->op && item->op->getText() == "->";
    result->field = identifier(item->fieldName());
    if (result->field.name.empty())
      return nullptr;
    return result;
  }
  if (auto *item = dynamic_cast<P::PostfixExpressionContext *>(context)) {
    auto result = std::make_unique<StepExpr>(where);
    result->isIncrement = item->op && item->op->getText() == "++";
    result->operand = expression(item->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::UnaryExpressionContext *>(context)) {
    std::string op = item->op ? item->op->getText() : "";
    if (op == "++" || op == "--") {
      auto result = std::make_unique<StepExpr>(where);
      result->isIncrement = op == "++";
      result->isPrefix = true;
      result->operand = expression(item->expression());
      return result;
    }
    auto result = std::make_unique<UnaryExpr>(where);
    result->op = op == "-"   ? UnaryOp::Minus
                 : op == "!" ? UnaryOp::Not
                 : op == "~" ? UnaryOp::Complement
                 : op == "&" ? UnaryOp::AddressOf
                 : op == "*" ? UnaryOp::Dereference
                             : UnaryOp::Plus;
    result->operand = expression(item->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::CastExpressionContext *>(context)) {
    auto result = std::make_unique<CastExpr>(where);
    result->target = scalarType(item->scalarType());
    result->operand = expression(item->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::ConditionalExpressionContext *>(context)) {
    auto result = std::make_unique<ConditionalExpr>(where);
    result->condition = expression(item->expression(0));
    result->whenTrue = expression(item->expression(1));
    result->whenFalse = expression(item->expression(2));
    return result;
  }
  if (auto *item = dynamic_cast<P::AssignmentExpressionContext *>(context))
    return assignment(item, where);
  return nullptr;
}

ExprPtr AstBuilder::assignment(P::AssignmentExpressionContext *context,
                               SourceRange where) {
  auto result = std::make_unique<AssignExpr>(where);
  if (!context->op)
    return nullptr;
  std::string text = context->op->getText();
  result->op = binaryOp(text.substr(0, text.size() - 1));
  result->opRange = places.range(context->op);
  result->target = expression(context->expression(0));
  result->value = expression(context->expression(1));
  return result;
}

ExprPtr AstBuilder::primary(P::PrimaryContext *context) {
  if (isBroken(context))
    return nullptr;
  SourceRange where = range(context);
  if (auto *item = dynamic_cast<P::NumberPrimaryContext *>(context))
    return number(item->NUMBER());
  if (auto *item = dynamic_cast<P::RatePrimaryContext *>(context)) {
    error(DiagId::BadNumber, where,
          "'" + item->getText() +
              "' is not an integer; a share stands in '@tolerate' only");
    return std::make_unique<ErrorExpr>(where);
  }
  if (auto *item = dynamic_cast<P::CharacterPrimaryContext *>(context))
    return character(item->CHARACTER());
  if (auto *item = dynamic_cast<P::StringPrimaryContext *>(context))
    return string(item->STRING());
  if (auto *item = dynamic_cast<P::BoolPrimaryContext *>(context)) {
    auto result = std::make_unique<BoolExpr>(where);
    result->value = item->getText() == "true";
    return result;
  }
  if (auto *item = dynamic_cast<P::NamePrimaryContext *>(context)) {
    Identifier name = identifier(item->IDENT());
    if (name.name.empty())
      return nullptr;
    auto result = std::make_unique<NameExpr>(where);
    result->name = name.name;
    return result;
  }
  if (auto *item = dynamic_cast<P::SizeofPrimaryContext *>(context)) {
    auto result = std::make_unique<SizeofExpr>(where);
    if (item->scalarType())
      result->target = scalarType(item->scalarType());
    else if (Identifier name = identifier(item->IDENT(0)); !name.name.empty()) {
      result->target = {name.name, name.range, false};
      if (Identifier member = identifier(item->IDENT(1)); !member.name.empty())
        result->target = {name.name + "." + member.name,
                          spanning(name.range, member.range), false};
    }
    return result;
  }
  if (auto *item = dynamic_cast<P::ParenPrimaryContext *>(context)) {
    // Parentheses leave no trace but their place.
    ExprPtr result = expression(item->expression());
    result->range = where;
    return result;
  }
  return nullptr;
}

ExprPtr AstBuilder::number(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  const std::string &text = token.name;
  unsigned base = 10;
  size_t first = 0;
  if (text.size() > 1 && text[0] == '0') {
    char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 0;
    first = 2;
  }
  auto wrong = [&](std::string why) {
    error(DiagId::BadNumber, token.range,
          "'" + text + "' is not a number" + std::move(why));
    return std::make_unique<ErrorExpr>(token.range);
  };
  if (base == 0)
    return wrong(": octal does not exist, write it without leading zeros, in "
                 "hexadecimal (0x…) or in binary (0b…)");
  if (first == text.size())
    return wrong(": it has no digits");
  uint64_t value = 0;
  bool isTooBig = false;
  for (char c : text.substr(first)) {
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A' + 10)
                                            : 99;
    if (digit >= base)
      return wrong(std::string(": '") + c + "' is no digit of base " +
                   std::to_string(base));
    isTooBig |= value > (UINT64_MAX - digit) / base;
    value = value * base + digit;
  }
  if (isTooBig) {
    error(DiagId::BigNumber, token.range, "'" + text + "' needs over 64 bits");
    return std::make_unique<ErrorExpr>(token.range);
  }
  auto result = std::make_unique<IntegerExpr>(token.range);
  result->value = value;
  return result;
}

ExprPtr AstBuilder::rate(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  auto result = std::make_unique<RateExpr>(token.range);
  result->value = std::strtod(token.name.c_str(), nullptr);
  return result;
}

/// The character that `\\c` stands for, if there is one.
static std::optional<char> escaped(char c) {
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case '0':
    return '\0';
  case '\\':
  case '\'':
  case '"':
    return c;
  default:
    return std::nullopt;
  }
}

ExprPtr AstBuilder::string(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  const std::string &text = token.name;
  if (text.empty())
    return nullptr;
  if (!isWholeString(text)) // reported with the tokens
    return std::make_unique<ErrorExpr>(token.range);
  auto result = std::make_unique<StringExpr>(token.range);
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    std::optional<char> c = text[i];
    if (text[i] == '\\')
      c = escaped(text[++i]);
    if (!c)
      error(DiagId::BadCharacter, token.range,
            "the escapes are \\n \\t \\r \\0 \\\\ \\' \\\"");
    result->text += c.value_or('?');
  }
  return result;
}

ExprPtr AstBuilder::character(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  std::string inside = token.name.substr(1, token.name.size() - 2);
  auto result = std::make_unique<IntegerExpr>(token.range);
  if (inside.size() == 1 && static_cast<unsigned char>(inside[0]) < 0x80) {
    result->value = uint64_t(inside[0]);
    return result;
  }
  if (inside.size() == 2 && inside[0] == '\\')
    if (std::optional<char> c = escaped(inside[1])) {
      result->value = uint64_t(*c);
      return result;
    }
  error(DiagId::BadCharacter, token.range,
        token.name + " is not one ASCII character; the escapes are \\n \\t "
                     "\\r \\0 \\\\ \\' \\\"");
  return std::make_unique<ErrorExpr>(token.range);
}

} // namespace karakal::lang
