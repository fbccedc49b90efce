// Passes from plugins.

#include "driver/pipeline/Plugins.h"
#include "driver/pipeline/RegisterAllPasses.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::driver {

Status loadPassPlugins(const std::vector<std::string> &files) {
  for (const std::string &file : files) {
    auto plugin = PassPlugin::load(file);
    if (!plugin)
      return makeFileError("E-driver-007", file,
                           "cannot load the plugin: " +
                               llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  return karakal::success();
}

Result<ExtraPasses> parseExtraPasses(const std::string &text) {
  registerTransformsPasses();
  registerAllPasses();
  ExtraPasses extra{"to-llvm", text};
  auto [name, rest] = StringRef(text).split(':');
  if (checkPassNames({name.str()}))
    extra = {name.str(), rest.str()};
  OpPassManager passes(ModuleOp::getOperationName());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (succeeded(parsePassPipeline(extra.pipeline, passes, stream)) &&
      passes.size() != 0)
    return extra;
  return makeError("E-driver-008", "'" + extra.pipeline +
                                       "' is not a list of passes: " +
                                       StringRef(problem).rtrim().str());
}

} // namespace karakal::driver
