// The runtime of a program on x86.

#include "codegen-x86/Runtime.h"
#include "codegen-x86/PacketMemory.h"
#include "codegen-x86/Reach.h"
#include "support/Assert.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstddef>

namespace karakal::x86 {

using namespace llvm;

namespace {

constexpr uint8_t packets[] = {
#include "codegen-x86/packets.bc.inc"
};
constexpr uint8_t batches[] = {
#include "codegen-x86/batches.bc.inc"
};
constexpr uint8_t services[] = {
#include "codegen-x86/services.bc.inc"
};
constexpr uint8_t interfaceCode[] = {
#include "codegen-x86/interface.bc.inc"
};

} // namespace

static ArrayRef<uint8_t> bitcodeOf(RuntimePart part) {
  switch (part) {
  case RuntimePart::Packets:
    return packets;
  case RuntimePart::Batches:
    return batches;
  case RuntimePart::Services:
    return services;
  case RuntimePart::Interface:
    return interfaceCode;
  }
  KARAKAL_UNREACHABLE("no such part");
}

void linkRuntime(Module &module, RuntimePart part) {
  KARAKAL_ASSERT(!module.getDataLayout().isDefault(),
                 "the module has the data layout of its target");
  auto read =
      parseBitcodeFile(MemoryBufferRef(toStringRef(bitcodeOf(part)), "runtime"),
                       module.getContext());
  KARAKAL_ASSERT(bool(read), "the embedded bitcode is that of this LLVM");
  (*read)->setTargetTriple(module.getTargetTriple());
  (*read)->setDataLayout(module.getDataLayout());
  bool failed = Linker::linkModules(module, std::move(*read),
                                    Linker::Flags::LinkOnlyNeeded);
  KARAKAL_ASSERT(!failed, "the runtime has the types that programs expect");
}

/// The multiplier of runtime/x86/services.cpp; null if nothing is hashed.
static GlobalVariable *hashMultiplierIn(Module &module) {
  return module.getGlobalVariable("karakal_x86_hash_multiplier", true);
}

void setHashMultiplier(Module &module, target::HashKey multiplier) {
  GlobalVariable *variable = hashMultiplierIn(module);
  if (!variable)
    return;
  auto *type = cast<StructType>(variable->getValueType());
  auto *word = Type::getInt64Ty(module.getContext());
  variable->setInitializer(
      ConstantStruct::get(type, ConstantInt::get(word, multiplier.low),
                          ConstantInt::get(word, multiplier.high)));
}

void fixHashMultiplier(Module &module, target::HashKey multiplier) {
  setHashMultiplier(module, multiplier);
  if (GlobalVariable *variable = hashMultiplierIn(module)) {
    variable->setConstant(true);
    variable->setLinkage(GlobalValue::InternalLinkage);
  }
}

namespace {

/// Adds the code of markXScalePpfs to one module.
class XScaleMarks {
public:
  explicit XScaleMarks(Module &module)
      : i32(Type::getInt32Ty(module.getContext())),
        i64(Type::getInt64Ty(module.getContext())),
        state(module.getOrInsertGlobal(PacketSymbols::State, i32)) {}

  /// Sets the mark to `onXScale` at the start of `function` and back to what it
  /// was at each return.
  void frame(Function &function, bool onXScale) {
    IRBuilder<> start(&*function.getEntryBlock().getFirstInsertionPt());
    Value *mark = field(start, offsetof(PacketState, onXScale));
    Value *previous = start.CreateLoad(i32, mark);
    start.CreateStore(start.getInt32(onXScale), mark);
    if (onXScale) {
      Value *crosses = start.CreateICmpEQ(previous, start.getInt32(0));
      Value *count = field(start, offsetof(PacketState, toXScale));
      Value *sum = start.CreateAdd(start.CreateLoad(i64, count),
                                   start.CreateZExt(crosses, i64));
      start.CreateStore(sum, count);
    }
    for (BasicBlock &block : function)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
        IRBuilder<> builder(end);
        builder.CreateStore(previous,
                            field(builder, offsetof(PacketState, onXScale)));
      }
  }

private:
  Value *field(IRBuilder<> &builder, size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state,
                                              offset);
  }

  Type *i32, *i64;
  Constant *state;
};

} // namespace

void markXScalePpfs(Module &module, const std::vector<PpfSymbol> &ppfs) {
  SetVector<Function *> fromXScale;
  auto defined = [&](const PpfSymbol &ppf) -> Function * {
    Function *function = module.getFunction(ppf.name);
    return function && !function->isDeclaration() ? function : nullptr;
  };
  for (const PpfSymbol &ppf : ppfs)
    if (Function *function = defined(ppf); function && ppf.onXScale)
      reach(*function, fromXScale);
  XScaleMarks marks(module);
  for (const PpfSymbol &ppf : ppfs)
    if (Function *function = defined(ppf))
      if (ppf.onXScale || fromXScale.contains(function))
        marks.frame(*function, ppf.onXScale);
}

} // namespace karakal::x86
