// Replaces divisions by calls of routines.
//
// The machine cannot divide. Selection turns a 32-bit division by a constant
// into a multiplication. Every other division becomes a call of one of four
// routines (32 or 64 bits, signed or unsigned), which return quotient and
// remainder and are added to the module if they are needed. LLVM expands
// divisions of more than 64 bits in place.

#include "codegen-me/prepare/Prepare.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

// Bit-wise restoring division, after skipping the dividend's leading zeros.
// W stands for the width, M for W - 1.
const char *const unsignedText = R"(
define internal { iW, iW } @__div_uW(iW %n, iW %d) noinline {
entry:
  %small = icmp ult iW %n, %d
  br i1 %small, label %none, label %start
none:
  %n0 = insertvalue { iW, iW } { iW 0, iW undef }, iW %n, 1
  ret { iW, iW } %n0
start:
  %zeros = call iW @llvm.ctlz.iW(iW %n, i1 true)
  %aligned = shl iW %n, %zeros
  %steps = sub iW W, %zeros
  br label %loop
loop:
  %i = phi iW [ %steps, %start ], [ %i.next, %loop ]
  %rest = phi iW [ %aligned, %start ], [ %rest.next, %loop ]
  %r = phi iW [ 0, %start ], [ %r.next, %loop ]
  %q = phi iW [ 0, %start ], [ %q.next, %loop ]
  %bit = lshr iW %rest, M
  %rest.next = shl iW %rest, 1
  %over = icmp slt iW %r, 0
  %r2 = shl iW %r, 1
  %r3 = or iW %r2, %bit
  %enough = icmp uge iW %r3, %d
  %take = or i1 %over, %enough
  %r4 = sub iW %r3, %d
  %r.next = select i1 %take, iW %r4, iW %r3
  %one = zext i1 %take to iW
  %q2 = shl iW %q, 1
  %q.next = or iW %q2, %one
  %i.next = sub iW %i, 1
  %more = icmp ne iW %i.next, 0
  br i1 %more, label %loop, label %done
done:
  %a = insertvalue { iW, iW } undef, iW %q.next, 0
  %b = insertvalue { iW, iW } %a, iW %r.next, 1
  ret { iW, iW } %b
}
declare iW @llvm.ctlz.iW(iW, i1)
)";

const char *const signedText = R"(
define internal { iW, iW } @__div_sW(iW %n, iW %d) noinline {
  %ns = ashr iW %n, M
  %ds = ashr iW %d, M
  %n1 = xor iW %n, %ns
  %n2 = sub iW %n1, %ns
  %d1 = xor iW %d, %ds
  %d2 = sub iW %d1, %ds
  %p = call { iW, iW } @__div_uW(iW %n2, iW %d2)
  %q = extractvalue { iW, iW } %p, 0
  %r = extractvalue { iW, iW } %p, 1
  %qs = xor iW %ns, %ds
  %q1 = xor iW %q, %qs
  %q2 = sub iW %q1, %qs
  %r1 = xor iW %r, %ns
  %r2 = sub iW %r1, %ns
  %a = insertvalue { iW, iW } undef, iW %q2, 0
  %b = insertvalue { iW, iW } %a, iW %r2, 1
  ret { iW, iW } %b
}
)";

/// The text of the routines for one width.
std::string textFor(unsigned width) {
  std::string text = std::string(unsignedText) + signedText;
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  std::string w = std::to_string(width);
  replaceAll("iW", "i" + w);
  replaceAll("_uW", "_u" + w);
  replaceAll("_sW", "_s" + w);
  replaceAll(" W,", " " + w + ",");
  replaceAll(", M", ", " + std::to_string(width - 1));
  return text;
}

void addRoutines(Module &module, unsigned width) {
  if (module.getFunction("__div_u" + std::to_string(width)))
    return;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> routines =
      parseAssemblyString(textFor(width), diagnostic, module.getContext());
  KARAKAL_ASSERT(routines != nullptr, "the division routines do not parse");
  routines->setDataLayout(module.getDataLayout());
  routines->setTargetTriple(module.getTargetTriple());
  // The linker would drop or rename internal functions.
  for (Function &function : *routines)
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::ExternalLinkage);
  bool failed = Linker::linkModules(module, std::move(routines));
  KARAKAL_ASSERT(!failed, "the division routines do not link");
}

bool isDivision(const Instruction &instr) {
  switch (instr.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return true;
  default:
    return false;
  }
}

/// Whether selection replaces the division by shifts or a multiplication.
bool isCheap(const Instruction &instr) {
  const APInt *divisor;
  if (!PatternMatch::match(instr.getOperand(1), PatternMatch::m_APInt(divisor)))
    return false;
  return instr.getType()->getScalarSizeInBits() <= 32 || divisor->isPowerOf2();
}

void replaceByCall(BinaryOperator &division) {
  auto opcode = division.getOpcode();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  bool isQuotient = opcode == Instruction::SDiv || opcode == Instruction::UDiv;
  Module &module = *division.getModule();
  unsigned width = division.getType()->getIntegerBitWidth() <= 32 ? 32 : 64;
  addRoutines(module, width);
  Function *routine = module.getFunction((isSigned ? "__div_s" : "__div_u") +
                                         std::to_string(width));
  IRBuilder<> builder(&division);
  Type *wide = builder.getIntNTy(width);
  auto widen = [&](Value *v) {
    return isSigned ? builder.CreateSExt(v, wide) : builder.CreateZExt(v, wide);
  };
  Value *both = builder.CreateCall(
      routine, {widen(division.getOperand(0)), widen(division.getOperand(1))});
  Value *result = builder.CreateExtractValue(both, isQuotient ? 0 : 1);
  division.replaceAllUsesWith(builder.CreateTrunc(result, division.getType()));
  division.eraseFromParent();
}

/// Replaces a division of vectors by divisions of their elements.
void scalarize(BinaryOperator &division) {
  auto *type = cast<FixedVectorType>(division.getType());
  IRBuilder<> builder(&division);
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value *element = builder.CreateBinOp(
        division.getOpcode(),
        builder.CreateExtractElement(division.getOperand(0), i),
        builder.CreateExtractElement(division.getOperand(1), i));
    result = builder.CreateInsertElement(result, element, i);
  }
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

template <typename Pred>
std::vector<BinaryOperator *> divisions(Module &module, Pred wanted) {
  std::vector<BinaryOperator *> found;
  for (Function &function : module)
    for (Instruction &instr : instructions(function))
      if (isDivision(instr) && wanted(instr))
        found.push_back(cast<BinaryOperator>(&instr));
  return found;
}

} // namespace

Status lowerDivision(Module &module) {
  for (BinaryOperator *division : divisions(module, [](const Instruction &i) {
         return i.getType()->isVectorTy();
       }))
    scalarize(*division);
  for (BinaryOperator *division :
       divisions(module, [](const Instruction &i) { return !isCheap(i); })) {
    if (division->getType()->getIntegerBitWidth() <= 64)
      replaceByCall(*division);
    else if (division->getOpcode() == Instruction::UDiv ||
             division->getOpcode() == Instruction::SDiv)
      expandDivision(division);
    else
      expandRemainder(division);
  }
  return success();
}

} // namespace karakal::codegen
