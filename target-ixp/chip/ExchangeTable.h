// The table by which the XScale core exchanges the engines' microcode.
//
// runtime/exchange.ll has the table in the core's data; the loader fills it and
// puts the microcode beside it in DRAM. All words are big-endian.
//
//   entry, for each engine that runs the program; one of zeros ends the table
//     0  address of the engine's local CSRs
//     1  its bit in EngineStopWord
//     2  address and, 3, words of its code with caches
//     4  address and, 5, words of its code without
//   code, two words for each word of the control store
//     0  USTORE_DATA_UPPER: bits 41:32, with parity
//     1  USTORE_DATA_LOWER: bits 31:0

#ifndef KARAKAL_TARGET_IXP_CHIP_EXCHANGETABLE_H
#define KARAKAL_TARGET_IXP_CHIP_EXCHANGETABLE_H

#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>

namespace karakal::target {

constexpr uint32_t ExchangeEntryWords = 6;
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

#endif // KARAKAL_TARGET_IXP_CHIP_EXCHANGETABLE_H
