// Types and constants of expressions. Operators are in SemaOperators.cpp.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TypeLayout.h"
#include "support/Error.h"

namespace karakal::lang {

const Type *Sema::check(Expr &expr, const Type *expected) {
  if (!expr.type)
    expr.type = checkKind(expr, expected);
  KARAKAL_ASSERT(expr.type, "analysis gave an expression no type");
  return expr.type;
}

const Type *Sema::checkKind(Expr &expr, const Type *expected) {
  switch (expr.kind) {
  case ExprKind::Error:
    if (function)
      function->hasErrors = true;
    return types.error();
  case ExprKind::Integer: {
    uint64_t value = llvm::cast<IntegerExpr>(expr).value;
    expr.constant = value;
    return types.literal(value);
  }
  case ExprKind::Bool:
    expr.constant = llvm::cast<BoolExpr>(expr).value;
    return types.boolType();
  case ExprKind::Rate: // the annotation reports it
    return types.error();
  case ExprKind::String:
    error(DiagId::UnsupportedString, expr.range,
          "a string is allowed as the first argument of 'trace' and 'refusal' "
          "only");
    return types.error();
  case ExprKind::Name:
    return checkName(llvm::cast<NameExpr>(expr));
  case ExprKind::Call:
    return checkCall(llvm::cast<CallExpr>(expr), expected);
  case ExprKind::Index:
    return checkIndex(llvm::cast<IndexExpr>(expr));
  case ExprKind::Field:
    return checkField(llvm::cast<FieldExpr>(expr));
  case ExprKind::Unary:
    return checkUnary(llvm::cast<UnaryExpr>(expr));
  case ExprKind::Increment:
    return checkIncrement(llvm::cast<IncrementExpr>(expr));
  case ExprKind::Cast:
    return checkCast(llvm::cast<CastExpr>(expr));
  case ExprKind::Binary:
    return checkBinary(llvm::cast<BinaryExpr>(expr));
  case ExprKind::Conditional:
    return checkConditional(llvm::cast<ConditionalExpr>(expr));
  case ExprKind::Assign:
    return checkAssign(llvm::cast<AssignExpr>(expr));
  case ExprKind::Sizeof:
    return checkSizeof(llvm::cast<SizeofExpr>(expr));
  }
  KARAKAL_UNREACHABLE("expression kind");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

bool Sema::checkScalar(Expr &expr) {
  const Type *type = check(expr);
  if (type->isScalar())
    return true;
  if (type->isError())
    return false;
  bool isName = type->is(TypeKind::Module) || type->is(TypeKind::Metadata) ||
                type->is(TypeKind::PortMetadata);
  if (isName)
    error(DiagId::NotAValue, expr.range,
          "'" + type->str() + "' is not a value");
  else if (type->is(TypeKind::Array))
    error(DiagId::IndexMissing, expr.range,
          "an array of type '" + type->str() + "' needs an index here");
  else if (type->is(TypeKind::Void))
    error(DiagId::BadOperand, expr.range, "this has no value");
  else
    error(DiagId::BadOperand, expr.range,
          "a number is needed here, this is of type '" + type->str() + "'");
  expr.type = types.error();
  return false;
}

void Sema::checkCondition(Expr &expr) {
  checkTruth(expr);
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr);
      assign && !assign->op && !expr.type->isError())
    error(DiagId::BadOperand, assign->opRange,
          "this condition is an assignment; to compare, write '=='")
        .fix(assign->opRange, "==")
        .note("to assign and test the value, write '(a = b) != 0'");
}

void Sema::checkConvertible(Expr &expr, const Type *type, const char *what) {
  const Type *from = check(expr, type);
  if (from->isError() || type->isError() || from == type ||
      (type->is(TypeKind::Bool) && isTableEntry(from)))
    return;
  if (from->isScalar() && type->isScalar()) {
    if (expr.constant && !constantFits(*expr.constant, from, type))
      error(
          DiagId::ConstantCut, expr.range,
          std::string(what) + " " + constantText(*expr.constant, from) +
              " does not fit '" + type->str() + "' and becomes " +
              constantText(convertConstant(*expr.constant, from, type), type));
    else if (!expr.constant && from->width > type->width)
      report(diagnostics, DiagId::Narrowing, expr.range,
             std::string(what) + " of type '" + from->str() +
                 "' is cut to the low bits of '" + type->str() + "'");
    return;
  }
  if (type->isScalar() && !from->isPacket() && !from->is(TypeKind::Struct)) {
    checkScalar(expr);
    return;
  }
  auto &diagnostic =
      error(DiagId::CannotConvert, expr.range,
            std::string(what) + " is of type '" + from->str() +
                "', which does not convert to '" + type->str() + "'");
  if (from->isPacket() && type->isPacket())
    diagnostic.note("packet_decap() and packet_encap() convert between "
                    "protocols");
}

//===----------------------------------------------------------------------===//
// Names, elements, casts and the like
//===----------------------------------------------------------------------===//

