// Loads an image into a chip.
//
// Does what the loader on a real board does before the start: it loads
// microcode into the engines and XScale code and data into DRAM, configures the
// scratch rings, sets the multiplier of the hash unit, and fills the free list
// of packet buffers. Engines are chosen
// here (fewer than the image has, if asked) and started later, when the
// program's tables are built.

#ifndef KARAKAL_SIM_IXP_RUN_LOADER_H
#define KARAKAL_SIM_IXP_RUN_LOADER_H

#include "sim-ixp/observe/PacketAccounting.h"
#include "sim-ixp/run/Chip.h"
#include "support/Error.h"
#include "target-ixp/image/Image.h"

#include <array>
#include <cstdint>
#include <string>

namespace karakal::sim {

/// Which part of the image runs.
struct LoadOptions {
  /// Application engines; 0 = all that the image has.
  uint32_t engines = 0;
  /// Contexts of each of them, 0 = all.
  uint32_t threads = 0;
  /// Breakpoints: "PC", "MICROCODE:PC" or "FILE:LINE".
  std::vector<std::string> breaks;
  /// The secret of the hash unit's multiplier, as target::readHashSecret takes
  /// it; empty: the image's multiplier.
  std::string hashKey;
};

/// What one engine runs.
struct EnginePlan {
  EngineRole role = EngineRole::Idle;
  std::string aggregate; ///< of an app engine
  std::string microcode;
  /// The microcode that the core loads before updates; empty: none.
  std::string plainMicrocode;
  uint32_t contextMask = 0;
};

using EnginePlans = std::array<EnginePlan, engineCountMax>;

/// The memory that an object of a checked manifest names by its key 'memory'.
target::Memory memoryIn(const nlohmann::json &object);

/// Chooses the engines that run. Errors: E-sim-ixp-010 more engines than the
/// image has, 011 an aggregate would have no engine.
Result<EnginePlans> planEngines(const target::Image &image,
                                const LoadOptions &options);

/// What the accounting needs to know about the image.
AccountingPlan planAccounting(const target::Image &image,
                              const EnginePlans &plans);

/// Loads the image into the chip. Errors: E-sim-ixp-012 microcode does not fit
/// the control store, 015 a breakpoint names no instruction, 016 the chip lacks
/// an engine or memory that the image uses, 019 the microcode that the core
/// loads at run time does not fit DRAM.
Status loadImage(const target::Image &image, const EnginePlans &plans,
                 const std::vector<std::string> &breaks, Chip &chip);

/// Sets the multiplier of the hash unit, and the one that the core computes
/// with: that of the image, or of `hashKey` unless it is empty. Error:
/// E-sim-ixp-018 the core's code has the multiplier built in.
Status setHashMultiplier(const target::Image &image, const std::string &hashKey,
                         Chip &chip);

/// Starts the engines at the chip's current cycle.
void startEngines(const EnginePlans &plans, Chip &chip);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_LOADER_H
