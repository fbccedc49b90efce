// Code for several cores that share a program's data.

#include "host/live/SharedCode.h"
#include "codegen-x86/BatchMemory.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include <emmintrin.h>
#include <sched.h>

namespace karakal::host {

using namespace llvm;

static constexpr const char *enterSymbol = "karakal_host_enter_cold";
static constexpr const char *leaveSymbol = "karakal_host_leave_cold";

/// Waits a moment for another thread: sections are short, so it spins, unless
/// that thread may have lost its processor.
static void pauseOrYield(uint32_t &turns) {
  constexpr uint32_t spinsMax = 256;
  if (++turns % spinsMax == 0)
    sched_yield();
  else
    _mm_pause();
}

static thread_local char thisThread;

void ColdPpfs::enter() {
  if (owner.load(std::memory_order_relaxed) != &thisThread) {
    const void *nobody = nullptr;
    for (uint32_t turns = 0; !owner.compare_exchange_weak(
             nobody, &thisThread, std::memory_order_acquire);
         nobody = nullptr)
      pauseOrYield(turns);
  }
  ++depth;
}

void ColdPpfs::leave() {
  if (--depth == 0)
    owner.store(nullptr, std::memory_order_release);
}

void ColdPpfs::leaveAll() {
  if (owner.load(std::memory_order_relaxed) != &thisThread)
    return;
  depth = 1;
  leave();
}

static thread_local ColdPpfs *cold = nullptr;
/// The lock of the critical section that this thread is in. Sections do not
/// nest.
static thread_local uint32_t *held = nullptr;

void useForThread(ColdPpfs *used) { cold = used; }

static void lockWord(uint32_t *word) {
  uint32_t turns = 0;
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) != 0)
    while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0)
      pauseOrYield(turns);
  held = word;
}

static void unlockWord(uint32_t *word) {
  held = nullptr;
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void enterCold() { cold->enter(); }
static void leaveCold() { cold->leave(); }

void giveUpLocks() {
  if (held)
    unlockWord(held);
  if (cold)
    cold->leaveAll();
}

std::vector<SymbolAddress> threadSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{target::runtime::Lock, at(lockWord)},
          {target::runtime::Unlock, at(unlockWord)},
          {enterSymbol, at(enterCold)},
          {leaveSymbol, at(leaveCold)}};
}

/// Makes the PPFs of the XScale core exclude each other.
static void guardColdPpfs(HostProgram &program) {
  Module &module = *program.module;
  Type *none = Type::getVoidTy(module.getContext());
  FunctionCallee enter = module.getOrInsertFunction(enterSymbol, none);
  FunctionCallee leave = module.getOrInsertFunction(leaveSymbol, none);
  for (const HostPpf &ppf : program.ppfs) {
    Function *function = module.getFunction(ppf.symbol);
    if (!ppf.onXScale || !function || function->isDeclaration())
      continue;
    BasicBlock &first = function->getEntryBlock();
    IRBuilder<>(&*first.getFirstInsertionPt()).CreateCall(enter);
    for (BasicBlock &block : *function)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        IRBuilder<>(end).CreateCall(leave);
  }
}

/// The program's data that changes, but for that of batches.
static std::vector<std::string> shareData(Module &module) {
  std::vector<std::string> names;
  for (GlobalVariable &global : module.globals()) {
    if (global.isDeclaration() || global.isConstant() ||
        global.getName().starts_with(x86::BatchMemory::DataPrefix))
      continue;
    KARAKAL_ASSERT(global.hasName(), "the program's data has names");
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setVisibility(GlobalValue::DefaultVisibility);
    global.setDSOLocal(false);
    names.push_back(global.getName().str());
  }
  return names;
}

/// The program with the code of `bitcode`, in which `data` is somewhere else.
static HostProgram copyWithoutData(const HostProgram &program,
                                   StringRef bitcode,
                                   const std::vector<std::string> &data) {
  HostProgram copy;
  copy.name = program.name;
  copy.rxEntry = program.rxEntry;
  copy.ppfs = program.ppfs;
  copy.channels = program.channels;
  copy.controls = program.controls;
  copy.dropReasons = program.dropReasons;
  copy.tables = program.tables;
  copy.hasBatches = program.hasBatches;
  copy.context = std::make_unique<LLVMContext>();
  auto read = parseBitcodeFile(MemoryBufferRef(bitcode, "core"), *copy.context);
  KARAKAL_ASSERT(bool(read), "the bitcode was written here");
  copy.module = std::move(*read);
  for (const std::string &name : data)
    copy.module->getNamedGlobal(name)->setInitializer(nullptr);
  return copy;
}

std::deque<JitProgram>
compileShared(HostProgram &program,
              const std::vector<std::vector<SymbolAddress>> &memories,
              x86::Specializable *specializable) {
  KARAKAL_ASSERT(!memories.empty() && program.module, "a core, and its code");
  std::deque<JitProgram> cores;
  if (memories.size() == 1) {
    cores.push_back(compileFast(program, memories.front(), specializable));
    return cores;
  }
  guardColdPpfs(program);
  prepareFast(program, specializable);
  std::vector<std::string> data = shareData(*program.module);
  SmallString<0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(*program.module, stream);
  std::vector<SymbolAddress> shared = threadSymbols();
  for (size_t i = 0; i < memories.size(); ++i) {
    std::vector<SymbolAddress> symbols = shared;
    symbols.insert(symbols.end(), memories[i].begin(), memories[i].end());
    if (i != 0) {
      HostProgram copy = copyWithoutData(program, bitcode, data);
      cores.push_back(compilePrepared(copy, symbols));
      continue;
    }
    cores.push_back(compilePrepared(program, symbols));
    for (const std::string &name : data)
      shared.emplace_back(name.c_str(), addressOf(*cores[0].jit, name));
  }
  return cores;
}

} // namespace karakal::host
