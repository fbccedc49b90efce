// Types and constants of expressions.
//
// Operands narrower than 32 bits compute as `int`; otherwise the wider operand
// decides, and of two equally wide the unsigned one. Comparisons and logical
// operators give `bool`. An operation on constants is done here.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

const Type *Sema::check(Expr &expr, const Type *expected) {
  if (!expr.type)
    expr.type = checkKind(expr, expected);
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
  case ExprKind::Rate: // of an annotation, which looks at it itself
    return types.error();
  case ExprKind::String:
    error(DiagId::NoStrings, expr.range,
          "a string can stand as the first argument of 'trace' only");
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
  case ExprKind::Step:
    return checkStep(llvm::cast<StepExpr>(expr));
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
  checkScalar(expr);
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr);
      assign && !assign->op && !expr.type->isError())
    error(DiagId::BadOperand, assign->opRange,
          "this condition assigns; to compare, write '=='")
        .fix(assign->opRange, "==")
        .note("if the assignment is meant, write '(a = b) != 0'");
}

void Sema::checkConvertible(Expr &expr, const Type *type, const char *what) {
  const Type *from = check(expr, type);
  if (from->isError() || type->isError() || from == type)
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
                "', which does not become '" + type->str() + "' by itself");
  if (from->isPacket() && type->isPacket())
    diagnostic.note("packet_decap() and packet_encap() lead from one protocol "
                    "to another");
}

//===----------------------------------------------------------------------===//
// Names and elements
//===----------------------------------------------------------------------===//

const Type *Sema::checkName(NameExpr &expr) {
  Decl *decl = lookup(expr.name);
  if (!decl) {
    if (primitiveOf(expr.name) != Primitive::None)
      error(DiagId::NotAValue, expr.range,
            "the packet primitive '" + expr.name + "' is called with '()'");
    else
      undeclared(expr.name, expr.range, *scope);
    return types.error();
  }
  expr.decl = decl;
  checkVisible(*decl, program.scope, expr.range);
  return valueOf(decl, expr);
}

