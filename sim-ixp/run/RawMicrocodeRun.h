// Runs raw microcode on a bare chip.
//
// Runs control stores of any origin, given as files of 5-byte big-endian words,
// one per engine, on a chip with zeroed memories and without core. All contexts
// start at word 0. The run ends when every context has stopped or sleeps for
// good, or after `maxCycles`.
//
// With traffic the chip has ports. The media interface is set up as for an
// image: elements of 64 bytes, all receive elements free, the transmit buffer
// divided into a partition for each port, all channels enabled. Then the run
// also ends when the trace is received and no frame moves any more.

#ifndef KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H
#define KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H

#include "sim-ixp/media/TrafficSource.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// A control store's contents for one engine.
struct RawImage {
  uint32_t engine = 0;
  std::vector<uint64_t> words;
};

/// Options of a raw run.
struct RawOptions {
  target::ChipParameters parameters;
  std::vector<RawImage> images;
  /// Contexts of each engine, 0 = all.
  uint32_t threads = 0;
  uint64_t seed = 1;
  /// Cycles after which the run ends; 0 = 1,000,000, or with traffic never.
  uint64_t maxCycles = 0;
  /// Packets that arrive; without them the chip has no ports.
  std::optional<std::vector<traces::Packet>> trace;
  TrafficOptions traffic;
  /// With traffic that is not yet received, a run in which no frame moves for
  /// so many cycles fails.
  uint64_t stallCycles = 2000000;
  /// A hazard ends the run.
  bool strict = false;
};

/// Reads the words of a file. Errors: E-sim-ixp-013 (the file is empty or its
/// size is not a multiple of 5 bytes), E-support-001.
Result<std::vector<uint64_t>> readRawWords(const std::string &path);

/// Reads "ENGINE:FILE". Errors: E-sim-ixp-014 (not of that form, or no such
/// engine), and those of readRawWords.
Result<RawImage> readRawImage(const std::string &assignment,
                              uint64_t engineCount);

/// What a raw run leaves.
struct RawResult {
  /// `cycles`, `ended` ("stopped", "asleep", "traffic" or "cycles"), `units`
  /// and `microengines`, as in docs/statistics.md.
  nlohmann::json statistics;
  /// Frames in the order in which they left.
  std::vector<SentFrame> frames;
};

/// Runs the images. Errors: E-sim-ixp-012 (too many words), 014 (two images for
/// one engine), 030 (a fault), 031 (the program does not take its packets).
Result<RawResult> runRaw(const RawOptions &options);

/// The statistics of a raw run as a table.
std::string describeRaw(const nlohmann::json &stats);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_RAWMICROCODERUN_H
