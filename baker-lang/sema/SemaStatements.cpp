// Bodies of functions and PPFs.
//
// Each block has a scope of its own; a name may hide one of an outer scope.

#include "baker-lang/sema/Sema.h"

namespace karakal::lang {

namespace {
/// Sets a variable for as long as a C++ scope lasts.
template <typename T> class Saved {
public:
  Saved(T &variable, T value) : variable(variable), old(variable) {
    variable = value;
  }
  ~Saved() { variable = old; }

private:
  T &variable;
  T old;
};
} // namespace

void Sema::checkBody(FunctionDecl &decl) {
  if (!decl.body)
    return;
  Saved<FunctionDecl *> inFunction(function, &decl);
  Scope parameters;
  parameters.parent = decl.scope;
  Saved<Scope *> inScope(scope, &parameters);
  for (Parameter &parameter : decl.parameters)
    if (!parameter.name.name.empty())
      declare(parameters, parameter.decl);
  checkBlock(*decl.body);
}

void Sema::checkBlock(BlockStmt &block) {
  Scope inner;
  inner.parent = scope;
  Saved<Scope *> inScope(scope, &inner);
  for (StmtPtr &stmt : block.body)
    checkStmt(*stmt);
}

void Sema::countBranch(SourceRange where) {
  // Far above what the 4,096 instructions of an engine can hold; keeps the
  // recursions of later stages in bounds.
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
    return checkDeclaration(llvm::cast<DeclarationStmt>(stmt));
  case StmtKind::If: {
    auto &part = llvm::cast<IfStmt>(stmt);
    checkCondition(*part.condition);
    for (StmtPtr *branch : {&part.whenTrue, &part.whenFalse})
      if (*branch) {
        Scope inner;
        inner.parent = scope;
        Saved<Scope *> inScope(scope, &inner);
        checkStmt(**branch);
      }
    return;
  }
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
            "'break' stands outside a loop or switch");
    return;
  case StmtKind::Continue:
    if (loopDepth == 0)
      error(DiagId::OutsideLoop, stmt.range,
            "'continue' stands outside a loop");
    return;
  case StmtKind::Return:
    return checkReturn(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::Expression:
    return checkEffect(*llvm::cast<ExpressionStmt>(stmt).expr);
  }
}

/// An expression whose value nobody takes: it should do something.
void Sema::checkEffect(Expr &expr) {
  const Type *type = check(expr);
  if (type->isError() || llvm::isa<CallExpr, AssignExpr, StepExpr>(expr))
    return;
  auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
  auto &diagnostic = error(DiagId::NoEffect, expr.range,
                           "the value is computed and thrown away");
  if (binary && binary->op == BinaryOp::Equal)
    diagnostic.note(binary->opRange, "did you mean '='?")
        .fix(binary->opRange, "=");
}

//===----------------------------------------------------------------------===//
// Local variables
//===----------------------------------------------------------------------===//

VarDecl *Sema::newVariable(Identifier name, const Type *type) {
  auto decl = std::make_unique<VarDecl>(std::move(name));
  decl->type = type;
  VarDecl *result = decl.get();
  function->variables.push_back(std::move(decl));
  return result;
}

void Sema::checkDeclaration(DeclarationStmt &stmt) {
  for (Declarator &declarator : stmt.declarators)
    checkLocal(declarator, stmt.type);
}

void Sema::checkLocalValue(Initializer &initializer, const Type *type) {
  if (type->isError()) {
    if (initializer.expr)
      check(*initializer.expr);
    for (Initializer &part : initializer.list)
      checkLocalValue(part, type);
    return;
  }
  if (!checkShape(initializer, type))
    return;
  if (initializer.expr)
    return checkConvertible(*initializer.expr, type, "the initial value");
  bool isArray = type->is(TypeKind::Array);
  for (size_t i = 0; i < initializer.list.size(); ++i)
    checkLocalValue(initializer.list[i],
                    isArray ? type->element : type->record->fields[i].type);
}

