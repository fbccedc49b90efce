// Operators and assignments.
//
// Operands narrower than 32 bits are computed as `int`. Otherwise the wider
// operand decides, and of two equally wide ones the unsigned one. Comparisons
// and logical operators give `bool`. Operations on constants are folded here.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/sema/GlobalAccess.h"
#include "support/Error.h"

namespace karakal::lang {

const Type *Sema::checkUnary(UnaryExpr &expr) {
  Expr &operand = *expr.operand;
  if (expr.op == UnaryOp::AddressOf)
    return checkAddress(expr);
  if (expr.op == UnaryOp::Dereference)
    return checkDereference(expr);
  bool isNot = expr.op == UnaryOp::Not;
  if (!(isNot ? checkTruth(operand) : checkScalar(operand)))
    return types.error();
  if (isNot) {
    if (operand.constant)
      expr.constant = *operand.constant == 0;
    return types.boolType();
  }
  auto *number = llvm::dyn_cast<IntegerExpr>(&operand);
  const Type *type = expr.op == UnaryOp::Minus && number
                         ? types.negativeLiteral(number->value)
                         : types.promoted(operand.type);
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

const Type *Sema::checkIncrement(IncrementExpr &expr) {
  if (!checkScalar(*expr.operand) || !checkAssignable(*expr.operand))
    return types.error();
  if (!expr.operand->type->is(TypeKind::Bool))
    return expr.operand->type;
  error(DiagId::BadOperand, expr.operand->range,
        "a bool cannot be incremented or decremented");
  return types.error();
}

/// The chip multiplies and divides at most 64 bits.
bool Sema::checkWidth(BinaryOp op, const Type *type, SourceRange where) {
  bool hasLimit = op == BinaryOp::Multiply || isDivision(op);
  if (!hasLimit || !type->isWide())
    return true;
  error(DiagId::BadOperand, where,
        std::string("'") + spelling(op) + "' takes at most 64 bits, this is '" +
            type->str() + "'");
  return false;
}

void Sema::checkDivisor(BinaryOp op, const Expr &divisor) {
  if (isDivision(op) && divisor.constant && *divisor.constant == 0)
    error(DiagId::BadOperand, divisor.range, "division by zero");
}

const Type *Sema::checkBinary(BinaryExpr &expr) {
  Expr &left = *expr.left, &right = *expr.right;
  bool isTruth = isLogical(expr.op);
  bool isLeftScalar = isTruth ? checkTruth(left) : checkScalar(left);
  bool isRightScalar = isTruth ? checkTruth(right) : checkScalar(right);
  if (!isLeftScalar || !isRightScalar)
    return types.error();
  if (isLogical(expr.op))
    countBranch(expr.opRange);
  expr.operandType = isLogical(expr.op) ? types.boolType()
                     : isShift(expr.op) ? types.promoted(left.type)
                                        : types.common(left.type, right.type);
  bool givesBool = isLogical(expr.op) || isComparison(expr.op);
  const Type *type = givesBool ? types.boolType() : expr.operandType;
  checkDivisor(expr.op, right);
  if (!checkWidth(expr.op, expr.operandType, expr.opRange))
    return types.error();
  if (!left.constant || !right.constant || expr.operandType->isWide())
    return type;
  const Type *amountType = types.promoted(right.type);
  const Type *rightType = isShift(expr.op) ? amountType : expr.operandType;
  expr.constant = evaluateBinary(
      expr.op, convertConstant(*left.constant, left.type, expr.operandType),
      convertConstant(*right.constant, right.type, rightType), expr.operandType,
      amountType);
  return type;
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

bool Sema::checkAssignable(Expr &expr) {
  if (!checkMutable(expr))
    return false;
  if (const GlobalDecl *global = globalOf(expr); global && global->isConst) {
    error(DiagId::ReadOnly, expr.range,
          "the constant '" + global->name + "' cannot be assigned to")
        .note(global->range, "declared here");
    return false;
  }
  auto *name = llvm::dyn_cast<NameExpr>(&expr);
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  auto *unary = llvm::dyn_cast<UnaryExpr>(&expr);
  const Decl *decl = name ? name->decl : field ? field->decl : nullptr;
  if (field && field->access == Access::MetadataField) {
    if (!llvm::cast<MetadataDecl>(decl)->isReadOnly)
      return true;
    error(DiagId::ReadOnly, expr.range,
          "the metadata field '" + decl->name +
              "' is set by the receiver and cannot be written");
    return false;
  }
  bool isField = field && (field->access == Access::PacketField ||
                           field->access == Access::StructField);
  bool isPointee = unary && unary->op == UnaryOp::Dereference;
  bool isVariable = decl && (decl->kind == DeclKind::Variable ||
                             decl->kind == DeclKind::Global);
  if (isField || isPointee || isVariable || llvm::isa<IndexExpr>(expr))
    return true;
  bool isConstant = decl && decl->kind == DeclKind::Const;
  auto &diagnostic =
      error(isConstant ? DiagId::ReadOnly : DiagId::NotAssignable, expr.range,
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
    check(*expr.value, target);
    return target;
  }
  if (target->isPointer()) {
    error(DiagId::ReadOnly, expr.target->range,
          "a pointer cannot be assigned to: it keeps its pointee");
    check(*expr.value);
    return types.error();
  }
  if (!target->isScalar() && !target->isPacket()) {
    bool isWhole = target->is(TypeKind::Array) || target->is(TypeKind::Struct);
    error(DiagId::NotAssignable, expr.target->range,
          isWhole ? "a whole '" + target->str() +
                        "' cannot be assigned; assign its parts"
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
    if (auto *field = llvm::dyn_cast<FieldExpr>(expr.target.get());
        field && field->access == Access::MetadataField &&
        field->decl->name == "tx.port")
      checkPort(*expr.value);
    // The packet moves to the target handle, so the assignment has no value.
    return target->isPacket() ? types.voidType() : target;
  }
  if (!checkScalar(*expr.target) || !checkScalar(*expr.value))
    return types.error();
  expr.operandType = isShift(*expr.op) ? types.promoted(target)
                                       : types.common(target, expr.value->type);
  checkDivisor(*expr.op, *expr.value);
  return checkWidth(*expr.op, expr.operandType, expr.opRange) ? target
                                                              : types.error();
}

} // namespace karakal::lang