/// The type of `decl` used as a value; `expr` gets its constant.
const Type *Sema::valueOf(Decl *decl, Expr &expr) {
  switch (decl->kind) {
  case DeclKind::Const: {
    auto *constant = llvm::cast<ConstDecl>(decl);
    resolveConst(*constant);
    if (!constant->type || constant->type->isError() ||
        constant->progress != Progress::Done)
      return types.error();
    expr.constant = constant->bits;
    return constant->type;
  }
  case DeclKind::Global: {
    const Type *type = llvm::cast<GlobalDecl>(decl)->type;
    return type ? type : types.intType(); // in a constant: refused there
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
    if (isNegative || index >= base->size)
      error(DiagId::IndexOutOfRange, expr.index->range,
            "the index " + constantText(index, expr.index->type) +
                " is outside the array of " + std::to_string(base->size) +
                " elements");
  }
  return base->element;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

const Type *Sema::checkUnary(UnaryExpr &expr) {
  Expr &operand = *expr.operand;
  if (expr.op == UnaryOp::AddressOf)
    return checkAddress(expr);
  if (expr.op == UnaryOp::Dereference)
    return checkDereference(expr);
  if (!checkScalar(operand))
    return types.error();
  if (expr.op == UnaryOp::Not) {
    if (operand.constant)
      expr.constant = *operand.constant == 0;
    return types.boolType();
  }
  const Type *type = types.promoted(operand.type);
  if (!operand.constant || type->isWide())
    return type;
  uint64_t bits = convertConstant(*operand.constant, operand.type, type);
  if (expr.op == UnaryOp::Minus)
    bits = canonical(0 - bits, type);
  else if (expr.op == UnaryOp::Complement)
    bits = canonical(~bits, type);
  expr.constant = bits;
  return type;
}

const Type *Sema::checkStep(StepExpr &expr) {
  if (!checkScalar(*expr.operand) || !checkAssignable(*expr.operand))
    return types.error();
  if (!expr.operand->type->is(TypeKind::Bool))
    return expr.operand->type;
  error(DiagId::BadOperand, expr.operand->range, "a bool cannot be counted");
  return types.error();
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

/// Numbers over 64 bits are not multiplied or divided.
bool Sema::checkWidth(BinaryOp op, const Type *type, SourceRange where) {
  bool isHard = op == BinaryOp::Multiply || op == BinaryOp::Divide ||
                op == BinaryOp::Remainder;
  if (!isHard || !type->isWide())
    return true;
  error(DiagId::BadOperand, where,
        std::string("'") + spelling(op) +
            "' computes in at most 64 bits, this is '" + type->str() + "'");
  return false;
}

const Type *Sema::checkBinary(BinaryExpr &expr) {
  Expr &left = *expr.left, &right = *expr.right;
  bool isLeftScalar = checkScalar(left);
  bool isRightScalar = checkScalar(right);
  if (!isLeftScalar || !isRightScalar)
    return types.error();
  const Type *type = types.boolType();
  if (isLogical(expr.op)) {
    countBranch(expr.opRange);
    expr.operandType = types.boolType();
  } else if (isShift(expr.op))
    type = expr.operandType = types.promoted(left.type);
  else
    expr.operandType = types.common(left.type, right.type);
  if (!isLogical(expr.op) && !isComparison(expr.op))
    type = expr.operandType;
  bool isDivision =
      expr.op == BinaryOp::Divide || expr.op == BinaryOp::Remainder;
  if (isDivision && right.constant && *right.constant == 0)
    error(DiagId::BadOperand, right.range, "division by zero");
  if (!checkWidth(expr.op, expr.operandType, expr.opRange))
    return types.error();
  if (!left.constant || !right.constant || expr.operandType->isWide())
    return type;
  const Type *amount = types.promoted(right.type);
  const Type *rightType = isShift(expr.op) ? amount : expr.operandType;
  expr.constant = evaluateBinary(
      expr.op, convertConstant(*left.constant, left.type, expr.operandType),
      convertConstant(*right.constant, right.type, rightType), expr.operandType,
      amount);
  return type;
}

const Type *Sema::checkConditional(ConditionalExpr &expr) {
  countBranch(expr.range);
  checkCondition(*expr.condition);
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

/// The type of the variable `name`, null if it is no variable.
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

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

bool Sema::checkAssignable(Expr &expr) {
  if (const GlobalDecl *global = globalOf(expr); global && global->isConst) {
    error(DiagId::ReadOnly, expr.range,
          "the constant '" + global->name + "' cannot be assigned to")
        .note(global->range, "declared here");
    return false;
  }
  const Decl *decl = nullptr;
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    decl = name->decl;
  if (auto *field = llvm::dyn_cast<FieldExpr>(&expr)) {
    decl = field->decl;
    if (field->access == Access::MetadataField) {
      if (!llvm::cast<MetadataDecl>(decl)->isReadOnly)
        return true;
      error(DiagId::ReadOnly, expr.range,
            "the metadata '" + decl->name +
                "' is set by the receiver and "
                "cannot be written");
      return false;
    }
    if (field->access == Access::PacketField ||
        field->access == Access::StructField)
      return true;
  }
  auto *unary = llvm::dyn_cast<UnaryExpr>(&expr);
  if (llvm::isa<IndexExpr>(expr) ||
      (unary && unary->op == UnaryOp::Dereference) ||
      (decl &&
       (decl->kind == DeclKind::Variable || decl->kind == DeclKind::Global)))
    return true;
  auto &diagnostic =
      error(decl && decl->kind == DeclKind::Const ? DiagId::ReadOnly
                                                  : DiagId::NotAssignable,
            expr.range,
            decl ? std::string("the ") + noun(decl->kind) + " '" + decl->name +
                       "' cannot be assigned to"
                 : "this cannot be assigned to");
  if (decl)
    diagnostic.note(decl->range, "declared here");
  return false;
}

const Type *Sema::checkAssign(AssignExpr &expr) {
  const Type *target = check(*expr.target);
  if (target->isError()) {
    check(*expr.value);
    return target;
  }
  if (target->isPointer()) {
    error(DiagId::ReadOnly, expr.target->range,
          "a pointer leads to one place for as long as it lives");
    check(*expr.value);
    return types.error();
  }
  if (!target->isScalar() && !target->isPacket()) {
    bool isWhole = target->is(TypeKind::Array) || target->is(TypeKind::Struct);
    error(DiagId::NotAssignable, expr.target->range,
          isWhole ? "a whole '" + target->str() +
                        "' cannot be assigned: assign its parts"
                  : "this cannot be assigned to");
    check(*expr.value);
    return types.error();
  }
  if (!checkAssignable(*expr.target)) {
    check(*expr.value);
    return types.error();
  }
  if (!expr.op) {
    checkConvertible(*expr.value, target, "the value");
    // A handle is given over to the variable; nothing is left to be used.
    return target->isPacket() ? types.voidType() : target;
  }
  if (!checkScalar(*expr.target) || !checkScalar(*expr.value))
    return types.error();
  expr.operandType = isShift(*expr.op) ? types.promoted(target)
                                       : types.common(target, expr.value->type);
  bool isDivision =
      *expr.op == BinaryOp::Divide || *expr.op == BinaryOp::Remainder;
  if (isDivision && expr.value->constant && *expr.value->constant == 0)
    error(DiagId::BadOperand, expr.value->range, "division by zero");
  return checkWidth(*expr.op, expr.operandType, expr.opRange) ? target
                                                              : types.error();
}

} // namespace karakal::lang
