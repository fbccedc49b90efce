// Guards that make it safe to run a JIT module.

#include "host/RunGuards.h"
#include "support/Error.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <algorithm>

namespace karakal::host {

using namespace llvm;

namespace {

/// Adds the guards to one module and holds the globals that they use.
class GuardWriter {
public:
  GuardWriter(const HostProgram &program, Module &module, bool isPart)
      : program(program), module(module), isPart(isPart),
        i32(Type::getInt32Ty(module.getContext())),
        i64(Type::getInt64Ty(module.getContext())),
        voidTy(Type::getVoidTy(module.getContext())),
        fuel(addGlobal(GuardSymbols::Fuel, i64, 0)),
        ppf(addGlobal(GuardSymbols::Ppf, i32, NoPpf)),
        packets(addCounters(GuardSymbols::Packets, program.ppfs.size())),
        exhausted(module.getOrInsertFunction(GuardSymbols::Exhausted, voidTy)),
        enterXScale(module.getOrInsertFunction(GuardSymbols::EnterXScale,
                                               voidTy, i32)) {}

  void run() {
    std::vector<Function *> functions;
    for (Function &function : module)
      if (!function.isDeclaration())
        functions.push_back(&function);
    for (Function *function : functions)
      guardLoops(*function);
    for (size_t i = 0; i < program.ppfs.size(); ++i)
      if (Function *function = module.getFunction(program.ppfs[i].symbol)) {
        if (!function->isDeclaration())
          framePpf(*function, i);
        else if (isPart)
          callOtherPart(*function, i);
      }
    defineProfileAdd();
  }

private:
  GlobalVariable *addGlobal(StringRef name, Type *type, uint64_t init) {
    return new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage,
                              isPart ? nullptr : ConstantInt::get(type, init),
                              name);
  }

  GlobalVariable *addCounters(StringRef name, size_t count) {
    auto *type = ArrayType::get(i64, std::max<size_t>(count, 1));
    return new GlobalVariable(
        module, type, false, GlobalValue::ExternalLinkage,
        isPart ? nullptr : ConstantAggregateZero::get(type), name);
  }

  void increment(IRBuilder<> &at, GlobalVariable *counters, Value *index,
                 Value *amount) {
    Value *address = at.CreateInBoundsGEP(counters->getValueType(), counters,
                                          {at.getInt32(0), index});
    at.CreateStore(at.CreateAdd(at.CreateLoad(i64, address), amount), address);
  }

  /// Burns `cost` fuel before `at`.
  void burn(Instruction *at, int64_t cost) {
    IRBuilder<> builder(at);
    Value *left = builder.CreateSub(builder.CreateLoad(i64, fuel),
                                    builder.getInt64(cost));
    builder.CreateStore(left, fuel);
    Value *empty = builder.CreateICmpSLT(left, builder.getInt64(0));
    Instruction *end = SplitBlockAndInsertIfThen(empty, at, true);
    IRBuilder<>(end).CreateCall(exhausted);
  }

  void guardLoops(Function &function) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
    FindFunctionBackedges(function, edges);
    std::vector<BasicBlock *> sources;
    for (auto &edge : edges) {
      auto *source = const_cast<BasicBlock *>(edge.first);
      if (std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(source);
    }
    for (BasicBlock *source : sources)
      burn(source->getTerminator(), 1);
  }

  void framePpf(Function &function, uint32_t index) {
    std::vector<ReturnInst *> returns;
    for (BasicBlock &block : function)
      if (auto *ret = dyn_cast<ReturnInst>(block.getTerminator()))
        returns.push_back(ret);
    Instruction *first = &*function.getEntryBlock().getFirstInsertionPt();
    IRBuilder<> builder(first);
    Value *previous = builder.CreateLoad(i32, ppf);
    builder.CreateStore(builder.getInt32(index), ppf);
    increment(builder, packets, builder.getInt32(index), builder.getInt64(1));
    if (program.ppfs[index].onXScale)
      builder.CreateCall(enterXScale, {previous});
    burn(first, PpfFuel);
    for (ReturnInst *ret : returns)
      IRBuilder<>(ret).CreateStore(previous, ppf);
  }

  /// Defines the PPF `index` as a call of the part that has its code.
  void callOtherPart(Function &function, uint32_t index) {
    FunctionCallee enter =
        module.getOrInsertFunction(GuardSymbols::EnterPpf, voidTy, i32, i32);
    function.setLinkage(GlobalValue::InternalLinkage);
    IRBuilder<> builder(
        BasicBlock::Create(module.getContext(), "entry", &function));
    builder.CreateCall(enter, {builder.getInt32(index), function.getArg(0)});
    builder.CreateRetVoid();
  }

  void defineProfileAdd() {
    GlobalVariable *profile =
        addCounters(GuardSymbols::Profile, program.counterCount);
    Function *add = module.getFunction(target::runtime::ProfileAdd);
    if (!add)
      return;
    KARAKAL_ASSERT(add->isDeclaration() && add->arg_size() == 2,
                   "baker_profile_add(i32, i32) is declared only");
    add->setLinkage(GlobalValue::InternalLinkage);
    add->addFnAttr(Attribute::AlwaysInline);
    IRBuilder<> builder(BasicBlock::Create(module.getContext(), "entry", add));
    increment(builder, profile, add->getArg(0),
              builder.CreateZExt(add->getArg(1), i64));
    builder.CreateRetVoid();
  }

  const HostProgram &program;
  Module &module;
  bool isPart;
  Type *i32, *i64, *voidTy;
  GlobalVariable *fuel, *ppf, *packets;
  FunctionCallee exhausted, enterXScale;
};

} // namespace

void addRunGuards(HostProgram &program) {
  GuardWriter(program, *program.module, /*isPart=*/false).run();
}

void addPartGuards(const HostProgram &program, Module &part) {
  GuardWriter(program, part, /*isPart=*/true).run();
}

} // namespace karakal::host
