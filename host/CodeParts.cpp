// A program whose code is lowered and compiled when it is first called.

#include "host/CodeParts.h"
#include "host/RunGuards.h"
#include "support/Assert.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Constants.h"
#include <cstdlib>
#include <ctime>

namespace karakal::host {

using namespace llvm;

CodeParts::CodeParts(const HostProgram &program,
                     const std::vector<SymbolAddress> &primitives)
    : program(program), currentPpf(NoPpf),
      packets(std::max<size_t>(program.ppfs.size(), 1)),
      profile(std::max<size_t>(program.counterCount, 1)),
      ppfs(program.ppfs.size()), jit(makeQuickJit(primitives)) {
  KARAKAL_ASSERT(program.lowerPart, "the program is lowered in parts");
  defineData(*jit, {{GuardSymbols::Fuel, &fuel},
                    {GuardSymbols::Ppf, &currentPpf},
                    {GuardSymbols::Packets, packets.data()},
                    {GuardSymbols::Profile, profile.data()}});
}

CodeParts::~CodeParts() = default;

JitProgram CodeParts::begin() {
  JitProgram begun;
  begun.fuel = &fuel;
  begun.ppf = &currentPpf;
  begun.packetsByPpf = packets.data();
  begun.profile = profile.data();
  begun.controls.resize(program.controls.size());
  begun.inits.resize(program.inits.size());
  return begun;
}

/// Returns zeros. The system provides a page when it is first used.
void *CodeParts::allocate(size_t bytes) {
  void *memory = std::calloc(std::max<size_t>(bytes, 1), 1);
  KARAKAL_ASSERT(memory, "no memory for the program's data");
  data.emplace_back(memory, std::free);
  return memory;
}

/// Makes the variables of a part those of all parts: the memory is `data`, or,
/// of a variable with a value, in the first part.
void CodeParts::shareData(Module &module) {
  std::vector<std::pair<std::string, void *>> added;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() || variable.isConstant())
      continue;
    std::string name = variable.getName().str();
    bool isNew = shared.insert(name).second;
    bool isZero = variable.getInitializer()->isNullValue();
    if (isNew && isZero)
      added.emplace_back(name, allocate(module.getDataLayout().getTypeAllocSize(
                                   variable.getValueType())));
    if (isZero || !isNew)
      variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setDSOLocal(false); // it may lie far from the code
  }
  defineData(*jit, added);
}

/// Compiles one part with the entry points of these symbols, which no part has
/// yet.
Status CodeParts::compile(const std::vector<std::string> &symbols) {
  std::clock_t start = std::clock();
  auto part = program.lowerPart(symbols);
  if (!part)
    return part.error();
  shareData(*part->module);
  addPartGuards(program, *part->module);
  addQuickPart(*jit, std::move(*part), symbols);
  for (const std::string &symbol : symbols) {
    bool isNew = entries.emplace(symbol, addressOf(*jit, symbol)).second;
    KARAKAL_ASSERT(isNew, "an entry point is in one part");
  }
  secondsTaken += double(std::clock() - start) / CLOCKS_PER_SEC;
  return success();
}

/// The address of an entry point; compiles its part if none has it.
Result<void *> CodeParts::find(const std::string &symbol) {
  if (!entries.count(symbol))
    if (Status compiled = compile({symbol}); !compiled)
      return compiled.error();
  return entries.at(symbol);
}

Status CodeParts::addFirst(const std::set<size_t> &controls,
                           JitProgram &compiled) {
  std::vector<std::string> symbols = program.inits;
  symbols.push_back(program.rxEntry);
  for (size_t i = 0; i < program.controls.size(); ++i)
    if (controls.count(i) || program.controls[i].intervalUs != 0)
      symbols.push_back(program.controls[i].symbol);
  if (Status done = compile(symbols); !done)
    return done;
  for (size_t i = 0; i < program.inits.size(); ++i)
    compiled.inits[i] =
        reinterpret_cast<InitFunction>(entries.at(program.inits[i]));
  compiled.packets.rx =
      reinterpret_cast<PpfFunction>(entries.at(program.rxEntry));
  return success();
}

Status CodeParts::addControl(size_t control, JitProgram &compiled) {
  ControlFunction &code = compiled.controls[control];
  if (code)
    return success();
  auto found = find(program.controls[control].symbol);
  if (!found)
    return found.error();
  code = reinterpret_cast<ControlFunction>(*found);
  return success();
}

Result<PpfFunction> CodeParts::ppf(uint32_t index) {
  PpfFunction &code = ppfs[index];
  if (code)
    return code;
  auto found = find(program.ppfs[index].symbol);
  if (!found)
    return found.error();
  return code = reinterpret_cast<PpfFunction>(*found);
}

} // namespace karakal::host
