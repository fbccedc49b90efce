// The table by which the XScale core stops, starts and exchanges engines.
//
// runtime/engines.ll has the table in the core's data; the loader fills it and
// puts the microcode beside it in DRAM. All words are big-endian.
//
//   entry, for each engine that runs the program; one of zeros ends the table
//     0  address of the engine's local CSRs
//     1  its bit in EngineStopWord
//     2  number of its aggregate
//     3  address and, 4, words of its code with caches
//     5  address and, 6, words of its code without; all 0 if it has one code
//   code, two words for each word of the control store
//     0  USTORE_DATA_UPPER: bits 41:32, with parity
//     1  USTORE_DATA_LOWER: bits 31:0

#ifndef KARAKAL_TARGET_IXP_CHIP_ENGINETABLE_H
#define KARAKAL_TARGET_IXP_CHIP_ENGINETABLE_H

#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>

namespace karakal::target {

constexpr uint32_t EngineEntryWords = 7;
/// DRAM for the microcode that is loaded at run time [K].
constexpr uint32_t ExchangeCodeBase = 0x3f20000;
constexpr uint32_t ExchangeCodeEnd = XScaleEnd;
static_assert(ExchangeCodeBase >= XScaleArguments + 8 * XScaleArgumentCount);

/// A word of the control store with its parity: bit 41 of bits 39:20, bit 40 of
/// bits 19:0.
constexpr uint64_t withParity(uint64_t word) {
  return word | uint64_t{__builtin_parityll(word >> 20 & 0xfffff) != 0} << 41 |
         uint64_t{__builtin_parityll(word & 0xfffff) != 0} << 40;
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_ENGINETABLE_H
