// The XScale core's code, begun on a thread before the plan is final.

#include "driver/EarlyXScale.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/pipeline/RunPasses.h"
#include "driver/pipeline/Threads.h"
#include "driver/report/Manifest.h"
#include "ir/dialect/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::driver {

Result<EarlyXScale::Input> EarlyXScale::lower(ModuleOp planned) const {
  auto core = makeCoreProgram(planned, ir::Core::XScale, options.pipeline);
  if (!core)
    return core.error();
  // The core's code has no line table, and passes are quicker without lines.
  llvm::StripDebugInfo(*core->module);
  Input input;
  llvm::raw_string_ostream stream(input.bitcode);
  llvm::WriteBitcodeToFile(*core->module, stream);
  input.core = std::move(*core);
  input.entries = xscaleEntries(planned);
  input.chip = ir::chipOf(planned);
  return input;
}

Result<XScaleCode> EarlyXScale::compile(Input &input) const {
  return compileForXScale(*input.core.module, input.entries,
                          options.pipeline.level, input.chip, cacheFolder);
}

void EarlyXScale::begin(ModuleOp planned) {
  if (begun.valid() || threadCount() == 1 || !options.dumpPasses.empty())
    return;
  begunPlan = planned.clone();
  said.clear();
  auto input = [&] {
    // What there is to say of the last plan is said at its end.
    ScopedDiagnosticHandler hold(planned.getContext(),
                                 [&](mlir::Diagnostic &diagnostic) {
                                   said.push_back(std::move(diagnostic));
                                   return llvm::success();
                                 });
    return lower(planned);
  }();
  if (!input)
    return;
  // LLVM's list of targets has no lock.
  codegen::registerTarget();
  registerXScaleTarget();
  begunBitcode = std::move(input->bitcode);
  begunEntries = input->entries;
  begun = std::async(
      std::launch::async,
      [this](Input input) {
        StageTime time("xscale-early");
        return compile(input);
      },
      std::move(*input));
}

/// Whether the code was begun for this plan, so that it need not be lowered
/// again.
bool EarlyXScale::isBegunPlan(ModuleOp planned) {
  return begun.valid() &&
         OperationEquivalence::isEquivalentTo(
             *begunPlan, planned, OperationEquivalence::IgnoreLocations);
}

Result<XScaleCode> EarlyXScale::finish(ModuleOp planned) {
  if (isBegunPlan(planned)) {
    for (mlir::Diagnostic &diagnostic : said)
      planned.getContext()->getDiagEngine().emit(std::move(diagnostic));
    return begun.get();
  }
  auto input = lower(planned);
  if (!input)
    return input.error();
  if (begun.valid() && begunBitcode == input->bitcode &&
      begunEntries == input->entries)
    return begun.get();
  return compile(*input);
}

} // namespace karakal::driver
