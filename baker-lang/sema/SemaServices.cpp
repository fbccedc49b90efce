// Services of the chip: counters, hashes, time, random numbers, traces.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/sema/GlobalAccess.h"
#include "support/Error.h"

namespace karakal::lang {

const Type *Sema::checkService(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  if (!function) {
    error(DiagId::NotConstant, expr.range, "a constant cannot call functions");
    return types.error();
  }
  switch (expr.primitive) {
  case Primitive::AtomicAdd:
  case Primitive::AtomicOr:
  case Primitive::AtomicAnd:
  case Primitive::AtomicSwap:
    return checkAtomic(expr);
  case Primitive::Trace:
    return checkTrace(expr);
  case Primitive::DropCount:
    return checkDropCount(expr);
  case Primitive::Refusal:
    return checkRefusal(expr);
  case Primitive::Timestamp:
  case Primitive::Random:
    if (!checkArgumentCount(expr, 0, 0, name))
      return types.error();
    return types.integer(32, false);
  case Primitive::Hash48:
  case Primitive::Hash64:
  case Primitive::Hash128:
    return checkHash(expr);
  default:
    KARAKAL_UNREACHABLE("service");
  }
}

const Type *Sema::checkHash(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  if (!checkArgumentCount(expr, 1, 1, name))
    return types.error();
  unsigned bits = expr.primitive == Primitive::Hash48   ? 48
                  : expr.primitive == Primitive::Hash64 ? 64
                                                        : 128;
  const Type *key = types.integer(bits, false);
  checkConvertible(*expr.arguments[0], key, "the key");
  return key;
}

const Type *Sema::checkDropCount(CallExpr &expr) {
  if (!checkArgumentCount(expr, 1, 1, "drop_count"))
    return types.error();
  if (function->role != Role::Control)
    error(DiagId::OnlyInControl, expr.range,
          "'drop_count' is allowed in the body of a control function only");
  expr.reason = checkReason(*expr.arguments[0]);
  return expr.reason ? types.integer(32, false) : types.error();
}

const Type *Sema::checkAtomic(CallExpr &expr) {
  const std::string &name = llvm::cast<NameExpr>(*expr.callee).name;
  if (!checkArgumentCount(expr, 2, 2, name))
    return types.error();
  Expr &counter = *expr.arguments[0];
  bool isScalar = checkScalar(counter);
  checkConvertible(*expr.arguments[1], types.integer(32, false), "the number");
  if (!isScalar)
    return types.error();
  const GlobalDecl *global = globalOf(counter);
  if (global && global->isConst) {
    checkAssignable(counter); // reports it
    return types.error();
  }
  if (!checkMutable(counter))
    return types.error();
  if ((global || isThroughPointer(counter)) && counter.type->isInteger() &&
      counter.type->width == 32)
    return counter.type;
  error(DiagId::NotACounter, counter.range,
        "'" + name + "' needs a global variable of 32 bits");
  return types.error();
}

const Type *Sema::checkRefusal(CallExpr &expr) {
  auto *text = expr.arguments.size() == 1
                   ? llvm::dyn_cast<StringExpr>(expr.arguments[0].get())
                   : nullptr;
  if (!text || text->text.empty()) {
    error(DiagId::BadRefusal, expr.range,
          "'refusal' takes a string that says why the call is refused");
    return types.error();
  }
  text->type = types.voidType();
  return types.integer(32, true);
}

const Type *Sema::checkTrace(CallExpr &expr) {
  auto *text = expr.arguments.empty()
                   ? nullptr
                   : llvm::dyn_cast<StringExpr>(expr.arguments[0].get());
  for (size_t i = text ? 1 : 0; i < expr.arguments.size(); ++i)
    if (checkScalar(*expr.arguments[i]))
      rejectWide(expr.arguments[i]->type, expr.arguments[i]->range,
                 "a value to trace");
  if (!text) {
    error(DiagId::BadTrace, expr.range,
          "'trace' takes a string, then one value for each '{}' in it");
    return types.error();
  }
  text->type = types.voidType();
  size_t placeholderCount = 0;
  for (size_t at = text->text.find("{}"); at != std::string::npos;
       at = text->text.find("{}", at + 2))
    ++placeholderCount;
  if (placeholderCount == expr.arguments.size() - 1)
    return types.voidType();
  error(DiagId::BadTrace, text->range,
        "the string has " + std::to_string(placeholderCount) + " '{}' for " +
            std::to_string(expr.arguments.size() - 1) + " values");
  return types.error();
}

} // namespace karakal::lang
