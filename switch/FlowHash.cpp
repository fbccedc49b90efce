// The flow of a frame, as a number.

#include "switch/FlowHash.h"
#include <cstring>

namespace karakal::sw {

static uint32_t load16(const uint8_t *at) { return at[0] << 8 | at[1]; }

/// Mixes the words of two ends of a flow, whichever comes first.
static uint64_t mixEnds(const uint8_t *one, const uint8_t *other,
                        uint32_t bytes) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < bytes; i += 2) {
    // A sum does not tell which end is which, a factor tells the words apart.
    uint64_t pair = uint64_t(load16(one + i)) + load16(other + i);
    sum = sum * 0x9e3779b97f4a7c15 + pair;
  }
  return sum;
}

/// The high bits of a product depend on all bits of the factor.
static uint32_t finish(uint64_t mixed) {
  return uint32_t(mixed * 0xd6e8feb86659fd93 >> 32);
}

uint32_t flowHash(const x86::Frame &frame) {
  constexpr uint32_t ethernet = 14, tag = 4, ipv4 = 20, ipv6 = 40, mac = 6;
  constexpr uint32_t typeIpv4 = 0x0800, typeIpv6 = 0x86dd, typeTag = 0x8100,
                     typeServiceTag = 0x88a8;
  const uint8_t *data = frame.data, *end = frame.data + frame.bytes;
  auto has = [&](const uint8_t *at, uint32_t bytes) {
    return uint64_t(end - at) >= bytes;
  };
  if (!has(data, ethernet))
    return 0;
  const uint8_t *at = data + ethernet;
  uint32_t type = load16(at - 2);
  while ((type == typeTag || type == typeServiceTag) && has(at, tag)) {
    type = load16(at + 2);
    at += tag;
  }
  const uint8_t *ports = nullptr;
  uint64_t mixed;
  uint32_t protocol;
  if (type == typeIpv4 && has(at, ipv4)) {
    protocol = at[9];
    mixed = mixEnds(at + 12, at + 16, 4);
    bool isFragment = (load16(at + 6) & 0x3fff) != 0;
    ports = isFragment ? nullptr : at + (at[0] & 15) * 4;
  } else if (type == typeIpv6 && has(at, ipv6)) {
    protocol = at[6];
    mixed = mixEnds(at + 8, at + 24, 16);
    ports = at + ipv6;
  } else {
    return finish(mixEnds(data, data + mac, mac) + type);
  }
  constexpr uint32_t tcp = 6, udp = 17, sctp = 132;
  bool hasPorts = protocol == tcp || protocol == udp || protocol == sctp;
  if (hasPorts && ports && ports < end && has(ports, 4))
    mixed = mixed * 0x9e3779b97f4a7c15 + load16(ports) + load16(ports + 2);
  return finish(mixed + protocol);
}

} // namespace karakal::sw
