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
  input.hashMultiplier = ir::ownHashMultiplierOf(planned);
  return input;
}

Result<XScaleCode> EarlyXScale::compile(Input &input) const {
  return compileForXScale(*input.core.module, input.entries,
                          options.pipeline.level, cacheFolder,
                          input.hashMultiplier);
}

std::shared_future<Result<XScaleCode>> EarlyXScale::start(Input input) const {
  // LLVM's list of targets has no lock.
  codegen::registerTarget();
  registerXScaleTarget();
  return std::async(
             std::launch::async,
             [this](Input input) {
               StageTime time("xscale-early");
               return compile(input);
             },
             std::move(input))
      .share();
}

EarlyXScale::Begun *EarlyXScale::findPlan(ModuleOp planned) {
  auto found = llvm::find_if(begun, [&](Begun &one) {
    return OperationEquivalence::isEquivalentTo(
        *one.plan, planned, OperationEquivalence::IgnoreLocations);
  });
  return found == begun.end() ? nullptr : &*found;
}

EarlyXScale::Begun *EarlyXScale::findInput(const Input &input) {
  auto found = llvm::find_if(begun, [&](const Begun &one) {
    return one.bitcode == input.bitcode && one.entries == input.entries;
  });
  return found == begun.end() ? nullptr : &*found;
}

void EarlyXScale::begin(ModuleOp planned) {
  if (threadCount() == 1 || !options.dumpPasses.empty() || findPlan(planned))
    return;
  Begun next;
  next.plan = planned.clone();
  auto input = [&] {
    // What there is to say of the last plan is said at its end.
    ScopedDiagnosticHandler hold(planned.getContext(),
                                 [&](mlir::Diagnostic &diagnostic) {
                                   next.said.push_back(std::move(diagnostic));
                                   return llvm::success();
                                 });
    return lower(planned);
  }();
  if (!input)
    return;
  next.bitcode = input->bitcode;
  next.entries = input->entries;
  Begun *same = findInput(*input);
  next.code = same ? same->code : start(std::move(*input));
  begun.push_back(std::move(next));
}

Result<XScaleCode> EarlyXScale::finish(ModuleOp planned) {
  if (Begun *found = findPlan(planned)) {
    for (mlir::Diagnostic &diagnostic : found->said)
      planned.getContext()->getDiagEngine().emit(std::move(diagnostic));
    return found->code.get();
  }
  auto input = lower(planned);
  if (!input)
    return input.error();
  if (Begun *found = findInput(*input))
    return found->code.get();
  return compile(*input);
}

} // namespace karakal::driver
