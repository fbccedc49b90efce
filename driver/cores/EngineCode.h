// The microcode of one aggregate.
//
// Each aggregate of a planned program is compiled separately. Its PPFs are
// extracted, lowered to LLVM IR, linked with the packet primitives, optimized
// and compiled to instruction words.

#ifndef KARAKAL_DRIVER_CORES_ENGINECODE_H
#define KARAKAL_DRIVER_CORES_ENGINECODE_H

#include "driver/pipeline/CoreProgram.h"
#include "driver/pipeline/Options.h"
#include "ir/dialect/Attributes.h"
#include "target-ixp/image/Microcode.h"
#include "llvm/Support/ThreadPool.h"
#include <list>
#include <memory>
#include <vector>

namespace karakal::driver {

/// One aggregate: its name, its engines and its code.
struct AggregateCode {
  /// Code that uses a next-neighbour ring for the aggregate's input, its output
  /// to the next aggregate, or both; or the same code, or that of the aggregate
  /// itself, without caches (driver/cores/Variants.h).
  struct Variant {
    bool takes = false, puts = false;
    target::Microcode code;
    bool isPlain = false; ///< without caches
    /// The name of the microcode in the image.
    std::string nameIn(const std::string &aggregate) const {
      return aggregate + (takes ? ".takes" : "") + (puts ? ".puts" : "") +
             (isPlain ? ".plain" : "");
    }
  };

  ir::AggregatePlan plan;
  target::Microcode code;
  std::vector<Variant> variants;
  /// Contexts of each engine that run it, 0 = all.
  uint32_t contexts = 0;
  /// Operations of rare paths that could be copied (CoreProgram).
  unsigned uncopied = 0;
};

/// Makes the LLVM IR of one aggregate, linked and optimized.
Result<CoreProgram> makeEngineIr(mlir::ModuleOp planned,
                                 const std::string &aggregate,
                                 const Options &options);

/// Compiles one aggregate. Errors: those of the passes and of the code
/// generator; if the code is too large, the error's resource is
/// Resource::ControlStore.
Result<target::Microcode> compileEngine(mlir::ModuleOp planned,
                                        const std::string &aggregate,
                                        const Options &options);

/// Compiles all aggregates of plans. With several threads it can begin the
/// code of a plan that is likely to be asked for while another is compiled.
class EngineCompiler {
public:
  explicit EngineCompiler(const Options &options);
  ~EngineCompiler();

  /// Compiles the aggregates, in the plan's order, without variants. Calls
  /// `meanwhile`, which may begin other plans, before it waits for the code.
  Result<std::vector<AggregateCode>>
  compile(mlir::ModuleOp planned, const Options &options,
          llvm::function_ref<void()> meanwhile = {});

  /// Whether begin() does something: not with one thread, nor if what passes
  /// leave is written or checked, because a plan may be begun in vain.
  bool canBegin() const { return canBeginPlans; }
  /// Begins the code of a plan. What its passes report is said when compile()
  /// asks for the same plan.
  void begin(mlir::ModuleOp planned, const Options &options);

private:
  struct Begun;
  Begun lower(mlir::ModuleOp planned, const Options &options);

  bool isParallel, canBeginPlans;
  std::list<Begun> begun;
  /// Waits for its tasks before what they work on goes.
  std::unique_ptr<llvm::ThreadPoolInterface> pool;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_ENGINECODE_H
