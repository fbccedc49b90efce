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
#include "support/Error.h"
#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// Whose program a list of passes makes.
enum class CoreTarget { Me, XScale, Host };

/// "me", "xscale" or "host", as the passes' options spell it.
const char *coreTargetName(CoreTarget target);

/// Passes before the profile is taken: what every core's program shares.
void addSharedPasses(mlir::OpPassManager &passes);

/// Passes that decide, from the profile, which core runs what.
void addPlanPasses(mlir::OpPassManager &passes, double coldShare);

/// Passes that make one core's program in the LLVM dialect.
void addCorePasses(mlir::OpPassManager &passes, CoreTarget target);

/// The whole list for the chip, as text: the flags of all passes in order.
std::vector<std::string> passFlags(CoreTarget target);

/// Checks a list of flags against the order table; E-driver-001 names the two
/// passes and the reason.
Status checkOrder(const std::vector<std::string> &flags);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_H
