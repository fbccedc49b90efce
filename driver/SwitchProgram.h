// Programs for bakersw: compiled in process.

#ifndef KARAKAL_DRIVER_SWITCHPROGRAM_H
#define KARAKAL_DRIVER_SWITCHPROGRAM_H

#include "codegen-x86/LiveProgram.h"
#include <memory>

namespace karakal::driver {

/// Compiles and initializes the program of `sources` for a number of cores,
/// with code for batches if `subBatch` is more than 1. The secret `hashKey`
/// chooses the multiplier of hashes; empty: a new one of the system's
/// randomness. An error with an empty message has been printed already.
Result<std::unique_ptr<x86::LiveProgram>>
makeSwitchProgram(const std::vector<std::string> &sources,
                  const std::vector<std::string> &importFolders,
                  const std::string &hashKey, uint32_t cores, uint32_t subBatch,
                  x86::SpecializeWhen specialize);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_SWITCHPROGRAM_H
