//===- ExpandDivision.cpp - division by calls -----------------------------===//
//
// No core of the chip divides. A division or remainder that the optimizer left
// becomes a call of divide.ll, after widening to 32 or 64 bits:
//
//   %q = udiv i16 %n, %d   →   %p = call i64 @baker_divide32(zext, zext)
//                              %q = trunc (lshr %p, 32)
//
// Ensures: no udiv, urem, sdiv or srem of a scalar is left outside divide.ll.
//
//===----------------------------------------------------------------------===//

#include "driver/LlvmStage.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace karakal::driver {

namespace {

bool isDivision(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::SDiv:
  case Instruction::SRem:
    return instruction.getType()->isIntegerTy();
  default:
    return false;
  }
}

/// The value that replaces `division`, of the same type.
Value *expand(BinaryOperator &division, Module &module) {
  unsigned opcode = division.getOpcode();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  bool wantsQuotient =
      opcode == Instruction::UDiv || opcode == Instruction::SDiv;
  unsigned bits = division.getType()->getIntegerBitWidth();
  KARAKAL_ASSERT(bits <= 64, "a division of more than 64 bits");

  IRBuilder<> builder(&division);
  Type *wide = bits <= 32 ? builder.getInt32Ty() : builder.getInt64Ty();
  auto widen = [&](Value *value) {
    return isSigned ? builder.CreateSExt(value, wide)
                    : builder.CreateZExt(value, wide);
  };
  Value *n = widen(division.getOperand(0));
  Value *d = widen(division.getOperand(1));
  std::string name = isSigned ? "baker_divide_signed" : "baker_divide";
  name += bits <= 32 ? "32" : "64";
  FunctionCallee function =
      module.getOrInsertFunction(name, builder.getInt64Ty(), wide, wide);
  Value *result = builder.CreateCall(function, {n, d});
  if (bits <= 32) {
    if (wantsQuotient)
      result = builder.CreateLShr(result, 32);
    result = builder.CreateTrunc(result, wide);
  } else if (!wantsQuotient) {
    result = builder.CreateSub(n, builder.CreateMul(result, d));
  }
  return builder.CreateTrunc(result, division.getType());
}

} // namespace

void expandDivision(Module &module) {
  std::vector<BinaryOperator *> divisions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isDivision(instruction))
        divisions.push_back(cast<BinaryOperator>(&instruction));
  for (BinaryOperator *division : divisions) {
    division->replaceAllUsesWith(expand(*division, module));
    division->eraseFromParent();
  }
}

} // namespace karakal::driver
