// Expressions of the syntax tree.

#include "baker-lang/syntax/AstBuilder.h"

#include "baker-lang/syntax/Literals.h"
#include "support/Error.h"

namespace karakal::lang {

/// Limits the depth of expressions, and so of all recursion over the tree.
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
  if (expressionDepth >= depthMax) {
    error(DiagId::NestedTooDeep, where,
          "the expression nests deeper than " + std::to_string(depthMax) +
              " levels");
    return std::make_unique<ErrorExpr>(where);
  }
  ++expressionDepth;
  ExprPtr result = operation(context, where);
  --expressionDepth;
  return result ? std::move(result) : std::make_unique<ErrorExpr>(where);
}

ExprPtr AstBuilder::operation(P::ExpressionContext *context,
                              SourceRange where) {
  if (auto *item = dynamic_cast<P::PrimaryExpressionContext *>(context))
    return primary(item->primary());
  if (auto *item = dynamic_cast<P::BinaryExpressionContext *>(context))
    return binary(item, where);
  if (auto *item = dynamic_cast<P::CallExpressionContext *>(context))
    return call(item, where);
  if (auto *item = dynamic_cast<P::IndexExpressionContext *>(context)) {
    auto result = std::make_unique<IndexExpr>(where);
    result->base = expression(item->expression(0));
    result->index = expression(item->expression(1));
    return result;
  }
  if (auto *item = dynamic_cast<P::FieldExpressionContext *>(context))
    return field(item, where);
  if (auto *item = dynamic_cast<P::PostfixExpressionContext *>(context))
    return increment(item->op, item->expression(), /*isPrefix=*/false, where);
  if (auto *item = dynamic_cast<P::UnaryExpressionContext *>(context))
    return unary(item, where);
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

ExprPtr AstBuilder::binary(P::BinaryExpressionContext *context,
                           SourceRange where) {
  if (!context->op)
    return nullptr;
  std::optional<BinaryOp> op = binaryOp(context->op->getText());
  KARAKAL_ASSERT(op, "the grammar has an operator that the tree lacks");
  auto result = std::make_unique<BinaryExpr>(where);
  result->op = *op;
  result->opRange = tokenRanges.range(context->op);
  result->left = expression(context->expression(0));
  result->right = expression(context->expression(1));
  return result;
}

ExprPtr AstBuilder::call(P::CallExpressionContext *context, SourceRange where) {
  auto result = std::make_unique<CallExpr>(where);
  result->callee = expression(context->expression());
  if (auto *arguments = context->arguments())
    for (P::ExpressionContext *argument : arguments->expression())
      result->arguments.push_back(expression(argument));
  return result;
}

ExprPtr AstBuilder::field(P::FieldExpressionContext *context,
                          SourceRange where) {
  auto result = std::make_unique<FieldExpr>(where);
  result->base = expression(context->expression());
  result->isArrow = context->op && context->op->getText() == "->";
  result->field = identifier(context->fieldName());
  if (result->field.name.empty())
    return nullptr;
  return result;
}

ExprPtr AstBuilder::increment(antlr4::Token *op, P::ExpressionContext *operand,
                              bool isPrefix, SourceRange where) {
  auto result = std::make_unique<IncrementExpr>(where);
  result->isDecrement = !op || op->getText() == "--";
  result->isPrefix = isPrefix;
  result->operand = expression(operand);
  return result;
}

ExprPtr AstBuilder::unary(P::UnaryExpressionContext *context,
                          SourceRange where) {
  std::string op = context->op ? context->op->getText() : "";
  if (op == "++" || op == "--")
    return increment(context->op, context->expression(), /*isPrefix=*/true,
                     where);
  auto result = std::make_unique<UnaryExpr>(where);
  result->op = op == "-"   ? UnaryOp::Minus
               : op == "!" ? UnaryOp::Not
               : op == "~" ? UnaryOp::Complement
               : op == "&" ? UnaryOp::AddressOf
               : op == "*" ? UnaryOp::Dereference
                           : UnaryOp::Plus;
  result->operand = expression(context->expression());
  return result;
}

ExprPtr AstBuilder::assignment(P::AssignmentExpressionContext *context,
                               SourceRange where) {
  auto result = std::make_unique<AssignExpr>(where);
  if (!context->op)
    return nullptr;
  std::string text = context->op->getText();
  result->op = binaryOp(text.substr(0, text.size() - 1));
  result->opRange = tokenRanges.range(context->op);
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
              "' is not an integer; only '@tolerate' takes a rate");
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
  if (auto *item = dynamic_cast<P::SizeofPrimaryContext *>(context))
    return sizeOf(item, where);
  if (auto *item = dynamic_cast<P::ParenPrimaryContext *>(context)) {
    // Parentheses have no node; they only widen the range of what they enclose.
    ExprPtr result = expression(item->expression());
    result->range = where;
    return result;
  }
  return nullptr;
}

ExprPtr AstBuilder::sizeOf(P::SizeofPrimaryContext *context,
                           SourceRange where) {
  auto result = std::make_unique<SizeofExpr>(where);
  if (context->scalarType()) {
    result->target = scalarType(context->scalarType());
    return result;
  }
  Identifier name = identifier(context->IDENT(0));
  Identifier member = identifier(context->IDENT(1));
  if (!name.name.empty())
    result->target = {name.name, name.range, false};
  if (!name.name.empty() && !member.name.empty())
    result->target = {name.name + "." + member.name,
                      spanning(name.range, member.range), false};
  return result;
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

ExprPtr AstBuilder::number(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  IntegerLiteral literal = parseInteger(token.name);
  if (!literal.error.empty()) {
    error(literal.isTooBig ? DiagId::BigNumber : DiagId::BadNumber, token.range,
          literal.error);
    return std::make_unique<ErrorExpr>(token.range);
  }
  auto result = std::make_unique<IntegerExpr>(token.range);
  result->value = literal.value;
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

ExprPtr AstBuilder::string(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  if (!isTerminatedString(token.name)) // reported with the tokens
    return std::make_unique<ErrorExpr>(token.range);
  auto result = std::make_unique<StringExpr>(token.range);
  StringLiteral literal = parseString(token.name);
  result->text = std::move(literal.text);
  if (literal.hasBadEscape)
    error(DiagId::BadCharacter, token.range,
          std::string("the escapes are ") + escapeList);
  return result;
}

ExprPtr AstBuilder::character(antlr4::tree::TerminalNode *node) {
  Identifier token = identifier(node);
  if (token.name.empty())
    return nullptr;
  if (std::optional<char> c = parseCharacter(token.name)) {
    auto result = std::make_unique<IntegerExpr>(token.range);
    result->value = uint64_t(*c);
    return result;
  }
  error(DiagId::BadCharacter, token.range,
        token.name + " is not one ASCII character; the escapes are " +
            escapeList);
  return std::make_unique<ErrorExpr>(token.range);
}

} // namespace karakal::lang
