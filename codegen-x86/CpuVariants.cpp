// Code for several levels of x86-64 in one object.

#include "codegen-x86/CpuVariants.h"
#include "codegen-x86/Reach.h"
#include "support/Assert.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace karakal::x86 {

using namespace llvm;

/// Copies `functions`, so that the copies call each other, for a level. Returns
/// the copy of the first.
static Function *copyFor(unsigned level, ArrayRef<Function *> functions) {
  ValueToValueMapTy copies;
  std::string suffix = ".v" + std::to_string(level);
  for (Function *function : functions) {
    Function *copy = Function::Create(
        function->getFunctionType(), GlobalValue::InternalLinkage,
        function->getName() + suffix, function->getParent());
    copies[function] = copy;
    for (auto [from, to] : zip(function->args(), copy->args()))
      copies[&from] = &to;
  }
  for (Function *function : functions) {
    auto *copy = cast<Function>(copies[function]);
    SmallVector<ReturnInst *> returns;
    CloneFunctionInto(copy, function, copies,
                      CloneFunctionChangeType::GlobalChanges, returns);
    copy->setLinkage(GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    copy->addFnAttr("target-cpu", "x86-64-v" + std::to_string(level));
    copy->removeFnAttr("tune-cpu");
    // A load and BSWAP are as short, and were 0 to 5 % faster on Zen 3.
    std::string features =
        copy->getFnAttribute("target-features").getValueAsString().str();
    copy->addFnAttr("target-features",
                    (features.empty() ? "" : features + ",") + "-movbe");
  }
  return cast<Function>(copies[functions.front()]);
}

void addCpuVariants(Function &root, GlobalVariable &level) {
  KARAKAL_ASSERT(!root.isDeclaration(), "the root is defined");
  SetVector<Function *> reached;
  reach(root, reached);
  SmallVector<Function *> functions = to_vector(make_filter_range(
      reached, [](Function *each) { return !each->isDeclaration(); }));

  // The root's body becomes a function of its own beside its copies.
  std::string name = root.getName().str();
  SmallVector<Function *> variants;
  for (unsigned each : VariantLevels)
    variants.push_back(copyFor(each, functions));
  ValueToValueMapTy none;
  Function *base = CloneFunction(&root, none);
  base->setName(name + ".v" + std::to_string(BaseLevel));
  base->setLinkage(GlobalValue::InternalLinkage);
  base->setComdat(nullptr);
  GlobalValue::LinkageTypes linkage = root.getLinkage();
  root.deleteBody();
  root.setLinkage(linkage);

  LLVMContext &context = root.getContext();
  SmallVector<Value *> arguments;
  for (Argument &argument : root.args())
    arguments.push_back(&argument);
  auto callTo = [&](Function *callee) {
    BasicBlock *block = BasicBlock::Create(context, "", &root);
    IRBuilder<> builder(block);
    CallInst *call = builder.CreateCall(callee, arguments);
    if (call->getType()->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(call);
    return block;
  };
  BasicBlock *entry = BasicBlock::Create(context, "entry", &root);
  IRBuilder<> builder(entry);
  SwitchInst *levels =
      builder.CreateSwitch(builder.CreateLoad(builder.getInt32Ty(), &level),
                           callTo(base), std::size(VariantLevels));
  for (auto [each, variant] : zip(VariantLevels, variants))
    levels->addCase(builder.getInt32(each), callTo(variant));
}

} // namespace karakal::x86
