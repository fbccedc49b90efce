// Compilation of a HostProgram to callable functions.

#include "host/Jit.h"
#include "codegen-x86/BatchMemory.h"
#include "codegen-x86/ObserveWork.h"
#include "codegen-x86/Optimize.h"
#include "codegen-x86/PacketMemory.h"
#include "codegen-x86/Runtime.h"
#include "host/RunGuards.h"
#include "host/Services.h"
#include "support/Error.h"
#include "support/HugePages.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <algorithm>
#include <ctime>

namespace karakal::host {

using namespace llvm;

JitProgram::JitProgram() = default;
JitProgram::JitProgram(JitProgram &&) = default;
JitProgram::~JitProgram() = default;

template <typename T> static T must(Expected<T> value, const char *what) {
  if (!value)
    reportInternalError(__FILE__, __LINE__,
                        std::string(what) + ": " + toString(value.takeError()));
  return std::move(*value);
}

static void must(llvm::Error error, const char *what) {
  if (error)
    reportInternalError(__FILE__, __LINE__,
                        std::string(what) + ": " + toString(std::move(error)));
}

std::vector<std::string> packetEntryNames(const HostProgram &program) {
  std::vector<std::string> names = {program.rxEntry};
  for (const HostChannel &channel : program.channels)
    names.push_back(channel.consumer);
  return names;
}

/// Makes everything but the entry points `keep` internal, so that LLVM may
/// inline and drop it.
static void internalize(Module &module, const std::vector<std::string> &keep) {
  for (Function &function : module)
    if (!function.isDeclaration() &&
        std::find(keep.begin(), keep.end(), function.getName().str()) ==
            keep.end())
      function.setLinkage(GlobalValue::InternalLinkage);
}

static void internalize(const HostProgram &program) {
  std::vector<std::string> keep = program.inits;
  for (const std::string &entry : packetEntryNames(program))
    keep.push_back(entry);
  keep.push_back(x86::BatchMemory::RunFunction);
  for (const HostControl &control : program.controls)
    keep.push_back(control.symbol);
  internalize(*program.module, keep);
}

namespace {

/// Asks the system for huge pages for large data, to which the linker has
/// written zeros.
class HugePages : public orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(orc::MaterializationResponsibility &,
                        jitlink::LinkGraph &,
                        jitlink::PassConfiguration &config) override {
    config.PostAllocationPasses.push_back([](jitlink::LinkGraph &graph) {
      for (jitlink::Block *block : graph.blocks())
        if (block->isZeroFill() && block->getSize() >= hugePageBytes)
          joinPages(block->getAddress().toPtr<void *>(), block->getSize());
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(orc::MaterializationResponsibility &) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(orc::JITDylib &,
                                      orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey,
                                   orc::ResourceKey) override {}

private:
  static constexpr uint64_t hugePageBytes = 2 << 20;
};

} // namespace

static Expected<std::unique_ptr<orc::LLJIT>>
makeJit(const orc::JITTargetMachineBuilder &jtmb,
        const std::vector<SymbolAddress> &primitives) {
  auto made = orc::LLJITBuilder().setJITTargetMachineBuilder(jtmb).create();
  if (!made)
    return made.takeError();
  std::unique_ptr<orc::LLJIT> jit = std::move(*made);
  if (auto *layer =
          dyn_cast<orc::ObjectLinkingLayer>(&jit->getObjLinkingLayer()))
    layer->addPlugin(std::make_unique<HugePages>());
  orc::SymbolMap symbols;
  std::vector<SymbolAddress> known = serviceSymbols();
  known.insert(known.end(), primitives.begin(), primitives.end());
  for (auto &[name, address] : known)
    symbols[jit->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                           JITSymbolFlags::Exported |
                                               JITSymbolFlags::Callable};
  if (auto error = jit->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return error;
  return jit;
}

template <typename T>
static T find(orc::LLJIT &jit, const std::string &symbol) {
  return must(jit.lookup(symbol), symbol.c_str()).template toPtr<T>();
}

void *addressOf(orc::LLJIT &jit, const std::string &symbol) {
  return find<void *>(jit, symbol);
}

PacketEntries packetEntriesOf(orc::LLJIT &jit, const HostProgram &program) {
  KARAKAL_ASSERT(!program.rxEntry.empty(), "the rx channel has a consumer");
  PacketEntries entries;
  entries.rx = find<PpfFunction>(jit, program.rxEntry);
  for (const HostChannel &channel : program.channels) {
    KARAKAL_ASSERT(channel.id != 0, "a queued channel has an id");
    if (entries.consumers.size() <= channel.id)
      entries.consumers.resize(channel.id + 1);
    entries.consumers[channel.id] = find<PpfFunction>(jit, channel.consumer);
  }
  return entries;
}

/// Fills the entry points from the compiled code.
static void lookUp(JitProgram &compiled, const HostProgram &program) {
  orc::LLJIT &jit = *compiled.jit;
  compiled.packets = packetEntriesOf(jit, program);
  if (program.hasBatches)
    compiled.runBatch = find<BatchFunction>(jit, x86::BatchMemory::RunFunction);
  for (const HostControl &control : program.controls)
    compiled.controls.push_back(find<ControlFunction>(jit, control.symbol));
  for (const std::string &init : program.inits)
    compiled.inits.push_back(find<InitFunction>(jit, init));
}

/// Fills the pointers to the guards' globals.
static void lookUpGuards(JitProgram &compiled) {
  orc::LLJIT &jit = *compiled.jit;
  compiled.fuel = find<int64_t *>(jit, GuardSymbols::Fuel);
  compiled.ppf = find<uint32_t *>(jit, GuardSymbols::Ppf);
  compiled.packetsByPpf = find<uint64_t *>(jit, GuardSymbols::Packets);
  compiled.profile = find<uint64_t *>(jit, GuardSymbols::Profile);
}

static void initializeTarget() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser(); // for the CPUID instruction
}

/// Compiles `program`; `prepare` first changes its module, which has the data
/// layout of this computer. Unless `observed` is null, the code has observers.
static JitProgram compileWith(HostProgram &program,
                              const std::vector<SymbolAddress> &primitives,
                              function_ref<void(HostProgram &)> prepare,
                              std::vector<std::string> *observed = nullptr) {
  initializeTarget();
  std::clock_t start = std::clock();
  auto jtmb = must(orc::JITTargetMachineBuilder::detectHost(), "this machine");
  auto machine = must(jtmb.createTargetMachine(), "target machine");

  Module &module = *program.module;
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  prepare(program);
  internalize(program);
  x86::verify(module, "before optimization");
  x86::optimize(module, *machine);
  if (observed)
    *observed = x86::observeWork(module, *machine);

  JitProgram compiled;
  compiled.jit = must(makeJit(jtmb, primitives), "LLJIT");
  must(compiled.jit->addIRModule(orc::ThreadSafeModule(
           std::move(program.module), std::move(program.context))),
       "module");
  lookUp(compiled, program);
  compiled.compileSeconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  return compiled;
}

JitProgram compile(HostProgram &program,
                   const std::vector<SymbolAddress> &primitives) {
  JitProgram compiled = compileWith(program, primitives, addRunGuards);
  lookUpGuards(compiled);
  return compiled;
}

static orc::JITTargetMachineBuilder quickHost() {
  initializeTarget();
  auto host = must(orc::JITTargetMachineBuilder::detectHost(), "this machine");
  host.setCodeGenOptLevel(CodeGenOptLevel::None);
  return host;
}

std::unique_ptr<orc::LLJIT>
makeQuickJit(const std::vector<SymbolAddress> &primitives) {
  return must(makeJit(quickHost(), primitives), "LLJIT");
}

void defineData(orc::LLJIT &jit,
                const std::vector<std::pair<std::string, void *>> &data) {
  orc::SymbolMap symbols;
  for (auto &[name, address] : data)
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported};
  must(jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))),
       "data");
}

