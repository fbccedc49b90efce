// Rejects what the machine cannot do.
//
// See Prepare.h. Stacks are static, so the entry may reach functions by direct
// calls only, and not recursively.

#include "codegen-me/prepare/Prepare.h"

#include "codegen-me/prepare/LoopBounds.h"
#include "codegen-me/prepare/PathMarks.h"

#include "codegen-me/target/IxpTargetMachine.h"

#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

Error errorAt(const Instruction *instr, std::string id, std::string message) {
  Error error = makeError(std::move(id), std::move(message));
  if (instr)
    if (const DILocation *line = instr->getDebugLoc()) {
      error.file = line->getFilename().str();
      error.line = line->getLine();
      error.column = line->getColumn();
    }
  return error;
}

bool isMachineFunction(const Function &function) {
  return function.getName().starts_with(target::intrinsic::Prefix);
}

/// Walks the call graph and collects callers before callees.
class Checker {
public:
  explicit Checker(Module &module) : layout(module.getDataLayout()) {}

  Status visit(Function &function);
  CallOrder order; ///< callees before callers; the user reverses it

private:
  Status checkCall(CallBase &call);
  Status checkType(const Instruction &instr, Type *type);
  Status checkOperands(const Instruction &instr);
  Status checkInstruction(Instruction &instr);

  enum class State { New, Open, Done };
  const DataLayout &layout;
  DenseMap<Function *, State> states;
};

Status Checker::checkType(const Instruction &instr, Type *type) {
  Type *scalar = type->getScalarType();
  if (scalar->isFloatingPointTy())
    return errorAt(&instr, "E-codegen-me-005",
                   "floating point in a function for a microengine");
  if (isa<ScalableVectorType>(type) || scalar->isX86_AMXTy() ||
      scalar->isTargetExtTy())
    return errorAt(&instr, "E-codegen-me-005",
                   "a type that no microengine has");
  if (auto *integer = dyn_cast<IntegerType>(scalar))
    if (integer->getBitWidth() > 512)
      return errorAt(&instr, "E-codegen-me-005",
                     "integers of more than 512 bits are not supported");
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    if (vector->getNumElements() > 64)
      return errorAt(&instr, "E-codegen-me-005",
                     "vectors of more than 64 elements are not supported");
  return success();
}

Status Checker::checkCall(CallBase &call) {
  if (isa<IntrinsicInst>(call))
    return success();
  Function *callee = call.getCalledFunction();
  if (!callee || call.isInlineAsm())
    return errorAt(&call, "E-codegen-me-003",
                   "a call whose callee is not known; call functions by name");
  if (callee->isVarArg() || call.isMustTailCall() ||
      callee->getCallingConv() != call.getCallingConv())
    return errorAt(&call, "E-codegen-me-003",
                   "a call of '" + callee->getName().str() +
                       "' with variable arguments, as a musttail call or with "
                       "another calling convention");
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.isByValArgument(i))
      return errorAt(&call, "E-codegen-me-003",
                     "an argument passed by value in memory");
  if (isMachineFunction(*callee)) {
    StringRef name = callee->getName();
    bool wantsFirst = name == target::intrinsic::RingStatus ||
                      name == target::intrinsic::Crc ||
                      name.starts_with("__ixp_local_csr");
    bool wantsLast = name == target::intrinsic::CamWrite ||
                     name == target::intrinsic::CamWriteState;
    unsigned wanted = wantsLast ? call.arg_size() - 1 : 0;
    if ((wantsFirst || wantsLast) &&
        !isa<ConstantInt>(call.getArgOperand(wanted)))
      return errorAt(&call, "E-codegen-me-003",
                     std::string("the ") + (wantsLast ? "last" : "first") +
                         " argument of '" + name.str() +
                         "' must be a constant");
    return success();
  }
  if (callee->isDeclaration())
    return errorAt(&call, "E-codegen-me-004",
                   "function '" + callee->getName().str() +
                       "' is called but has no body");
  return visit(*callee);
}

Status Checker::checkOperands(const Instruction &instr) {
  SmallVector<const Value *, 8> work(instr.op_begin(), instr.op_end());
  const auto *call = dyn_cast<CallBase>(&instr);
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (call && value == call->getCalledOperand())
      continue;
    if (isa<GlobalVariable>(value))
      return errorAt(&instr, "E-codegen-me-009",
                     "global variable '" + value->getName().str() +
                         "' is not in a memory of the chip");
    if (isa<Function>(value) || isa<BlockAddress>(value))
      return errorAt(&instr, "E-codegen-me-003",
                     "a code address is used as a value");
    if (const auto *constant = dyn_cast<ConstantExpr>(value))
      work.append(constant->op_begin(), constant->op_end());
  }
  return success();
}

