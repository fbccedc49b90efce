// Compilation of a HostProgram to callable functions.

#include "host/Jit.h"
#include "codegen-x86/Optimize.h"
#include "codegen-x86/PacketMemory.h"
#include "codegen-x86/Runtime.h"
#include "host/RunGuards.h"
#include "host/Services.h"
#include "support/Error.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
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

/// Makes everything but the entry points internal, so that LLVM may inline and
/// drop it.
static void internalize(const HostProgram &program) {
  std::vector<std::string> keep = program.inits;
  keep.push_back(program.rxEntry);
  for (const HostChannel &channel : program.channels)
    keep.push_back(channel.consumer);
  for (const HostControl &control : program.controls)
    keep.push_back(control.symbol);
  for (Function &function : *program.module)
    if (!function.isDeclaration() &&
        std::find(keep.begin(), keep.end(), function.getName().str()) ==
            keep.end())
      function.setLinkage(GlobalValue::InternalLinkage);
}

static std::unique_ptr<orc::LLJIT>
makeJit(orc::JITTargetMachineBuilder &jtmb,
        const std::vector<SymbolAddress> &primitives) {
  auto jit = must(orc::LLJITBuilder().setJITTargetMachineBuilder(jtmb).create(),
                  "LLJIT");
  orc::SymbolMap symbols;
  std::vector<SymbolAddress> known = serviceSymbols();
  known.insert(known.end(), primitives.begin(), primitives.end());
  for (auto &[name, address] : known)
    symbols[jit->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                           JITSymbolFlags::Exported |
                                               JITSymbolFlags::Callable};
  must(jit->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))),
       "packet primitives");
  return jit;
}

template <typename T>
static T find(orc::LLJIT &jit, const std::string &symbol) {
  return must(jit.lookup(symbol), symbol.c_str()).template toPtr<T>();
}

/// Fills the entry points from the compiled code.
static void lookUp(JitProgram &compiled, const HostProgram &program) {
  orc::LLJIT &jit = *compiled.jit;
  KARAKAL_ASSERT(!program.rxEntry.empty(), "the rx channel has a consumer");
  compiled.rxEntry = find<PpfFunction>(jit, program.rxEntry);
  for (const HostChannel &channel : program.channels) {
    KARAKAL_ASSERT(channel.id != 0, "a queued channel has an id");
    if (compiled.consumers.size() <= channel.id)
      compiled.consumers.resize(channel.id + 1);
    compiled.consumers[channel.id] = find<PpfFunction>(jit, channel.consumer);
  }
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

/// Compiles `program`; `prepare` first changes its module, which has the data
/// layout of this computer.
static JitProgram compileWith(HostProgram &program,
                              const std::vector<SymbolAddress> &primitives,
                              void (*prepare)(HostProgram &)) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser(); // for the CPUID instruction
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

  JitProgram compiled;
  compiled.jit = makeJit(jtmb, primitives);
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

static void addFastPrimitives(HostProgram &program) {
  std::vector<x86::PpfSymbol> ppfs;
  for (const HostPpf &ppf : program.ppfs)
    ppfs.push_back({ppf.symbol, ppf.onXScale});
  x86::markXScalePpfs(*program.module, ppfs);
  const char *start = x86::PacketSymbols::FindFeatures;
  program.module->getOrInsertFunction(
      start, llvm::Type::getVoidTy(program.module->getContext()));
  program.inits.insert(program.inits.begin(), start);
  x86::linkRuntime(*program.module, x86::RuntimePart::Packets);
  x86::linkRuntime(*program.module, x86::RuntimePart::Services);
}

JitProgram compileFast(HostProgram &program,
                       const std::vector<SymbolAddress> &memory) {
  return compileWith(program, memory, addFastPrimitives);
}

} // namespace karakal::host
