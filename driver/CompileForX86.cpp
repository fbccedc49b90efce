// Programs compiled ahead of time for x86: --target=x86.

#include "driver/CompileForX86.h"
#include "codegen-x86/Interface.h"
#include "driver/Batching.h"
#include "driver/LinkExecutable.h"
#include "driver/RunOnHost.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "support/Files.h"

namespace karakal::driver {

using namespace mlir;

static x86::ProgramInterface interfaceOf(const host::HostProgram &program,
                                         uint64_t engineHz) {
  x86::ProgramInterface interface;
  interface.name = program.name;
  interface.rxEntry = program.rxEntry;
  for (const host::HostChannel &channel : program.channels)
    interface.consumers.push_back({channel.id, channel.consumer, false});
  for (const host::HostPpf &ppf : program.ppfs) {
    interface.ppfs.push_back({ppf.symbol, ppf.onXScale});
    for (x86::ProgramInterface::Consumer &each : interface.consumers)
      if (each.ppf == ppf.symbol)
        each.onXScale = ppf.onXScale;
  }
  interface.inits = program.inits;
  interface.dropReasons = program.dropReasons;
  interface.engineHz = engineHz;
  for (const host::HostControl &control : program.controls)
    interface.controls.push_back(
        {control.symbol, control.signature, control.intervalUs});
  interface.refusals = program.refusals;
  interface.hashMultiplier = program.hashMultiplier;
  interface.hasStages = program.hasBatches;
  return interface;
}

Status compileForX86(ModuleOp baker, const BakercOptions &options,
                     const std::string &path) {
  KARAKAL_ASSERT(isForX86(options.emit), "an object, its header or a program");
  if (Status known = checkCuts(baker, options.cuts); !known)
    return known;
  uint64_t engineHz = ir::chipOf(baker).meClockHz;
  X86Code code;
  code.withBatches = options.subBatch > 1;
  code.cutSeed = options.cutSeed;
  code.cuts = options.cuts;
  auto program = lowerForX86(baker, code);
  if (!program)
    return program.error();
  x86::ProgramInterface interface = interfaceOf(*program, engineHz);
  interface.burst = options.burst;
  interface.subBatch = options.subBatch;
  interface.isExecutable = options.emit == Emit::Executable;
  if (options.emit == Emit::Header)
    return writeFile(path, x86::makeHeader(interface));
  std::string object = x86::makeObject(*program->module, interface);
  return interface.isExecutable ? linkExecutable(object, path)
                                : writeFile(path, object);
}

} // namespace karakal::driver
