#include "ir/interp/PassCheck.h"
#include "ir/analysis/ConstantGlobals.h"
#include "ir/dialect/Layout.h"
#include "support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::ir {

namespace {

std::string describeEvent(const std::vector<Event> &events, size_t index) {
  return index < events.size() ? events[index].str() : "nothing";
}

} // namespace

std::string firstDifference(const RunResult &before, const RunResult &after) {
  bool isWhole = before.unknown.empty() && after.unknown.empty();
  size_t whole = std::min(before.packetCount, after.packetCount);
  for (size_t i = 0; i < std::max(before.events.size(), after.events.size());
       ++i) {
    std::string wanted = describeEvent(before.events, i);
    std::string found = describeEvent(after.events, i);
    if (wanted == found)
      continue;
    auto isCut = [&](const std::vector<Event> &events) {
      return i >= events.size() || events[i].input >= whole;
    };
    if (!isWhole && isCut(before.events) && isCut(after.events))
      return "";
    if (i < before.events.size() && before.events[i].isOutside())
      return ""; // and the globals may differ from here on
    return "before: " + wanted + "\n  after:  " + found;
  }
  KARAKAL_ASSERT(!isWhole || before.globals.size() == after.globals.size(),
                 "a pass keeps the words of global data");
  for (size_t i = 0; isWhole && i < before.globals.size(); ++i)
    if (before.globals[i] != after.globals[i])
      return "word " + std::to_string(i) +
             " of global data\n  before: " + std::to_string(before.globals[i]) +
             "\n  after:  " + std::to_string(after.globals[i]);
  return "";
}

namespace {

class PassCheck : public PassInstrumentation {
public:
  explicit PassCheck(const PassCheckOptions &options) : options(options) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module) {
      nested = pass->getArgument().str(); // its adaptor has no name
      return;
    }
    if (stimuli.empty())
      makeStimuli(module);
    // This pass gets the module that the pass before it left.
    if (results.empty())
      results = runAll(module);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      return;
    std::string name = pass->getArgument().str();
    if (name.empty())
      name = nested;
    std::vector<RunResult> before = std::move(results);
    results.clear();
    // By design, the code of baker-make-caches may use stale values, and copies
    // that the XScale core has to fill first.
    if (name == "baker-lower-channels" || name == "baker-to-llvm" ||
        name == "baker-make-caches" || module.getOps<func::FuncOp>().empty()) {
      log(name, "not compared");
      return;
    }
    results = runAll(module);
    compare(name, before, results);
  }

private:
  /// All runs but the last begin with the tables that the control calls set up.
  /// The last one begins with random global data.
  void makeStimuli(ModuleOp module) {
    std::vector<uint32_t> tables;
    if (!options.inputs.calls.empty()) {
      RunResult set = callControl(module, options.inputs.calls);
      if (set.unknown.empty())
        tables = std::move(set.globals);
      else
        log("tables", "not set: " + set.unknown);
    }
    for (size_t i = 0; i < options.runCount; ++i) {
      stimuli.push_back(makeStimulus(module, options.inputs, options.seed + i,
                                     options.packetCount));
      if (!tables.empty() && i + 1 < options.runCount)
        stimuli.back().globals = tables;
      setConstants(module, stimuli.back().globals);
    }
  }

  /// Gives constant globals their initial values.
  static void setConstants(ModuleOp module, std::vector<uint32_t> &globals) {
    size_t next = 0;
    for (auto global : module.getOps<GlobalOp>()) {
      std::vector<uint32_t> words = initialWords(global);
      if (isConstantGlobal(global) && next + words.size() <= globals.size())
        llvm::copy(words, globals.begin() + next);
      next += words.size();
    }
  }

  std::vector<RunResult> runAll(ModuleOp module) {
    std::vector<RunResult> all;
    for (const Stimulus &stimulus : stimuli)
      all.push_back(interpret(module, stimulus));
    return all;
  }

  void compare(const std::string &name, ArrayRef<RunResult> before,
               ArrayRef<RunResult> after) {
    KARAKAL_ASSERT(before.size() == after.size() &&
                       after.size() == stimuli.size(),
                   "one run of each stimulus before and after a pass");
    size_t packets = 0;
    llvm::BitVector reached(after.empty() ? 0 : after.front().reached.size());
    for (auto [index, pair] : llvm::enumerate(llvm::zip(before, after))) {
      const auto &[was, is] = pair;
      std::string difference = firstDifference(was, is);
      KARAKAL_ASSERT(
          difference.empty(),
          "the pass " + name + " changes what the program does (seed " +
              std::to_string(options.seed + index) + "):\n  " + difference);
      packets += std::min(was.packetCount, is.packetCount);
      reached |= is.reached;
    }
    std::string unknown = after.empty() ? "" : after.front().unknown;
    size_t all = std::max<size_t>(reached.size(), 1);
    log(name, "the same for " + std::to_string(packets) + " packets, " +
                  std::to_string(reached.count()) + " of " +
                  std::to_string(reached.size()) + " blocks (" +
                  std::to_string(100 * reached.count() / all) + " %)" +
                  (unknown.empty() ? "" : "; not completed: " + unknown));
  }

  void log(StringRef name, const std::string &what) {
    if (options.isVerbose && !name.empty())
      llvm::errs() << "check-passes: " << name << ": " << what << "\n";
  }

  PassCheckOptions options;
  std::vector<Stimulus> stimuli;
  std::vector<RunResult> results;
  std::string nested;
};

} // namespace

std::unique_ptr<PassInstrumentation>
createPassCheck(const PassCheckOptions &options) {
  return std::make_unique<PassCheck>(options);
}

} // namespace karakal::ir
