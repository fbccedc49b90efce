//===- Pipeline.h - the order of the passes --------------------*- C++ -*-===//
//
// The compiler's middle as two lists: what runs once over a program, and what
// runs over each core's copy of it. Both are checked against a table of what
// must come before what.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_DRIVER_PIPELINE_H
#define KARAKAL_DRIVER_PIPELINE_H

#include "driver/Level.h"
#include "mlir/Pass/PassManager.h"
#include "support/Error.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// Whose program a list of passes makes.
enum class CoreTarget { Me, XScale, Host };

/// "me", "xscale" or "host", as the passes' options spell it.
const char *coreTargetName(CoreTarget target);

/// Passes over the whole program: what all cores must agree on, and which
/// core runs what. The profile, if there is one, has been taken.
void addProgramPasses(mlir::OpPassManager &passes, double coldShare);

/// Passes that make one core's program in the LLVM dialect. The packet
/// optimizations of `level` run over a microengine's program alone.
void addCorePasses(mlir::OpPassManager &passes, CoreTarget target, Level level);

/// The whole list as text: the flags of all passes in order.
std::vector<std::string> passFlags(CoreTarget target, Level level);

/// Checks a list of flags against the order table; E-driver-001 names the two
/// passes and the reason.
Status checkOrder(const std::vector<std::string> &flags);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_H
