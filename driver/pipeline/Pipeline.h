// The order of the passes.
//
// One table lists the passes between the front end and LLVM: those that run
// once over the program, then those that run over each core's copy of it. A row
// has the first level of the pass and the reason for its position. A second
// table of ordering rules checks the first.

#ifndef KARAKAL_DRIVER_PIPELINE_PIPELINE_H
#define KARAKAL_DRIVER_PIPELINE_PIPELINE_H

#include "driver/pipeline/Level.h"
#include "ir/dialect/Enums.h"
#include "ir/interp/Stimulus.h"
#include "mlir/Pass/PassManager.h"
#include "support/Error.h"
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace karakal::driver {

/// Passes that are not in the table, such as a plugin's.
struct ExtraPasses {
  /// The row before which they run, over the microengines' program.
  std::string before;
  /// The argument of `--pass-pipeline` of baker-opt, without the anchor.
  std::string pipeline;
};

/// The options of passes on the command line.
struct PipelineOptions {
  Level level = Level::Swc;
  /// Share of received packets below which a PPF is rare.
  double coldShare = 0.001;
  /// Rare PPFs that stay on the engines, most packets first.
  unsigned rareOnEngines = std::numeric_limits<unsigned>::max();
  /// Most operations of copied paths in the code of rare PPFs.
  unsigned rareCopies = 0;
  /// Packets a second that channels towards the XScale core pass: PACKETS for
  /// each, CHANNEL=PACKETS for one; none: no limits.
  std::vector<std::string> puntRates;
  /// Microengines for the program; 0: all that the chip has for it.
  unsigned engineCount = 0;
  /// File with the part of the mapping that is fixed; empty: none.
  std::string mapping;
  /// PPFs that the mapping file puts on the XScale core.
  std::vector<std::string> mappedXScale;
  /// The XScale core can stop and start engines.
  bool isStoppable = false;
  /// Tx sends packets in the order in which Rx received them.
  bool keepsOrder = true;
  /// The contexts per engine of aggregates, from the mapping file.
  std::map<std::string, uint32_t> mappedContexts;
  /// Words of generated code per word of the size estimate, which knows nothing
  /// of later passes. The code of the three applications has 0.25 to 0.65.
  double wordsScale = 0.55;
  /// The aggregate whose program is made; empty: all PPFs of the engines.
  std::string aggregate;
  /// The share of packets that may use stale cached values (equation 2).
  double maxErrorRate = 1e-3;
  /// Before an update by a control function, the XScale core gives the engines
  /// code without caches.
  bool exchangesCode = false;
  /// Whether look-up caches are made.
  bool cacheLookups = true;
  /// Whether arrays have cache lines.
  bool cacheArrays = true;
  /// Names of passes that do not run.
  std::vector<std::string> disabled;
  std::vector<ExtraPasses> extra;
  /// The number of packets for the pass check (ir/interp/PassCheck.h) of the
  /// microengines' passes; 0: no check.
  size_t checkedPackets = 0;
  /// Traffic and tables for the pass check; random if empty.
  ir::CheckInputs checkInputs;
};

/// The program that a row's passes run over.
enum class Stage {
  Program,   ///< once, over the whole program; all cores must agree on it
  Engines,   ///< over the microengines' program
  XScale,    ///< over the XScale core's program
  EveryCore, ///< over the program of each core, the host's as well
};

/// One row: a pass, or several that depend on each other.
struct PassRow {
  /// The name for `--disable-pass` and `--explain`: its flag without "baker-".
  const char *name;
  Stage stage;
  /// The first level at which it runs.
  Level from;
  /// Whether the pass cannot be disabled.
  bool isNeeded;
  /// The reason for its position in the order.
  const char *reason;
  void (*add)(mlir::OpPassManager &, ir::Core, const PipelineOptions &);
};

/// Returns all rows in the order in which they run.
llvm::ArrayRef<PassRow> passTable();

/// Checks that all names are in the table. E-driver-005.
Status checkPassNames(const std::vector<std::string> &names);
/// Also checks that the passes can be disabled. E-driver-006.
Status checkCanBeDisabled(const std::vector<std::string> &names);

/// Adds the passes over the whole program. The program already has its profile,
/// if there is one.
/// By default all run; otherwise those after the row `after`, up to the row
/// `last`.
void addProgramPasses(mlir::OpPassManager &passes,
                      const PipelineOptions &options,
                      llvm::StringRef after = "", llvm::StringRef last = "");

/// Adds the passes that turn a copy of the program into one core's program in
/// the LLVM dialect.
void addCorePasses(mlir::OpPassManager &passes, ir::Core core,
                   const PipelineOptions &options);

/// Returns the flags of all passes for `core` in order.
std::vector<std::string> passFlags(ir::Core core,
                                   const PipelineOptions &options = {});

/// Checks a list of flags against the ordering rules. E-driver-001 names the
/// two passes and the reason.
Status checkOrder(const std::vector<std::string> &flags);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_PIPELINE_H
