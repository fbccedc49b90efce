// The functional profile.
//
// What section 4.1 of the paper calls the functional profile, in the smallest
// form: how often each block of each function ran, which way each branch went,
// and the locality of each global. Everything else (executions, instructions,
// traffic of channels, accesses of globals and packets) follows from the
// blocks' counts and the program, and is computed when the profile is put on
// the program as attributes (ir/dialect/ProfileAttributes.h).
//
// So profiles of several traces merge by adding, and a profile fits exactly
// those programs whose functions have the same blocks. A function's *shape* is
// a hash of its operations, types and symbols; names of values and lines of
// the source do not count.
//
// | id | why |
// |---|---|
// | E-host-007 | two profiles are of different programs |
// | E-host-008 | the profile is stale: the program has changed since |
// | E-host-009 | the profile's text is not as docs/profile.md says |

#ifndef KARAKAL_HOST_FUNCTIONALPROFILE_H
#define KARAKAL_HOST_FUNCTIONALPROFILE_H

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
  /// Of each block that ends in a branch with several successors, in order:
  /// times that each successor was taken.
  std::vector<std::vector<uint64_t>> branches;
  /// Of a look-up: as ir::lookupHitsOf.
  std::array<uint64_t, ir::localitySizes.size()> answers{};
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

/// The profile of a run of `baker`, instrumented by host/Instrument.h.
Profile makeProfile(mlir::ModuleOp baker, const HostRun &run);

/// Adds `other` to `profile`. E-host-007.
Status merge(Profile &profile, const Profile &other);

/// Sets the attributes of ir/dialect/ProfileAttributes.h on `baker`.
/// E-host-008.
Status annotate(mlir::ModuleOp baker, const Profile &profile);

/// What a profiled program's packets did, for reports: `channel NAME`,
/// `read GLOBAL` and `write GLOBAL`, without those that never happened.
Counts eventCounts(mlir::ModuleOp annotated);

/// The text form, docs/profile.md.
std::string profileText(const Profile &profile);
/// Reads the text form; `path` names it in errors. E-host-009.
Result<Profile> parseProfile(const std::string &text, const std::string &path);

} // namespace karakal::host

#endif // KARAKAL_HOST_FUNCTIONALPROFILE_H
