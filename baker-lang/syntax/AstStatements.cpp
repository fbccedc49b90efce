// Statements of the syntax tree.
//
// A statement that did not parse becomes an ErrorStmt. Analysis skips it and
// checks the statements around it as usual.

#include "baker-lang/syntax/AstBuilder.h"

namespace karakal::lang {

std::unique_ptr<BlockStmt> AstBuilder::block(P::BlockContext *context) {
  if (!context)
    return nullptr;
  isBroken(context);
  auto result = std::make_unique<BlockStmt>(range(context));
  for (P::StatementContext *item : context->statement())
    result->body.push_back(statement(item));
  return result;
}

StmtPtr AstBuilder::statement(P::StatementContext *context) {
  if (!context)
    return std::make_unique<ErrorStmt>(SourceRange{});
  SourceRange where = range(context);
  isBroken(context);
  if (auto *item = dynamic_cast<P::BlockStatementContext *>(context))
    return block(item->block());
  if (auto *item = dynamic_cast<P::DeclarationStatementContext *>(context))
    return declarationStatement(item->type(), item->declarator(), where);
  if (auto *item = dynamic_cast<P::ConstStatementContext *>(context)) {
    auto decl = scalarConstant(item->constDeclaration());
    if (!decl)
      return std::make_unique<ErrorStmt>(where);
    auto result = std::make_unique<ConstStmt>(where);
    result->decl = std::move(decl);
    return result;
  }
  if (auto *item = dynamic_cast<P::AssertStatementContext *>(context)) {
    auto result = std::make_unique<AssertStmt>(where);
    result->condition = expression(item->staticAssert()->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::IfStatementContext *>(context)) {
    auto result = std::make_unique<IfStmt>(where);
    result->condition = expression(item->expression());
    result->whenTrue = statement(item->statement(0));
    if (item->statement().size() > 1)
      result->whenFalse = statement(item->statement(1));
    return result;
  }
  if (auto *item = dynamic_cast<P::SwitchStatementContext *>(context))
    return switchStatement(item, where);
  if (auto *item = dynamic_cast<P::CriticalStatementContext *>(context)) {
    auto result = std::make_unique<CriticalStmt>(where);
    result->lock = expression(item->expression());
    result->body = statement(item->statement());
    return result;
  }
  if (auto *item = dynamic_cast<P::AnnotatedStatementContext *>(context))
    return annotated(item);
  if (StmtPtr result = loop(context, where))
    return result;
  return simpleStatement(context, where);
}

StmtPtr AstBuilder::simpleStatement(P::StatementContext *context,
                                    SourceRange where) {
  if (dynamic_cast<P::BreakStatementContext *>(context))
    return std::make_unique<BreakStmt>(where);
  if (dynamic_cast<P::ContinueStatementContext *>(context))
    return std::make_unique<ContinueStmt>(where);
  if (dynamic_cast<P::EmptyStatementContext *>(context))
    return std::make_unique<EmptyStmt>(where);
  if (auto *item = dynamic_cast<P::ReturnStatementContext *>(context)) {
    auto result = std::make_unique<ReturnStmt>(where);
    if (item->expression())
      result->value = expression(item->expression());
    else if (item->exception)
      result->value = std::make_unique<ErrorExpr>(where);
    return result;
  }
  if (auto *item = dynamic_cast<P::ExpressionStatementContext *>(context)) {
    auto result = std::make_unique<ExpressionStmt>(where);
    result->expr = expression(item->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::StrayLabelContext *>(context))
    error(DiagId::UnexpectedToken, where,
          std::string("'") + (item->expression() ? "case" : "default") +
              "' must be directly inside the braces of a 'switch'");
  return std::make_unique<ErrorStmt>(where);
}

/// `@bound(N)` and the loop after it, or `@fallthrough;`.
StmtPtr AstBuilder::annotated(P::AnnotatedStatementContext *context) {
  StmtPtr result = statement(context->statement());
  if (!context->annotation())
    return result;
  std::vector<Annotation> found = annotations({context->annotation()});
  const Identifier &name = found.front().name;
  if (name.name.empty())
    return result;
  auto *empty = llvm::dyn_cast<EmptyStmt>(result.get());
  if (name.name == "fallthrough" && empty && !found.front().argument) {
    empty->isFallThrough = true;
    empty->range = range(context);
    return result;
  }
  if (name.name != "bound" || !result->isLoop() || result->bound) {
    error(name.name == "bound" || name.name == "fallthrough"
              ? DiagId::BadAnnotation
              : DiagId::UnknownAnnotation,
          name.range,
          "a statement takes '@bound(N)' before a loop, or is "
          "'@fallthrough;' at the end of a case");
    return result;
  }
  result->bound = std::make_unique<LoopBound>();
  result->bound->name = name;
  result->bound->argument = std::move(found.front().argument);
  return result;
}

StmtPtr AstBuilder::loop(P::StatementContext *context, SourceRange where) {
  if (auto *item = dynamic_cast<P::WhileStatementContext *>(context)) {
    auto result = std::make_unique<WhileStmt>(where);
    result->condition = expression(item->expression());
    result->body = statement(item->statement());
    return result;
  }
  if (auto *item = dynamic_cast<P::DoStatementContext *>(context)) {
    auto result = std::make_unique<DoStmt>(where);
    result->body = statement(item->statement());
    result->condition = expression(item->expression());
    return result;
  }
  if (auto *item = dynamic_cast<P::ForStatementContext *>(context))
    return forStatement(item, where);
  return nullptr;
}

StmtPtr AstBuilder::forStatement(P::ForStatementContext *context,
                                 SourceRange where) {
  auto result = std::make_unique<ForStmt>(where);
  if (auto *init = context->forInit()) {
    isBroken(init);
    if (init->type()) {
      result->init =
          declarationStatement(init->type(), init->declarator(), range(init));
    } else if (auto *list = init->expressionList()) {
      auto block = std::make_unique<BlockStmt>(range(init));
      for (P::ExpressionContext *item : list->expression()) {
        auto statement = std::make_unique<ExpressionStmt>(range(item));
        statement->expr = expression(item);
        block->body.push_back(std::move(statement));
      }
      result->init = std::move(block);
    }
  }
  if (context->condition)
    result->condition = expression(context->condition);
  if (context->step)
    for (P::ExpressionContext *item : context->step->expression())
      result->steps.push_back(expression(item));
  result->body = statement(context->statement());
  return result;
}

StmtPtr AstBuilder::switchStatement(P::SwitchStatementContext *context,
                                    SourceRange where) {
  auto result = std::make_unique<SwitchStmt>(where);
  result->subject = expression(context->expression());
  for (P::SwitchItemContext *item : context->switchItem()) {
    if (auto *label = dynamic_cast<P::CaseItemContext *>(item)) {
      SwitchStmt::Case part;
      part.range = range(label);
      part.value = expression(label->expression());
      result->cases.push_back(std::move(part));
    } else if (auto *label = dynamic_cast<P::DefaultItemContext *>(item)) {
      SwitchStmt::Case part;
      part.range = range(label);
      result->cases.push_back(std::move(part));
    } else if (auto *part = dynamic_cast<P::StatementItemContext *>(item)) {
      if (result->cases.empty()) {
        error(DiagId::UnexpectedToken, range(part),
              "a statement inside 'switch' must follow a 'case'");
        result->cases.push_back({range(part), nullptr, {}});
      }
      result->cases.back().body.push_back(statement(part->statement()));
    } else {
      noteUnparsedNames(item);
    }
  }
  return result;
}

StmtPtr AstBuilder::declarationStatement(
    P::TypeContext *typeContext,
    const std::vector<P::DeclaratorContext *> &names, SourceRange where) {
  auto result = std::make_unique<DeclarationStmt>(where);
  result->type = type(typeContext);
  for (P::DeclaratorContext *item : names) {
    Declarator part = declarator(item);
    if (!part.name.name.empty())
      result->declarators.push_back(std::move(part));
  }
  return result;
}

} // namespace karakal::lang
