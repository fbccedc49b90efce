// Runs passes and reports their failures.

#include "driver/pipeline/RunPasses.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "support/Files.h"
#include "support/InternalError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <utility>
#include <vector>

using namespace mlir;

namespace karakal::driver {

namespace {

bool isTimed = false;

/// The state for the report of a wrong pass.
struct PassState {
  ModuleOp before;       ///< the module before all passes
  std::string pipeline;  ///< all passes, in baker-opt's syntax
  std::string pass;      ///< the pass that runs
  size_t errorCount = 0; ///< errors that it printed
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
  state.before.print(file, OpPrintingFlags().enableDebugInfo());
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

/// When the module is verified.
enum class Verify {
  AtEnd,   ///< once, after all passes: it takes a tenth of their time
  EachPass ///< tells which pass is at fault
};
#ifdef NDEBUG
Verify verifies = Verify::AtEnd;
#else
Verify verifies = Verify::EachPass;
#endif

/// Tracks which pass runs, and verifies its result if asked to.
class PassWatcher : public PassInstrumentation {
public:
  PassWatcher(PassState &state, Verify when) : state(state), when(when) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty()) // an adaptor; its passes follow
      return;
    state.pass = pass->getArgument().str();
    state.errorCount = 0;
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (when != Verify::EachPass || pass->getArgument().empty())
      return;
    KARAKAL_ASSERT(succeeded(verify(op)), "a pass left a module that does not "
                                          "verify");
  }

  void runAfterPassFailed(Pass *, Operation *) override {
    KARAKAL_ASSERT(state.errorCount != 0, "a pass failed without saying why");
  }

private:
  PassState &state;
  Verify when;
};

/// Prints a time as one text, because other threads print, too.
void printTime(StringRef kind, StringRef name, double seconds) {
  llvm::errs()
      << llvm::formatv("time-{0}: {1}: {2:f4} s\n", kind, name, seconds).str();
}

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
    printTime("passes", pass->getArgument(), taken.count());
  }

private:
  SmallVector<std::chrono::steady_clock::time_point> starts;
};

/// Where the module is written after each pass.
struct PassDump {
  std::string folder;
  std::string program;
  unsigned count = 0;
  std::vector<std::string> written;
  std::optional<Error> failure; ///< of the last file that was not written
};
PassDump passDump;

/// Writes the module after each pass. Passes over functions are one step, which
/// has the names of all of them.
class PassDumper : public PassInstrumentation {
public:
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isa<ModuleOp>(op)) {
      if (!llvm::is_contained(nested, pass->getArgument()))
        nested.push_back(pass->getArgument().str());
      return;
    }
    std::string name = pass->getArgument().empty()
                           ? llvm::join(std::exchange(nested, {}), "+")
                           : pass->getArgument().str();
    if (name.empty())
      return;
    std::string path =
        llvm::formatv("{0}/{1}-{2,0+2}-{3}.mlir", passDump.folder,
                      passDump.program, passDump.count++, name)
            .str();
    std::string text;
    llvm::raw_string_ostream out(text);
    op->print(out, OpPrintingFlags().enableDebugInfo().useLocalScope());
    if (Status written = writeFile(path, text); !written)
      passDump.failure = written.error();
    passDump.written.push_back(path);
  }

private:
  std::vector<std::string> nested;
};

} // namespace

void setPassDump(const std::string &folder) {
  passDump = {folder, "", 0, {}, {}};
}

bool isDumpingPasses() { return !passDump.folder.empty(); }

void beginPassDump(const std::string &name) {
  passDump.program = name;
  passDump.count = 0;
  std::vector<std::string> kept;
  for (const std::string &path : passDump.written)
    if (name == wholeProgram ||
        llvm::sys::path::filename(path).starts_with(name + "-"))
      llvm::sys::fs::remove(path);
    else
      kept.push_back(path);
  passDump.written = std::move(kept);
}

Status endPassDump() {
  if (passDump.failure)
    return *passDump.failure;
  return karakal::success();
}

void verifyEachPass() { verifies = Verify::EachPass; }

void setPassTiming(bool isWanted) { isTimed = isWanted; }

StageTime::~StageTime() {
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  if (isTimed)
    printTime("stages", stage, taken.count());
}

namespace {

using AddPasses = llvm::function_ref<void(OpPassManager &)>;

/// Runs passes over `module`, whose copy from before is in `state`.
LogicalResult run(ModuleOp module, AddPasses addPasses, PassState &state,
                  Verify when,
                  const std::optional<ir::PassCheckOptions> &check) {
  MLIRContext *context = module.getContext();
  PassManager passes(context);
  addPasses(passes);
  state.pipeline.clear();
  llvm::raw_string_ostream text(state.pipeline);
  passes.printAsTextualPipeline(text);

  passes.enableVerifier(
      false); // PassWatcher verifies, and knows which pass is at fault
  passes.addInstrumentation(std::make_unique<PassWatcher>(state, when));
  if (isTimed)
    passes.addInstrumentation(std::make_unique<PassTimer>());
  if (!passDump.folder.empty() && !passDump.program.empty())
    passes.addInstrumentation(std::make_unique<PassDumper>());
  if (check)
    passes.addInstrumentation(ir::createPassCheck(*check));
  ScopedDiagnosticHandler counter(context, [&](Diagnostic &diagnostic) {
    state.errorCount += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the next handler prints it
  });
  return passes.run(module);
}

/// Verifies `module` after all passes. If it is wrong, runs them again over the
/// module from before and verifies after each, which ends at the one at fault.
void verifyAtEnd(ModuleOp module, AddPasses addPasses, PassState &state) {
  LogicalResult verified = [&] {
    ScopedDiagnosticHandler quiet(module.getContext(),
                                  [](Diagnostic &) { return llvm::success(); });
    return verify(module);
  }();
  if (succeeded(verified))
    return;
  OwningOpRef<ModuleOp> again = state.before.clone();
  (void)run(*again, addPasses, state, Verify::EachPass, {});
  KARAKAL_UNREACHABLE("the passes left a module that does not verify, but not "
                      "when they ran again");
}

} // namespace

Status runPasses(ModuleOp module, AddPasses addPasses,
                 const std::optional<ir::PassCheckOptions> &check,
                 ModuleOp before) {
  OwningOpRef<ModuleOp> copy;
  if (!before)
    copy = module.clone();
  PassState state;
  state.before = before ? before : *copy;
  setInternalErrorContext([&] { return describe(state); });
  LogicalResult done = run(module, addPasses, state, verifies, check);
  if (succeeded(done) && verifies == Verify::AtEnd)
    verifyAtEnd(module, addPasses, state);
  setInternalErrorContext(nullptr);
  if (failed(done))
    return makeError("E-driver-002", "");
  return karakal::success();
}

} // namespace karakal::driver
