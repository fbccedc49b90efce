// What lies where on a chip of the family.
//
// MemoryMap.h holds the addresses that are the same on every chip. What depends
// on the number of engines, on the control store or on the SRAM channels is
// computed here from the chip's parameters:
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
/// Engines for the program, from AppEngineFirst on.
uint32_t appEngineCount(const ChipParameters &chip);
/// Engines of one cluster.
uint32_t clusterEngineCount(const ChipParameters &chip);

/// Bytes at the end of SRAM channel 0 for stack words beyond local memory,
/// shared out to all contexts of all engines. No program that fits the control
/// store needs more: a spilled word takes four words of code, two to put and
/// two to get it.
uint32_t stackSramBytes(const ChipParameters &chip);

/// The first byte of a memory that globals may take.
uint32_t globalsBegin(Memory memory);
/// The bytes of a memory that globals may take, and how globals are aligned.
struct GlobalsRange {
  uint64_t begin = 0, end = 0;
  uint32_t alignment = 4;
};
GlobalsRange globalsRange(Memory memory, const ChipParameters &chip);

/// Whether the chip has the memory: an SRAM channel may be missing.
bool hasMemory(const ChipParameters &chip, Memory memory);
/// The memories of the chip that all engines share, in the order of `Memory`.
std::vector<Memory> sharedMemories(const ChipParameters &chip);
/// Its SRAM channels.
std::vector<Memory> sramMemories(const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_CHIPLAYOUT_H