Status Checker::checkInstruction(Instruction &instr) {
  if (Status s = checkType(instr, instr.getType()); !s)
    return s;
  for (const Use &operand : instr.operands())
    if (!operand->getType()->isMetadataTy())
      if (Status s = checkType(instr, operand->getType()); !s)
        return s;
  if (Status s = checkOperands(instr); !s)
    return s;
  if (auto *call = dyn_cast<CallInst>(&instr))
    return checkCall(*call);
  if (auto *alloca = dyn_cast<AllocaInst>(&instr)) {
    if (!alloca->isStaticAlloca())
      return errorAt(&instr, "E-codegen-me-007",
                     "a stack object whose size is not constant");
    alloca->setAlignment(Align(4)); // local memory holds words
    return success();
  }
  bool isOrdered =
      instr.isAtomic() || isa<FenceInst>(instr) || isa<VAArgInst>(instr);
  bool isOddControl = instr.isTerminator() && !isa<BranchInst>(instr) &&
                      !isa<SwitchInst>(instr) && !isa<ReturnInst>(instr) &&
                      !isa<UnreachableInst>(instr);
  if (isOrdered || isOddControl || instr.isEHPad())
    return errorAt(&instr, "E-codegen-me-008",
                   std::string("instruction '") + instr.getOpcodeName() +
                       "' has no counterpart on a microengine");
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instr)) {
    auto isLocal = [](unsigned space) {
      return space == StackSpace || space == LocalSpace;
    };
    if (!isLocal(cast->getSrcAddressSpace()) ||
        !isLocal(cast->getDestAddressSpace()))
      return errorAt(&instr, "E-codegen-me-008",
                     "a pointer is cast between memories");
  }
  return success();
}

Status Checker::visit(Function &function) {
  State &state = states[&function];
  if (state == State::Done)
    return success();
  if (state == State::Open)
    return makeError("E-codegen-me-006",
                     "function '" + function.getName().str() +
                         "' is recursive, directly or through "
                         "others; stacks are static");
  state = State::Open;
  for (Instruction &instr : instructions(function))
    if (Status s = checkInstruction(instr); !s)
      return s;
  states[&function] = State::Done;
  order.push_back(&function);
  return success();
}

/// Pointers of space 0 and 4 are the same local-memory address.
void replaceLocalCasts(Function &function) {
  for (Instruction &instr : make_early_inc_range(instructions(function)))
    if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instr)) {
      Value *number = CastInst::Create(
          Instruction::PtrToInt, cast->getPointerOperand(),
          Type::getInt32Ty(function.getContext()), "", cast->getIterator());
      cast->replaceAllUsesWith(CastInst::Create(Instruction::IntToPtr, number,
                                                cast->getType(), "",
                                                cast->getIterator()));
      cast->eraseFromParent();
    }
}

} // namespace

void sinkAddresses(Module &module) {
  for (Function &function : module)
    for (Instruction &user : instructions(function))
      for (Use &use : user.operands()) {
        auto *sum = dyn_cast<GetElementPtrInst>(use);
        if (!sum || isa<PHINode>(user) || !sum->hasAllConstantIndices() ||
            sum->getParent() == user.getParent())
          continue;
        Instruction *near = sum->clone();
        near->insertBefore(&user);
        use.set(near);
      }
}

Result<CallOrder> checkModule(Module &module, const std::string &entry) {
  Function *main = module.getFunction(entry);
  if (!main || main->isDeclaration())
    return makeError("E-codegen-me-001",
                     "the program has no function '" + entry + "'");
  if (!main->arg_empty() || !main->getReturnType()->isVoidTy())
    return makeError("E-codegen-me-001",
                     "function '" + entry +
                         "' must have no arguments and no result");
  Checker checker(module);
  if (Status s = checker.visit(*main); !s)
    return s.error();
  CallOrder order(checker.order.rbegin(), checker.order.rend());
  KARAKAL_ASSERT(order.front() == main, "callers come before callees");

  for (Function &function : module)
    if (!function.isDeclaration() && !is_contained(order, &function))
      function.deleteBody();
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (Function *function : order) {
    replaceLocalCasts(*function);
    function->setLinkage(function == main ? GlobalValue::ExternalLinkage
                                          : GlobalValue::InternalLinkage);
    function->setComdat(nullptr);
    function->removeFnAttr(Attribute::OptimizeNone);
    function->addFnAttr(Attribute::NoUnwind);
  }
  main->addFnAttr("ixp-entry");
  return order;
}

Result<CallOrder> prepareModule(Module &module, const std::string &entry) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    return makeError("E-codegen-me-002", "the LLVM IR is not valid: " + text);
  module.setDataLayout(DataLayoutText);
  module.convertToNewDbgValues();
  lowerPartVectors(module);
  lowerUnaligned(module);
  trimBursts(module);
  Result<CallOrder> order = checkModule(module, entry);
  if (!order)
    return order;
  if (Status s = lowerMemory(module); !s)
    return s.error();
  if (Status s = lowerDivision(module); !s)
    return s.error();
  formOnesAdds(module);
  combineFunnels(module);
  widenMasks(module);
  changeBytesFirst(module);
  sinkAddresses(module);
  // Lowering may have added division routines.
  order = checkModule(module, entry);
  if (order)
    for (Function *function : *order) {
      markLoops(*function);
      markPaths(*function);
    }
  return order;
}

} // namespace karakal::codegen
