// An image into a chip.
//
// What the loader on a real board does before start: microcode into the
// engines, XScale code and data into DRAM, scratch rings, and the free list of
// packet buffers. Engines are chosen here (fewer than the image has, if asked)
// and started later, when the program's tables are built.

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
  /// Engines of the program, 0 = all of the image.
  uint32_t engines = 0;
  /// Contexts of each of them, 0 = all.
  uint32_t threads = 0;
  /// Where the run is to stop: "PC", "MICROCODE:PC" or "FILE:LINE".
  std::vector<std::string> breaks;
};

/// One engine's part in the run.
struct EnginePlan {
  EngineRole role = EngineRole::Idle;
  std::string aggregate; ///< of an app engine
  std::string microcode;
  uint32_t contextMask = 0;
};

using EnginePlans = std::array<EnginePlan, engineCountMax>;

/// Chooses engines. Errors: E-sim-ixp-010 more engines than the image has, 011
/// an aggregate would have no engine.
Result<EnginePlans> planEngines(const target::Image &image,
                                const LoadOptions &options);

/// What the accounting must know of the image.
AccountingPlan planAccounting(const target::Image &image,
                              const EnginePlans &plans);

/// Puts the image into the chip. Errors: E-sim-ixp-012 the image does not fit
/// the chip's parameters, 015 no instruction is at a place of `breaks`.
Status loadImage(const target::Image &image, const EnginePlans &plans,
                 const std::vector<std::string> &breaks, Chip &chip);

/// Starts the engines at the chip's now.
void startEngines(const EnginePlans &plans, Chip &chip);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_LOADER_H
