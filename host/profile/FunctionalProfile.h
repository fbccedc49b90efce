// The functional profile.
//
// The functional profile of the paper's section 4.1 in its smallest form: how
// often each block of each function ran, how often each branch went to each
// successor, and the locality of each global. Everything else (executions,
// instructions, traffic of channels, accesses to globals and packets) follows
// from these counts and the program. It is computed when the profile is
// attached to the program as attributes (ir/dialect/ProfileAttributes.h).
//
// Profiles of several traces therefore merge by addition. A profile fits
// exactly those programs whose functions have the same blocks. The *shape* of a
// function is a hash of its operations, types and symbols. Names of values and
// source lines do not count.
//
// | id | error |
// |---|---|
// | E-host-007 | two profiles are of different programs |
// | E-host-008 | the profile is stale: the program has changed since |
// | E-host-009 | the text is not a profile as docs/profile.md defines it |

#ifndef KARAKAL_HOST_PROFILE_FUNCTIONALPROFILE_H
#define KARAKAL_HOST_PROFILE_FUNCTIONALPROFILE_H

#include "host/HostRunner.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::host {

struct FunctionCounts {
  std::string name;
  uint64_t shape = 0;
  /// Executions of each block while packets were processed.
  std::vector<uint64_t> blocks;
  /// Executions of each block by control calls after the first packet.
  std::vector<uint64_t> updates;
  /// For each block that ends in a branch with several successors, in order:
  /// how often each successor was taken.
  std::vector<std::vector<uint64_t>> branches;
  /// Of a look-up function: hits of caches of its results, as
  /// ir::lookupHitsOf.
  std::array<uint64_t, ir::localitySizes.size()> lookupHits{};
};

struct GlobalCounts {
  std::string name;
  uint64_t shape = 0; ///< hash of the type
  std::array<uint64_t, ir::localitySizes.size()> hits{};
  uint64_t extent = 0; ///< as in ir::GlobalProfile
};

struct Profile {
  std::string program;
  uint64_t traces = 0, received = 0;
  std::vector<FunctionCounts> functions;
  std::vector<GlobalCounts> globals;
};

/// Makes the profile of a run of `baker`, which was instrumented by
/// host/Instrument.h.
Profile makeProfile(mlir::ModuleOp baker, const HostRun &run);

/// Adds `other` to `profile`. E-host-007.
Status merge(Profile &profile, const Profile &other);

/// Sets the attributes of ir/dialect/ProfileAttributes.h on `baker`.
/// E-host-008.
Status annotate(mlir::ModuleOp baker, const Profile &profile);

/// Counts the events of a profiled run, for reports: `channel NAME`, `read
/// GLOBAL` and `write GLOBAL`. Events that never happened are left out.
Counts eventCounts(mlir::ModuleOp annotated);

/// Writes the text form, docs/profile.md.
std::string profileText(const Profile &profile);
/// Reads the text form; `path` names it in errors. E-host-009.
Result<Profile> parseProfile(const std::string &text, const std::string &path);

} // namespace karakal::host

#endif // KARAKAL_HOST_PROFILE_FUNCTIONALPROFILE_H
