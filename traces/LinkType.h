// Names of link types.

#ifndef KARAKAL_TRACES_LINKTYPE_H
#define KARAKAL_TRACES_LINKTYPE_H

#include "support/Error.h"

#include <cstdint>
#include <string>

namespace karakal::traces {

/// LINKTYPE_ETHERNET of the pcap formats, the only one that a port carries.
constexpr uint32_t linkTypeEthernet = 1;

/// The name libpcap gives a link type as files number it, "unknown" otherwise.
std::string linkTypeName(uint32_t linkType);

/// The error for a trace of another link type: E-traces-004.
Error linkTypeError(const std::string &path, uint32_t linkType);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_LINKTYPE_H
