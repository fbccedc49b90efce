// The packet primitives of a program on x86.

#include "codegen-x86/PacketPrimitives.h"
#include "codegen-x86/PacketMemory.h"
#include "support/Assert.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstddef>

namespace karakal::x86 {

using namespace llvm;

static const uint8_t bitcode[] = {
#include "codegen-x86/packets.bc.inc"
};

static std::unique_ptr<Module> readPrimitives(LLVMContext &context) {
  StringRef bytes(reinterpret_cast<const char *>(bitcode), sizeof bitcode);
  auto read = parseBitcodeFile(MemoryBufferRef(bytes, "packets"), context);
  KARAKAL_ASSERT(bool(read), "the embedded bitcode is that of this LLVM");
  return std::move(*read);
}

void linkPacketPrimitives(Module &module) {
  KARAKAL_ASSERT(!module.getDataLayout().isDefault(),
                 "the module has the data layout of its target");
  std::unique_ptr<Module> primitives = readPrimitives(module.getContext());
  primitives->setTargetTriple(module.getTargetTriple());
  primitives->setDataLayout(module.getDataLayout());
  std::vector<std::string> defined;
  for (Function &function : *primitives) {
    // The target machine of the program decides about processor features.
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
    if (!function.isDeclaration())
      defined.push_back(function.getName().str());
  }
  bool failed = Linker::linkModules(module, std::move(primitives),
                                    Linker::Flags::LinkOnlyNeeded);
  KARAKAL_ASSERT(!failed, "the primitives have the types that programs expect");
  for (const std::string &name : defined)
    if (Function *function = module.getFunction(name))
      function->setLinkage(GlobalValue::InternalLinkage);
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

/// Adds the functions that `function` reaches by calls to `reached`.
static void reach(Function &function, SmallPtrSetImpl<Function *> &reached) {
  if (!reached.insert(&function).second)
    return;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction())
          reach(*callee, reached);
}

void markXScalePpfs(Module &module, const std::vector<PpfSymbol> &ppfs) {
  SmallPtrSet<Function *, 16> fromXScale;
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
