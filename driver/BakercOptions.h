// The options of the command line that the compiler's stages do not see.

#ifndef KARAKAL_DRIVER_BAKERCOPTIONS_H
#define KARAKAL_DRIVER_BAKERCOPTIONS_H

#include "codegen-x86/Specialization.h"
#include "codegen-x86/model/RateModel.h"
#include "driver/pipeline/Options.h"

namespace karakal::driver {

/// What the model of rates chooses, and from what.
struct BatchingRequest {
  /// Whether it chooses the burst, the sub-batch and the cuts.
  bool modelBurst = false, modelSubBatch = false, modelCuts = false;
  /// The file with the machine's figures; empty: that of this machine.
  std::string machine;
  /// Where to write measured and modelled rates of the grid; empty: nowhere.
  std::string sweep;
  /// What it may not change.
  x86::Asked asked = {};

  bool usesModel() const {
    return modelBurst || modelSubBatch || modelCuts || !sweep.empty();
  }
};

/// The options of one run of bakerc.
struct BakercOptions : Options {
  /// Threads that compile; 0: as many as the machine has cores. The result is
  /// the same with any number.
  unsigned threads = 0;
  /// The folder with the XScale core's code of earlier runs, or empty.
  std::string cacheFolder;
  /// A second output file, for the microcode in Intel's syntax; empty: none.
  std::string asmOutput;
  BatchingRequest batching;
  /// Whether `--burst` or `--sub-batch` is given.
  bool hasBatching = false;
  /// The globals at whose loads packets wait; empty: the large ones, or those
  /// that the model chooses.
  std::vector<std::string> cuts;
  /// Measures this machine instead of compiling.
  bool calibrate = false;
  /// Which bursts specialization observes.
  x86::SampleOptions sample = {};
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_BAKERCOPTIONS_H