void addQuickPart(orc::LLJIT &jit, HostPart part,
                  const std::vector<std::string> &entries) {
  Module &module = *part.module;
  auto machine = must(quickHost().createTargetMachine(), "target machine");
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  internalize(module, entries);
  x86::verify(module, "before optimization");
  x86::optimizeQuickly(module, *machine);
  must(jit.addIRModule(orc::ThreadSafeModule(std::move(part.module),
                                             std::move(part.context))),
       "module");
}

static void markPpfs(HostProgram &program) {
  std::vector<x86::PpfSymbol> ppfs;
  for (const HostPpf &ppf : program.ppfs)
    ppfs.push_back({ppf.symbol, ppf.onXScale});
  x86::markXScalePpfs(*program.module, ppfs);
}

static void addFastPrimitives(HostProgram &program) {
  const char *start = x86::PacketSymbols::FindFeatures;
  program.module->getOrInsertFunction(
      start, llvm::Type::getVoidTy(program.module->getContext()));
  program.inits.insert(program.inits.begin(), start);
  x86::linkRuntime(*program.module, x86::RuntimePart::Packets);
  x86::linkRuntime(*program.module, x86::RuntimePart::Batches);
  x86::linkRuntime(*program.module, x86::RuntimePart::Services);
  x86::fixHashMultiplier(*program.module, program.hashMultiplier);
}

