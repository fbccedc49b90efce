// Programs for bakersw: compiled in process.

#ifndef KARAKAL_DRIVER_SWITCHPROGRAM_H
#define KARAKAL_DRIVER_SWITCHPROGRAM_H

#include "codegen-x86/LiveProgram.h"
#include <memory>
#include <string>
#include <vector>

namespace karakal::driver {

/// How a program is compiled for a switch.
struct SwitchRequest {
  std::vector<std::string> sources, importFolders;
  /// The secret that chooses the multiplier of hashes; empty: a new one of the
  /// system's randomness.
  std::string hashKey;
  uint32_t cores = 1;
  uint32_t subBatch = 1; ///< more than 1: with code for batches
  x86::SpecializeWhen specialize = x86::SpecializeWhen::Never;
  x86::SampleOptions sample;
};

/// Compiles and initializes a program. An error with an empty message has been
/// printed already.
Result<std::unique_ptr<x86::LiveProgram>>
makeSwitchProgram(const SwitchRequest &request);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_SWITCHPROGRAM_H
