// Programs for bakersw.

#include "driver/SwitchProgram.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "driver/Compile.h"
#include "driver/ReadProgram.h"
#include "driver/RunOnHost.h"
#include "host/live/LiveHostProgram.h"
#include "ir/dialect/Target.h"

namespace karakal::driver {

Result<std::unique_ptr<x86::LiveProgram>>
makeSwitchProgram(const std::vector<std::string> &sources,
                  const std::vector<std::string> &importFolders, uint32_t cores,
                  x86::SpecializeWhen specialize) {
  KARAKAL_ASSERT(!sources.empty(), "a program has a source");
  Options options;
  options.inputs = sources;
  options.importFolders = importFolders;
  options.run = true;
  options.warnings = *lang::warningPolicy({});
  // Look-ups return slots, for code that is made again while it runs.
  options.specialize = host::SpecializeWhen::AtOnce;
  mlir::MLIRContext context;
  std::vector<Remark> remarks;
  prepareContext(context, options, remarks);
  auto read = readProgram(options, context);
  if (!read)
    return read.error();
  mlir::ModuleOp baker = **read;
  if (Status lowered = lowerTables(baker, options); !lowered)
    return lowered.error();
  uint64_t engineHz = ir::chipOf(baker).meClockHz;
  X86Code code;
  code.withThreads = cores > 1;
  auto program = lowerForX86(baker, code);
  if (!program)
    return program.error();
  host::SpecializeOptions special;
  special.when = specialize;
  auto live =
      host::makeLiveProgram(std::move(*program), engineHz, cores, special);
  if (Status ready = live->init(); !ready)
    return ready.error();
  return live;
}

} // namespace karakal::driver
