// Layout of a chip of the family.
//
// MemoryMap.h holds the addresses that are the same on every chip. These
// functions compute from the chip's parameters what depends on the number of
// engines, the control store or the SRAM channels:
//
//   engine 0              receives
//   engines 1 to count-2  run the program
//   engine count-1        transmits

#ifndef KARAKAL_TARGET_IXP_CHIP_CHIPLAYOUT_H
#define KARAKAL_TARGET_IXP_CHIP_CHIPLAYOUT_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"

#include <vector>

namespace karakal::target {

/// The engine that runs the transmit microcode.
uint32_t txEngine(const ChipParameters &chip);
/// The number of engines for the program, from AppEngineFirst on.
uint32_t appEngineCount(const ChipParameters &chip);
/// The number of engines of one cluster.
uint32_t clusterEngineCount(const ChipParameters &chip);

/// Bytes at the end of SRAM channel 0 for stack words beyond local memory,
/// divided among all contexts of all engines. No program that fits the control
/// store needs more: a spilled word takes four words of code, two to store and
/// two to load it.
uint32_t stackSramBytes(const ChipParameters &chip);

/// The first byte of a memory that globals may use.
uint32_t globalsBegin(Memory memory);
/// The bytes of a memory that globals may use, and the alignment of globals.
struct GlobalsRange {
  uint64_t begin = 0, end = 0;
  uint32_t alignment = 4;
};
GlobalsRange globalsRange(Memory memory, const ChipParameters &chip);

/// Whether the chip has the memory: an SRAM channel may be missing.
bool hasMemory(const ChipParameters &chip, Memory memory);
/// The memories of the chip that all engines share, in the order of `Memory`.
std::vector<Memory> sharedMemories(const ChipParameters &chip);
/// The SRAM channels of the chip.
std::vector<Memory> sramMemories(const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_CHIPLAYOUT_H
