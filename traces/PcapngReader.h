// The blocks of a pcapng file.

#ifndef KARAKAL_TRACES_PCAPNGREADER_H
#define KARAKAL_TRACES_PCAPNGREADER_H

#include "support/Error.h"
#include "traces/Packet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::traces {

/// What a pcapng file holds; `Packet::port` is the number of the interface in
/// its section.
struct PcapngContent {
  std::vector<Packet> packets;
  /// Interfaces of the section that describes most.
  uint32_t interfaceCount = 0;
};

/// Reads a whole pcapng file from memory; `path` is for messages alone.
Result<PcapngContent> parsePcapng(const std::string &path,
                                  const std::vector<uint8_t> &file);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_PCAPNGREADER_H
