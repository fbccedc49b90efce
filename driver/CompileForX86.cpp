// Programs compiled ahead of time for x86: --target=x86.

#include "driver/CompileForX86.h"
#include "codegen-x86/Interface.h"
#include "driver/RunOnHost.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "support/Files.h"

namespace karakal::driver {

static x86::ProgramInterface interfaceOf(const host::HostProgram &program,
                                         uint64_t engineHz) {
  x86::ProgramInterface interface;
  interface.name = program.name;
  interface.rxEntry = program.rxEntry;
  for (const host::HostChannel &channel : program.channels)
    interface.consumers.emplace_back(channel.id, channel.consumer);
  for (const host::HostPpf &ppf : program.ppfs)
    interface.ppfs.push_back({ppf.symbol, ppf.onXScale});
  interface.inits = program.inits;
  interface.dropReasons = program.dropReasons;
  interface.engineHz = engineHz;
  for (const host::HostControl &control : program.controls) {
    x86::ControlInterface &added = interface.controls.emplace_back();
    added.wrapper = control.symbol;
    added.name = control.signature.name;
    added.returns = control.signature.returns;
    for (const auto &parameter : control.signature.params)
      added.parameters.emplace_back(parameter.name, parameter.type);
  }
  return interface;
}

Status compileForX86(mlir::ModuleOp baker, Emit form, const std::string &path) {
  KARAKAL_ASSERT(form == Emit::Object || form == Emit::Header,
                 "an object or its header");
  uint64_t engineHz = ir::chipOf(baker).meClockHz;
  auto program = lowerForX86(baker, {});
  if (!program)
    return program.error();
  x86::ProgramInterface interface = interfaceOf(*program, engineHz);
  if (form == Emit::Header)
    return writeFile(path, x86::makeHeader(interface));
  return writeFile(path, x86::makeObject(*program->module, interface));
}

} // namespace karakal::driver
