// Passes from plugins.
//
// A plugin is a shared library with MLIR's entry point `mlirGetPassPluginInfo`
// (mlir/Tools/Plugins/PassPlugin.h). docs/writing-a-pass.md shows one.

#ifndef KARAKAL_DRIVER_PIPELINE_PLUGINS_H
#define KARAKAL_DRIVER_PIPELINE_PLUGINS_H

#include "driver/pipeline/Pipeline.h"
#include "support/Error.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// Loads the plugins and registers their passes. E-driver-007 if a file is not
/// a plugin.
Status loadPassPlugins(const std::vector<std::string> &files);

/// Parses the argument of `--run-pass`: `PIPELINE`, or `NAME:PIPELINE` to run
/// it before the pass NAME of the table instead of before to-llvm. E-driver-008
/// if it is not a pipeline of registered passes.
Result<ExtraPasses> parseExtraPasses(const std::string &text);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_PLUGINS_H
