// Which pass is blamed for a module that does not verify.

#include "driver/pipeline/RunPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace karakal;

namespace {

/// Removes the return of every function if it is named `breaks-module`.
class SomePass : public PassWrapper<SomePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SomePass)

  explicit SomePass(StringRef name) : name(name) {}
  StringRef getArgument() const final { return name; }
  StringRef getName() const final { return name; }
  std::unique_ptr<Pass> clonePass() const final {
    return std::make_unique<SomePass>(name);
  }
  void runOnOperation() final {
    if (name == "breaks-module")
      getOperation().walk([](func::ReturnOp op) { op.erase(); });
  }

private:
  StringRef name;
};

class RunPasses : public testing::Test {
protected:
  RunPasses() {
    context.loadDialect<func::FuncDialect>();
    module = parseSourceString<ModuleOp>("func.func @f() { return }", &context);
  }
  Status run(std::vector<StringRef> names, ModuleOp before = {}) {
    return driver::runPasses(
        *module,
        [&](OpPassManager &passes) {
          for (StringRef name : names)
            passes.addPass(std::make_unique<SomePass>(name));
        },
        {}, before);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RunPasses, CorrectPassesSucceed) {
  EXPECT_TRUE(bool(run({"first", "last"})));
}

TEST_F(RunPasses, APassBeforeOthersIsBlamed) {
  EXPECT_EXIT((void)run({"first", "breaks-module", "last"}),
              testing::ExitedWithCode(3),
              "a pass left a module that does not verify(.|\n)*while running "
              "the pass breaks-module");
}

TEST_F(RunPasses, PassesRunAgainOverTheModuleThatTheCallerKeeps) {
  OwningOpRef<ModuleOp> kept = module->clone();
  EXPECT_EXIT((void)run({"breaks-module", "last"}, *kept),
              testing::ExitedWithCode(3),
              "a pass left a module that does not verify(.|\n)*while running "
              "the pass breaks-module");
}

} // namespace
