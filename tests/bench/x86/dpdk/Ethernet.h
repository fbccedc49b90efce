// What several forwarders do to frames.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_ETHERNET_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_ETHERNET_H

#include <array>
#include <cstdint>
#include <cstring>

namespace karakal::bench {

using Mac = std::array<uint8_t, 6>;

constexpr uint32_t EthernetBytes = 14;

inline uint16_t half(const uint8_t *at) {
  uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return __builtin_bswap16(value);
}

inline uint32_t word(const uint8_t *at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return __builtin_bswap32(value);
}

/// The bytes of an address, whose first one is the most significant.
inline Mac macOf(int64_t number) {
  Mac mac;
  for (size_t i = 0; i < mac.size(); ++i)
    mac[i] = uint8_t(number >> (40 - 8 * i));
  return mac;
}

/// The sum of a header of 20 bytes in ones' complement; 0xffff if its checksum
/// is right.
inline uint32_t sumOfHeader(const uint8_t *header) {
  uint64_t sum = 0;
  for (uint32_t at = 0; at < 20; at += 4) {
    uint32_t value;
    std::memcpy(&value, header + at, sizeof value);
    sum += value;
  }
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
  return uint32_t((sum & 0xffff) + (sum >> 16));
}

/// Takes one from the time to live and changes the checksum: RFC 1624, equation
/// 3, where ~m + m' is ~0x100.
inline void decrementTtl(uint8_t *header) {
  --header[8];
  uint32_t sum = (~uint32_t(half(header + 10)) & 0xffff) + 0xfeff;
  sum = (sum & 0xffff) + (sum >> 16);
  uint16_t check = __builtin_bswap16(uint16_t(~sum));
  std::memcpy(header + 10, &check, sizeof check);
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_ETHERNET_H
