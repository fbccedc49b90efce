// Code for the XScale core.
//
// LLVM's ARM back end makes big-endian ARMv5TE code (BE-32, the core's byte
// order). ld.lld links it at its address in DRAM.

#ifndef KARAKAL_DRIVER_CORES_XSCALE_H
#define KARAKAL_DRIVER_CORES_XSCALE_H

#include "driver/pipeline/Level.h"
#include "support/Error.h"
#include "target-ixp/table/HashFunction.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace karakal::driver {

/// Linked code of the core.
struct XScaleCode {
  struct Segment {
    std::string name;           ///< the section, such as ".text"
    uint32_t address;           ///< in DRAM, bytes
    std::vector<uint8_t> bytes; ///< zero-initialized data included
  };
  std::vector<Segment> segments;
  std::map<std::string, uint32_t> symbols; ///< functions and their addresses
  /// The address of the multiplier of hashes, 16 bytes, most significant first,
  /// if the program has one of its own and hashes on the core.
  std::optional<uint32_t> hashMultiplier;
  /// The address of the table of engines (target-ixp/chip/EngineTable.h), if
  /// the core stops engines or exchanges their code.
  std::optional<uint32_t> engineTable;
};

/// Enters the core in LLVM's list of targets, if it is not there. The list has
/// no lock: call this before threads use compileForXScale.
void registerXScaleTarget();

/// Compiles the core's program, with `entries` as its visible functions. Takes
/// the code from `cacheFolder` if it was kept there, unless the folder is
/// empty. Errors: E-driver-010, -011 (runtime), -020 (linker), -021 (too
/// large), -023 (folder). `hashMultiplier` is that of a program with a hash
/// key.
Result<XScaleCode>
compileForXScale(llvm::Module &module, const std::vector<std::string> &entries,
                 Level level, const std::string &cacheFolder = "",
                 std::optional<target::HashKey> hashMultiplier = std::nullopt);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_XSCALE_H