void Sema::checkLocal(Declarator &declarator, const TypeSyntax &syntax) {
  TypeSyntax starred = syntax;
  starred.isStarred = declarator.isStarred;
  const Type *type = resolveType(starred, *scope);
  SourceRange where = declarator.name.range;
  if (type->is(TypeKind::Void)) {
    error(DiagId::BadTypeHere, syntax.range,
          "a variable cannot have type 'void'");
    type = types.error();
  }
  if (type->is(TypeKind::Lock)) {
    error(DiagId::BadTypeHere, syntax.range,
          "a lock is a global variable of a module");
    type = types.error();
  }
  if (type->isPointer() && !declarator.dimensions.empty()) {
    error(DiagId::BadTypeHere, syntax.range, "there are no arrays of pointers");
    type = types.error();
  }
  if (type->isPointer() && !declarator.initializer) {
    error(DiagId::BadInitializer, where,
          "a pointer is given its place where it is declared, for example '" +
              declarator.name.name + " = &table[i]'");
    type = types.error();
  }
  type = withDimensions(type, declarator.dimensions, *scope, where);
  // Each of its numbers is a register of its own.
  constexpr uint64_t partsMax = 64;
  if (type->isAggregate() && scalarCountOf(type) > partsMax) {
    error(DiagId::NoLocalAggregates, where,
          "a local variable holds at most " + std::to_string(partsMax) +
              " numbers, this one " + std::to_string(scalarCountOf(type)))
        .note("larger arrays can be global variables of the module");
    type = types.error();
  }
  if (declarator.initializer)
    checkLocalValue(*declarator.initializer, type);
  // Declared behind its initializer, which cannot use it.
  declarator.decl = newVariable(declarator.name, type);
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
          "a critical section cannot stand inside another one")
        .note(section->range, "the outer one");
  function->hasSection = true;
  Saved<const CriticalStmt *> inSection(section, &stmt);
  Scope inner;
  inner.parent = scope;
  Saved<Scope *> inScope(scope, &inner);
  checkStmt(*stmt.body);
}

//===----------------------------------------------------------------------===//
// Loops, switch, return
//===----------------------------------------------------------------------===//

void Sema::checkLoop(Stmt &stmt) {
  Scope inner;
  inner.parent = scope;
  Saved<Scope *> inScope(scope, &inner);
  if (stmt.bound)
    resolveBound(*stmt.bound);
  if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    // The names of the first part are seen by all others.
    if (auto *block = llvm::dyn_cast_or_null<BlockStmt>(loop->init.get())) {
      for (StmtPtr &part : block->body)
        checkStmt(*part);
    } else if (loop->init) {
      checkStmt(*loop->init);
    }
    if (loop->condition)
      checkCondition(*loop->condition);
    for (ExprPtr &step : loop->steps)
      checkEffect(*step);
    Saved<unsigned> inLoop(loopDepth, loopDepth + 1);
    checkStmt(*loop->body);
    return;
  }
  auto *whileLoop = llvm::dyn_cast<WhileStmt>(&stmt);
  auto *doLoop = llvm::dyn_cast<DoStmt>(&stmt);
  checkCondition(whileLoop ? *whileLoop->condition : *doLoop->condition);
  Saved<unsigned> inLoop(loopDepth, loopDepth + 1);
  Scope body;
  body.parent = scope;
  Saved<Scope *> inBody(scope, &body);
  checkStmt(whileLoop ? *whileLoop->body : *doLoop->body);
}

void Sema::checkSwitch(SwitchStmt &stmt) {
  const Type *type = types.error();
  if (checkScalar(*stmt.subject))
    type = types.promoted(stmt.subject->type);
  refuseWide(type, stmt.subject->range, "the subject of a 'switch'");
  stmt.subjectType = type;
  Saved<unsigned> inSwitch(switchDepth, switchDepth + 1);
  std::map<uint64_t, SourceRange> seen;
  std::optional<SourceRange> defaultRange;
  for (SwitchStmt::Case &part : stmt.cases) {
    if (!part.value) {
      if (defaultRange)
        error(DiagId::BadCase, part.range, "'default' stands twice")
            .note(*defaultRange, "first here");
      defaultRange = part.range;
    } else if (auto value =
                   constantOf(*part.value, *scope, "the value of a case");
               value && !type->isError()) {
      checkConvertible(*part.value, type, "the value of a case");
      uint64_t bits = convertConstant(*value, part.value->type, type);
      auto [entry, isNew] = seen.emplace(bits, part.value->range);
      if (!isNew)
        error(DiagId::BadCase, part.value->range,
              "the case " + constantText(bits, type) + " stands twice")
            .note(entry->second, "first here");
    }
    Scope inner;
    inner.parent = scope;
    Saved<Scope *> inScope(scope, &inner);
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
