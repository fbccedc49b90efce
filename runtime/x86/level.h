// The level of x86-64 that a processor runs (System V ABI, x86-64, table 3.1).

#ifndef KARAKAL_RUNTIME_X86_LEVEL_H
#define KARAKAL_RUNTIME_X86_LEVEL_H

#include <cpuid.h>
#include <cstdint>

namespace karakal::x86 {

/// Whether the system keeps the registers of `mask` when it switches threads:
/// bits of XCR0.
inline bool systemKeeps(uint32_t mask) {
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & mask) == mask;
}

/// 2, 3 or 4. Level 2 is taken for granted.
inline uint32_t levelOfProcessor() {
  constexpr uint32_t Ymm = 0x6, Zmm = 0xe6;
  constexpr uint32_t basic3 =
      bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
  constexpr uint32_t extended3 = bit_AVX2 | bit_BMI | bit_BMI2;
  constexpr uint32_t extended4 =
      bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & basic3) != basic3 ||
      !systemKeeps(Ymm))
    return 2;
  if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !(ecx & bit_LZCNT))
    return 2;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) ||
      (ebx & extended3) != extended3)
    return 2;
  return (ebx & extended4) == extended4 && systemKeeps(Zmm) ? 4 : 3;
}

} // namespace karakal::x86

#endif // KARAKAL_RUNTIME_X86_LEVEL_H
