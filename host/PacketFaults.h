// What the faults of packet primitives say.

#ifndef KARAKAL_HOST_PACKETFAULTS_H
#define KARAKAL_HOST_PACKETFAULTS_H

#include <cstdint>
#include <string>

namespace karakal::host::faults {

inline std::string leavesBuffer(const char *primitive, uint32_t bitOffset,
                                uint32_t bits) {
  return std::string(primitive) + " of " + std::to_string(bits) +
         " bits at bit " + std::to_string(bitOffset) +
         " leaves the packet's buffer";
}

/// `primitive` takes more bytes from a packet than it has.
inline std::string tooShort(const char *primitive, uint32_t bytes,
                            uint32_t length) {
  return std::string(primitive) + " of " + std::to_string(bytes) +
         " bytes from a packet of " + std::to_string(length);
}

/// `primitive` adds more bytes than there is `room`, head- or tailroom.
inline std::string noRoom(const char *primitive, const char *room,
                          uint32_t bytes, uint32_t roomBytes) {
  return std::string(primitive) + " of " + std::to_string(bytes) +
         " bytes where the " + room + " is " + std::to_string(roomBytes);
}

inline std::string tooLong(uint32_t bytes) {
  return "packet_create of " + std::to_string(bytes) + " bytes";
}

inline std::string noBuffer(const char *primitive) {
  return std::string(primitive) + " finds no free buffer";
}

inline std::string noBufferToReceive() {
  return "no free buffer for a received frame: the program keeps packets "
         "forever";
}

} // namespace karakal::host::faults

#endif // KARAKAL_HOST_PACKETFAULTS_H
