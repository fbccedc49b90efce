// Pcap and pcapng in.

#ifndef KARAKAL_TRACES_TRACEREADER_H
#define KARAKAL_TRACES_TRACEREADER_H

#include "support/Error.h"
#include "traces/Packet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::traces {

/// Reads all frames of a pcap or pcapng file, which gzip, zstd or xz may have
/// compressed, in the order of the file and as captured (`padToMinimum` is the
/// sender's job).
///
/// The port of a frame is its interface number modulo `portCount` if the file
/// tells interfaces apart (pcapng with more than one), and otherwise its index
/// modulo `portCount`, so that all ports are used.
///
/// Errors: E-traces-001 cannot be read, -002 no packet, -003 cut short, -004
/// link type other than Ethernet, -005 not a trace, -006 damaged, -009
/// compressed data that are cut short or damaged.
Result<std::vector<Packet>> readTrace(const std::string &path,
                                      uint32_t portCount);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_TRACEREADER_H