const Type *Sema::checkName(NameExpr &expr) {
  Decl *decl = lookup(expr.name);
  if (!decl) {
    if (primitiveNamed(expr.name) != Primitive::None)
      error(DiagId::NotAValue, expr.range,
            "the packet primitive '" + expr.name +
                "' must be called with '()'");
    else
      reportUndeclared(expr.name, expr.range, *scope);
    return types.error();
  }
  expr.decl = decl;
  checkVisible(*decl, program.scope, expr.range);
  return valueOf(decl, expr);
}

const Type *Sema::valueOf(Decl *decl, Expr &expr) {
  switch (decl->kind) {
  case DeclKind::Const: {
    auto *constant = llvm::cast<ConstDecl>(decl);
    resolveConst(*constant);
    if (!constant->type || constant->type->isError() ||
        constant->progress != Progress::Done)
      return types.error();
    if (!constant->type->isWide())
      expr.constant = constant->bits;
    return constant->type;
  }
  case DeclKind::Global: {
    const Type *type = llvm::cast<GlobalDecl>(decl)->type;
    // Not resolved yet only in constants, which must not use it.
    return type ? type : types.intType();
  }
  case DeclKind::Variable:
    return llvm::cast<VarDecl>(decl)->type;
  case DeclKind::ProtocolField: {
    auto *field = llvm::cast<ProtocolFieldDecl>(decl);
    if (!field->type)
      return types.error();
    return field->isArray ? types.array(field->type, field->count)
                          : field->type;
  }
  case DeclKind::Module:
  case DeclKind::Table:
    return types.module();
  default:
    break;
  }
  error(DiagId::NotAValue, expr.range,
        std::string("the ") + noun(decl->kind) + " '" + decl->name +
            "' is not a value")
      .note(decl->range, "declared here");
  return types.error();
}

const Type *Sema::checkIndex(IndexExpr &expr) {
  const Type *base = check(*expr.base);
  bool isScalar = checkScalar(*expr.index);
  if (base->isError())
    return base;
  if (!base->is(TypeKind::Array)) {
    error(DiagId::NotIndexable, expr.base->range,
          "'" + base->str() + "' is not an array");
    return types.error();
  }
  if (isScalar && expr.index->constant) {
    uint64_t index = *expr.index->constant;
    bool isNegative = expr.index->type->isSigned && int64_t(index) < 0;
    if (isNegative || index >= base->elementCount)
      error(DiagId::IndexOutOfRange, expr.index->range,
            "the index " + constantText(index, expr.index->type) +
                " is outside the array of " +
                std::to_string(base->elementCount) + " elements");
  }
  return base->element;
}

const Type *Sema::checkCast(CastExpr &expr) {
  const Type *type = resolveType(expr.target, *scope);
  if (!checkScalar(*expr.operand) || type->isError())
    return types.error();
  if (expr.operand->constant && !type->isWide())
    expr.constant =
        convertConstant(*expr.operand->constant, expr.operand->type, type);
  return type;
}

const Type *Sema::checkConditional(ConditionalExpr &expr) {
  countBranch(expr.range);
  checkCondition(*expr.condition);
  for (Expr *value : {expr.whenTrue.get(), expr.whenFalse.get()})
    if (check(*value)->isPacket() || value->type->isPointer()) {
      error(DiagId::BadOperand, expr.range,
            "'?:' chooses between numbers; '" + value->type->str() +
                "' is none")
          .note("write 'if' and 'else', each with its own statements");
      return types.error();
    }
  bool isTrueScalar = checkScalar(*expr.whenTrue);
  bool isFalseScalar = checkScalar(*expr.whenFalse);
  if (!isTrueScalar || !isFalseScalar || expr.condition->type->isError())
    return types.error();
  const Type *a = expr.whenTrue->type, *b = expr.whenFalse->type;
  const Type *type = a == b ? a : types.common(a, b);
  const Expr &taken = expr.condition->constant && *expr.condition->constant
                          ? *expr.whenTrue
                          : *expr.whenFalse;
  if (expr.condition->constant && taken.constant && !type->isWide())
    expr.constant = convertConstant(*taken.constant, taken.type, type);
  return type;
}

const Type *Sema::typeOfVariable(const std::string &name) const {
  Decl *decl = lookup(name);
  if (auto *global = llvm::dyn_cast_or_null<GlobalDecl>(decl))
    return global->type;
  auto *variable = llvm::dyn_cast_or_null<VarDecl>(decl);
  return variable ? variable->type : nullptr;
}

const Type *Sema::checkSizeof(SizeofExpr &expr) {
  const Type *type = types.integer(32, false);
  if (ProtocolDecl *protocol = findProtocol(expr.target.name)) {
    resolveProtocol(*protocol);
    if (protocol->progress != Progress::Done)
      return types.error();
    expr.constant = protocol->bytesMin;
    return type;
  }
  const Type *target = typeOfVariable(expr.target.name);
  if (!target)
    target = resolveType(expr.target, *scope);
  if (target->isError())
    return target;
  if (!target->isScalar() && !target->isAggregate()) {
    error(DiagId::BadOperand, expr.target.range,
          "'" + target->str() + "' has no size");
    return types.error();
  }
  expr.constant = wordCountOf(target) * 4;
  return type;
}

} // namespace karakal::lang
