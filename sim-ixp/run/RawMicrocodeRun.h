// Raw microcode images on a bare chip.
//
// Runs what no compiler of ours made: control stores as files of 5-byte
// big-endian words, one an engine, on a chip whose memories are zero, without
// ports and without core. All contexts start at word 0. The run is over when
// every context has stopped or sleeps for good, or after `maxCycles`.

#ifndef KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H
#define KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H

#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

/// A control store's contents for one engine.
struct RawImage {
  uint32_t engine = 0;
  std::vector<uint64_t> words;
};

/// What a raw run is asked for.
struct RawOptions {
  target::ChipParameters parameters;
  std::vector<RawImage> images;
  /// Contexts of each engine, 0 = all.
  uint32_t threads = 0;
  uint64_t seed = 1;
  /// Cycles after which the run ends; 0 = 1,000,000.
  uint64_t maxCycles = 0;
  /// A hazard ends the run.
  bool strict = false;
};

/// The words of a file of 5-byte big-endian words. Errors: E-sim-ixp-013 (its
/// size is no multiple of 5, or it is empty), E-support-001.
Result<std::vector<uint64_t>> readRawWords(const std::string &path);

/// Reads "ENGINE:FILE". Errors: E-sim-ixp-014 (not of that form, no such
/// engine), and those of readRawWords.
Result<RawImage> readRawImage(const std::string &assignment,
                              uint64_t engineCount);

/// Runs and gives the statistics: `cycles`, `ended` ("stopped", "asleep" or
/// "cycles"), `units` and `microengines` as docs/statistics.md describes them.
/// Errors: E-sim-ixp-012 (too many words), 014 (an engine twice), 030 (a
/// fault).
Result<nlohmann::json> runRaw(const RawOptions &options);

/// The statistics of a raw run as a table.
std::string describeRaw(const nlohmann::json &stats);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H
