// The order of the passes.
//
// The compiler's middle as one table: what runs once over a program, then what
// runs over each core's copy of it; from which level on, and why. The order is
// checked against a second table of what must come before what.

#ifndef KARAKAL_DRIVER_PIPELINE_PIPELINE_H
#define KARAKAL_DRIVER_PIPELINE_PIPELINE_H

#include "driver/pipeline/Level.h"
#include "ir/dialect/Enums.h"
#include "ir/interp/Stimulus.h"
#include "mlir/Pass/PassManager.h"
#include "support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace karakal::driver {

/// Passes that are not in the table, such as a plugin's.
struct ExtraPasses {
  /// The row before whose place they run, over the microengines' program.
  std::string before;
  /// As `--pass-pipeline` of baker-opt takes it, without the anchor.
  std::string pipeline;
};

/// What the command line says about passes.
struct PipelineOptions {
  Level level = Level::Swc;
  /// Share of received packets below which a PPF is cold.
  double coldShare = 0.001;
  /// Microengines for the program; 0: all that the chip has for it.
  unsigned engineCount = 0;
  /// File with the part of the mapping that is fixed; empty: none.
  std::string mapping;
  /// PPFs that this file puts on the XScale core.
  std::vector<std::string> mappedXScale;
  /// The XScale core can stop and start engines.
  bool isStoppable = false;
  /// Contexts of an engine that it gives to aggregates.
  std::map<std::string, uint32_t> mappedContexts;
  /// Words of generated code for one of the estimate of sizes.
  double wordsScale = 1;
  /// The aggregate whose program is made; empty: all of the engines' PPFs.
  std::string aggregate;
  /// Stale packets a packet that caches may cause (equation 2).
  double maxErrorRate = 1e-3;
  /// Whether results of look-ups are kept.
  bool cacheLookups = true;
  bool cacheArrays = true;
  /// Names of passes that do not run.
  std::vector<std::string> disabled;
  std::vector<ExtraPasses> extra;
  /// Packets on which a program is run before and after each pass of the
  /// microengines (ir/interp/PassCheck.h); 0: it is not.
  size_t checkedPackets = 0;
  /// Traffic and tables for that run; made from random numbers if empty.
  ir::CheckInputs checkInputs;
};

/// What a row of the table makes passes for.
enum class Stage {
  Program,   ///< once, over the whole program; all cores must agree on it
  Engines,   ///< over the microengines' program
  XScale,    ///< over the XScale core's program
  EveryCore, ///< over the program of each core, the host's as well
};

/// One row: a pass, or a few that only make sense together.
struct PassRow {
  /// What `--disable-pass` and `--explain` call it: its flag without "baker-".
  const char *name;
  Stage stage;
  /// The first level at which it runs.
  Level from;
  /// Whether no program can be compiled without it.
  bool isNeeded;
  /// Why it stands here, and what it is good for.
  const char *reason;
  void (*add)(mlir::OpPassManager &, ir::Core, const PipelineOptions &);
};

/// All rows in the order in which they run.
llvm::ArrayRef<PassRow> passTable();

/// E-driver-005 if a name is not one of the table's.
Status checkPassNames(const std::vector<std::string> &names);
/// Also E-driver-006 if no program can be compiled without the pass.
Status checkCanBeDisabled(const std::vector<std::string> &names);

/// Passes over the whole program. The profile, if there is one, has been taken.
void addProgramPasses(mlir::OpPassManager &passes,
                      const PipelineOptions &options);

/// Passes that make one core's program in the LLVM dialect.
void addCorePasses(mlir::OpPassManager &passes, ir::Core core,
                   const PipelineOptions &options);

/// The whole list as text: the flags of all passes in order.
std::vector<std::string> passFlags(ir::Core core,
                                   const PipelineOptions &options = {});

/// Checks a list of flags against the order table; E-driver-001 names the two
/// passes and the reason.
Status checkOrder(const std::vector<std::string> &flags);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_PIPELINE_H
