// Runs passes and reports their failures.

#include "driver/pipeline/RunPasses.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "support/InternalError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace karakal::driver {

namespace {

bool isTimed = false;

/// The state for the report of a wrong pass.
struct PassState {
  OwningOpRef<ModuleOp> before; ///< the module before all passes
  std::string pipeline;         ///< all passes, in baker-opt's syntax
  std::string pass;             ///< the pass that runs
  size_t errorCount = 0;        ///< errors that it printed
};

/// Writes the module and the command that reproduces the failure to a file.
/// Returns its path, or an empty string.
std::string writeReproducer(PassState &state) {
  SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("karakal", "mlir", descriptor, path))
    return "";
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  file << "// baker-opt --pass-pipeline='" << state.pipeline << "' " << path
       << "\n";
  state.before->print(file, OpPrintingFlags().enableDebugInfo());
  file << "\n";
  return path.str().str();
}

/// The lines about passes in the report of an internal error.
std::string describe(PassState &state) {
  std::string text = "while running the pass " + state.pass + "\n";
  std::string path = writeReproducer(state);
  if (!path.empty())
    text += "please also send " + path + ", which reproduces it with\n  " +
            "baker-opt --pass-pipeline='" + state.pipeline + "' " + path + "\n";
  return text;
}

/// Tracks which pass runs, and verifies its result.
class PassWatcher : public PassInstrumentation {
public:
  explicit PassWatcher(PassState &state) : state(state) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty()) // an adaptor; its passes follow
      return;
    state.pass = pass->getArgument().str();
    state.errorCount = 0;
  }

  void runAfterPass(Pass *, Operation *op) override {
    KARAKAL_ASSERT(succeeded(verify(op)), "a pass left a module that does not "
                                          "verify");
  }

  void runAfterPassFailed(Pass *, Operation *) override {
    KARAKAL_ASSERT(state.errorCount != 0, "a pass failed without saying why");
  }

private:
  PassState &state;
};

/// Prints the wall time of each pass.
class PassTimer : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      starts.push_back(std::chrono::steady_clock::now());
  }

  void runAfterPass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty()) // an adaptor; its passes are printed
      return;
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - starts.pop_back_val();
    llvm::errs() << "time-passes: " << pass->getArgument() << ": "
                 << llvm::format("%.4f", taken.count()) << " s\n";
  }

private:
  SmallVector<std::chrono::steady_clock::time_point> starts;
};

} // namespace

void setPassTiming(bool isWanted) { isTimed = isWanted; }

StageTime::~StageTime() {
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  if (isTimed)
    llvm::errs() << "time-stages: " << stage << ": "
                 << llvm::format("%.4f", taken.count()) << " s\n";
}

Status runPasses(ModuleOp module,
                 llvm::function_ref<void(OpPassManager &)> addPasses,
                 const std::optional<ir::PassCheckOptions> &check) {
  MLIRContext *context = module.getContext();
  PassManager passes(context);
  addPasses(passes);
  PassState state;
  state.before = module.clone();
  llvm::raw_string_ostream text(state.pipeline);
  passes.printAsTextualPipeline(text);

  passes.enableVerifier(
      false); // PassWatcher verifies, and knows which pass is at fault
  passes.addInstrumentation(std::make_unique<PassWatcher>(state));
  if (isTimed)
    passes.addInstrumentation(std::make_unique<PassTimer>());
  if (check)
    passes.addInstrumentation(ir::createPassCheck(*check));
  ScopedDiagnosticHandler counter(context, [&](Diagnostic &diagnostic) {
    state.errorCount += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the next handler prints it
  });
  setInternalErrorContext([&] { return describe(state); });
  LogicalResult done = passes.run(module);
  setInternalErrorContext(nullptr);
  if (failed(done))
    return makeError("E-driver-002", "");
  return karakal::success();
}

} // namespace karakal::driver