static x86::ProgramParts partsOf(const HostProgram &program) {
  x86::ProgramParts parts;
  parts.packetEntries = packetEntryNames(program);
  for (const HostControl &control : program.controls)
    parts.controls.emplace_back(control.symbol, control.signature.name);
  parts.inits = program.inits;
  parts.tables = program.tables;
  parts.hashMultiplier = program.hashMultiplier;
  return parts;
}

void prepareFast(HostProgram &program, x86::Specializable *specializable) {
  std::unique_ptr<TargetMachine> machine = makeHostMachine();
  program.module->setTargetTriple(machine->getTargetTriple().str());
  program.module->setDataLayout(machine->createDataLayout());
  markPpfs(program);
  if (specializable)
    *specializable =
        x86::prepareToSpecialize(*program.module, partsOf(program));
}

JitProgram compilePrepared(HostProgram &program,
                           const std::vector<SymbolAddress> &memory) {
  return compileWith(program, memory, addFastPrimitives);
}

JitProgram compileFast(HostProgram &program,
                       const std::vector<SymbolAddress> &memory,
                       x86::Specializable *specializable) {
  prepareFast(program, specializable);
  return compilePrepared(program, memory);
}

JitProgram compileObserved(HostProgram &program,
                           const std::vector<SymbolAddress> &memory,
                           std::vector<std::string> &objects) {
  return compileWith(
      program, memory,
      [](HostProgram &prepared) {
        markPpfs(prepared);
        addFastPrimitives(prepared);
      },
      &objects);
}

std::unique_ptr<TargetMachine> makeHostMachine() {
  initializeTarget();
  return must(must(orc::JITTargetMachineBuilder::detectHost(), "this machine")
                  .createTargetMachine(),
              "target machine");
}

/// Code that finds what it uses wherever that lies, as LLJIT compiles it.
static Expected<std::unique_ptr<MemoryBuffer>>
compileObject(orc::JITTargetMachineBuilder host, Module &module) {
  host.setRelocationModel(Reloc::PIC_);
  host.setCodeModel(CodeModel::Small);
  auto machine = host.createTargetMachine();
  if (!machine)
    return machine.takeError();
  return orc::SimpleCompiler(**machine)(module);
}

/// Links an object and looks up what it defines, which makes it complete.
static Expected<std::unique_ptr<orc::LLJIT>>
linkObject(const orc::JITTargetMachineBuilder &host, MemoryBufferRef object,
           const std::vector<SymbolAddress> &symbols,
           const std::vector<std::string> &defined) {
  auto jit = makeJit(host, symbols);
  if (!jit)
    return jit.takeError();
  if (auto error = (*jit)->addObjectFile(
          MemoryBuffer::getMemBufferCopy(object.getBuffer(), "specialized")))
    return error;
  for (const std::string &name : defined)
    if (auto symbol = (*jit)->lookup(name); !symbol)
      return symbol.takeError();
  return std::move(*jit);
}

Result<std::vector<std::unique_ptr<orc::LLJIT>>>
compileModule(std::unique_ptr<Module> module,
              std::unique_ptr<LLVMContext> context,
              const std::vector<std::vector<SymbolAddress>> &symbols) {
  KARAKAL_ASSERT(context && &module->getContext() == context.get(),
                 "the module's own context");
  auto failed = [](llvm::Error error) {
    return makeError("", toString(std::move(error)));
  };
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return failed(host.takeError());
  std::vector<std::string> defined;
  for (const Function &function : *module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      defined.push_back(function.getName().str());
  auto object = compileObject(*host, *module);
  module.reset();
  if (!object)
    return failed(object.takeError());
  std::vector<std::unique_ptr<orc::LLJIT>> linked;
  for (const std::vector<SymbolAddress> &known : symbols) {
    auto jit = linkObject(*host, **object, known, defined);
    if (!jit)
      return failed(jit.takeError());
    linked.push_back(std::move(*jit));
  }
  return linked;
}

} // namespace karakal::host
