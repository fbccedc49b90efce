// What the faults of packet primitives say.

#ifndef KARAKAL_HOST_STANDALONE_PACKETFAULTS_H
#define KARAKAL_HOST_STANDALONE_PACKETFAULTS_H

#include "codegen-x86/PacketMemory.h"
#include "support/Assert.h"
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

inline std::string keepsPackets(uint32_t count) {
  return "the program keeps " + std::to_string(count) +
         " packets forever; every packet must be sent or dropped";
}

/// What compiled code did, with the fault's two numbers.
inline std::string textOf(x86::PacketFault fault, uint32_t a, uint32_t b) {
  using x86::PacketFault;
  switch (fault) {
  case PacketFault::Read:
    return leavesBuffer("packet_read", a, b);
  case PacketFault::Write:
    return leavesBuffer("packet_write", a, b);
  case PacketFault::Decap:
    return tooShort("packet_decap", a, b);
  case PacketFault::Encap:
    return noRoom("packet_encap", "headroom", a, b);
  case PacketFault::AddTail:
    return noRoom("packet_add_tail", "tailroom", a, b);
  case PacketFault::RemoveTail:
    return tooShort("packet_remove_tail", a, b);
  case PacketFault::Create:
    return tooLong(a);
  case PacketFault::NoBuffer:
    return noBuffer(a ? "packet_create" : "packet_copy");
  }
  KARAKAL_UNREACHABLE("no such fault");
}

} // namespace karakal::host::faults

#endif // KARAKAL_HOST_STANDALONE_PACKETFAULTS_H
