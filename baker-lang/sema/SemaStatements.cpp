// Bodies of functions and PPFs.
//
// Each block has its own scope. A name may hide one of an outer scope.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/TypeLayout.h"
#include "support/Error.h"

#include "llvm/Support/SaveAndRestore.h"

namespace karakal::lang {

void Sema::checkBody(FunctionDecl &decl) {
  if (!decl.body)
    return;
  KARAKAL_ASSERT(decl.scope && decl.result, "a signature was not resolved");
  llvm::SaveAndRestore inFunction(function, &decl);
  Scope parameters;
  parameters.parent = decl.scope;
  llvm::SaveAndRestore inScope(scope, &parameters);
  for (Parameter &parameter : decl.parameters)
    if (!parameter.name.name.empty())
      declare(parameters, parameter.decl);
  checkBlock(*decl.body);
}

void Sema::checkBlock(BlockStmt &block) {
  Scope inner;
  inner.parent = scope;
  llvm::SaveAndRestore inScope(scope, &inner);
  for (StmtPtr &stmt : block.body)
    checkStmt(*stmt);
}

void Sema::countBranch(SourceRange where) {
  // An engine holds 4,096 instructions, so no useful function comes near this
  // limit. It bounds the recursion of later stages.
  constexpr unsigned countMax = 5000;
  if (function && ++function->branchCount == countMax)
    error(DiagId::TooBig, where,
          "'" + function->name + "' has more than " + std::to_string(countMax) +
              " statements");
}

void Sema::checkStmt(Stmt &stmt) {
  countBranch(stmt.range);
  switch (stmt.kind) {
  case StmtKind::Error:
    function->hasErrors = true;
    return;
  case StmtKind::Empty:
    return;
  case StmtKind::Block:
    return checkBlock(llvm::cast<BlockStmt>(stmt));
  case StmtKind::Const: {
    ConstDecl &decl = *llvm::cast<ConstStmt>(stmt).decl;
    decl.scope = scope;
    resolveConst(decl);
    declare(*scope, &decl);
    return;
  }
  case StmtKind::Assert:
    return checkStaticAssert(*llvm::cast<AssertStmt>(stmt).condition);
  case StmtKind::Declaration:
    for (Declarator &declarator : llvm::cast<DeclarationStmt>(stmt).declarators)
      checkLocal(declarator, llvm::cast<DeclarationStmt>(stmt).type);
    return;
  case StmtKind::If:
    return checkIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return checkLoop(stmt);
  case StmtKind::Switch:
    return checkSwitch(llvm::cast<SwitchStmt>(stmt));
  case StmtKind::Critical:
    return checkCritical(llvm::cast<CriticalStmt>(stmt));
  case StmtKind::Break:
    if (loopDepth + switchDepth == 0)
      error(DiagId::OutsideLoop, stmt.range,
            "'break' is outside a loop or switch");
    return;
  case StmtKind::Continue:
    if (loopDepth == 0)
      error(DiagId::OutsideLoop, stmt.range, "'continue' is outside a loop");
    return;
  case StmtKind::Return:
    return checkReturn(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::Expression:
    return checkEffect(*llvm::cast<ExpressionStmt>(stmt).expr);
  }
}

void Sema::checkStmtInNewScope(Stmt &stmt) {
  Scope inner;
  inner.parent = scope;
  llvm::SaveAndRestore inScope(scope, &inner);
  checkStmt(stmt);
}

void Sema::checkIf(IfStmt &stmt) {
  checkCondition(*stmt.condition);
  checkStmtInNewScope(*stmt.whenTrue);
  if (stmt.whenFalse)
    checkStmtInNewScope(*stmt.whenFalse);
}

void Sema::checkEffect(Expr &expr) {
  const Type *type = check(expr);
  if (type->isError() || llvm::isa<CallExpr, AssignExpr, IncrementExpr>(expr))
    return;
  auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
  auto &diagnostic = error(DiagId::NoEffect, expr.range,
                           "the value of this expression is not used");
  if (binary && binary->op == BinaryOp::Equal)
    diagnostic.note(binary->opRange, "did you mean '='?")
        .fix(binary->opRange, "=");
}

//===----------------------------------------------------------------------===//
// Local variables
//===----------------------------------------------------------------------===//

const Type *Sema::localType(const Declarator &declarator,
                            const TypeSyntax &syntax) {
  TypeSyntax starred = syntax;
  starred.isStarred = declarator.isStarred;
  const Type *type = resolveType(starred, *scope);
  SourceRange where = declarator.name.range;
  auto fail = [&](DiagId id, SourceRange range, const std::string &message) {
    error(id, range, message);
    type = types.error();
  };
  if (type->is(TypeKind::Void))
    fail(DiagId::BadTypeHere, syntax.range,
         "a variable cannot have type 'void'");
  if (type->is(TypeKind::Lock))
    fail(DiagId::BadTypeHere, syntax.range,
         "a lock must be a global variable of a module");
  if (type->is(TypeKind::Queue))
    fail(DiagId::BadTypeHere, syntax.range,
         "a queue must be a global variable of a module");
  if (type->isPointer() && !declarator.dimensions.empty())
    fail(DiagId::BadTypeHere, syntax.range, "there are no arrays of pointers");
  if (type->isPointer() && !declarator.initializer)
    fail(DiagId::BadInitializer, where,
         "a pointer must be initialized where it is declared, for example '" +
             declarator.name.name + " = &table[i]'");
  type = withDimensions(type, declarator.dimensions, *scope, where);
  // Each context has a copy.
  if (!type->isAggregate() || wordCountOf(type) <= localWordsMax)
    return type;
  error(DiagId::UnsupportedLocalAggregate, where,
        "a local variable takes at most " + std::to_string(localWordsMax) +
            " words, this one " + std::to_string(wordCountOf(type)))
      .note("larger arrays can be global variables of the module");
  return types.error();
}

void Sema::checkLocal(Declarator &declarator, const TypeSyntax &syntax) {
  const Type *type = localType(declarator, syntax);
  if (declarator.initializer)
    checkLocalValue(*declarator.initializer, type);
  auto decl = std::make_unique<VarDecl>(declarator.name);
  decl->type = type;
  declarator.decl = decl.get();
  function->variables.push_back(std::move(decl));
  // Declared after its initializer, which cannot use it.
  declare(*scope, declarator.decl);
}

//===----------------------------------------------------------------------===//
// Critical sections
//===----------------------------------------------------------------------===//

void Sema::checkCritical(CriticalStmt &stmt) {
  const Type *type = check(*stmt.lock);
  if (!type->isError() && !type->is(TypeKind::Lock))
    error(DiagId::BadOperand, stmt.lock->range,
          "a lock is needed here, this is of type '" + type->str() + "'")
        .note("declare one in the module: 'lock name;'");
  if (section)
    error(DiagId::NestedSection, stmt.range,
          "a critical section cannot be inside another one")
        .note(section->range, "the outer one");
  function->hasCriticalSection = true;
  llvm::SaveAndRestore inSection(section,
                                 static_cast<const CriticalStmt *>(&stmt));
  checkStmtInNewScope(*stmt.body);
}

//===----------------------------------------------------------------------===//
// Loops, switch, return
//===----------------------------------------------------------------------===//

void Sema::checkLoop(Stmt &stmt) {
  LoopParts loop = loopParts(stmt);
  // Names of the first part are visible in all others.
  Scope inner;
  inner.parent = scope;
  llvm::SaveAndRestore inScope(scope, &inner);
  if (stmt.bound)
    resolveBound(*stmt.bound);
  if (auto *expressions = llvm::dyn_cast_or_null<BlockStmt>(loop.init)) {
    for (StmtPtr &part : expressions->body)
      checkStmt(*part);
  } else if (loop.init) {
    checkStmt(*loop.init);
  }
  if (loop.condition)
    checkCondition(*loop.condition);
  if (loop.steps)
    for (const ExprPtr &step : *loop.steps)
      checkEffect(*step);
  llvm::SaveAndRestore inLoop(loopDepth, loopDepth + 1);
  if (llvm::isa<ForStmt>(stmt))
    checkStmt(*loop.body);
  else
    checkStmtInNewScope(*loop.body);
}

void Sema::checkSwitch(SwitchStmt &stmt) {
  const Type *type = types.error();
  if (checkScalar(*stmt.subject))
    type = types.promoted(stmt.subject->type);
  rejectWide(type, stmt.subject->range, "the subject of a 'switch'");
  stmt.subjectType = type;
  llvm::SaveAndRestore inSwitch(switchDepth, switchDepth + 1);
  std::map<uint64_t, SourceRange> seen;
  std::optional<SourceRange> defaultRange;
  for (SwitchStmt::Case &part : stmt.cases) {
    if (!part.value) {
      if (defaultRange)
        error(DiagId::BadCase, part.range, "'default' appears twice")
            .note(*defaultRange, "the first one is here");
      defaultRange = part.range;
    } else if (auto value =
                   constantOf(*part.value, *scope, "the value of a case");
               value && !type->isError()) {
      checkConvertible(*part.value, type, "the value of a case");
      uint64_t bits = convertConstant(*value, part.value->type, type);
      auto [entry, isNew] = seen.emplace(bits, part.value->range);
      if (!isNew)
        error(DiagId::BadCase, part.value->range,
              "case " + constantText(bits, type) + " appears twice")
            .note(entry->second, "the first one is here");
    }
    Scope inner;
    inner.parent = scope;
    llvm::SaveAndRestore inScope(scope, &inner);
    for (StmtPtr &item : part.body)
      checkStmt(*item);
  }
}

void Sema::checkReturn(ReturnStmt &stmt) {
  const Type *result = function->result;
  if (result->isError()) {
    if (stmt.value)
      check(*stmt.value);
    return;
  }
  if (result->is(TypeKind::Void)) {
    if (!stmt.value || check(*stmt.value)->isError())
      return;
    error(DiagId::BadReturn, stmt.value->range,
          function->role == Role::Ppf
              ? "a PPF returns no value"
              : "'" + function->name + "' returns no value");
    return;
  }
  if (stmt.value)
    return checkConvertible(*stmt.value, result, "the result");
  error(DiagId::BadReturn, stmt.range,
        "'" + function->name + "' returns a value of type '" + result->str() +
            "'")
      .note(function->range, "declared here");
}

} // namespace karakal::lang
