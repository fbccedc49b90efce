// Names of link types.
//
// Files and libpcap number some link types differently (LINKTYPE_RAW is 101 in
// a file, DLT_RAW 12 in the library), and libpcap keeps the mapping to itself.
// An empty pcap file in memory makes it tell.

#include "traces/LinkType.h"

#include <pcap/pcap.h>

#include <array>
#include <cstdio>

namespace karakal::traces {

std::string linkTypeName(uint32_t linkType) {
  std::array<uint32_t, 6> header = {0xa1b2c3d4, 2u | 4u << 16, 0,
                                    0,          65535,         linkType};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  header[1] = 2u << 16 | 4u;
#endif
  FILE *file = fmemopen(header.data(), sizeof(header), "rb");
  if (!file)
    return "unknown";
  char why[PCAP_ERRBUF_SIZE] = "";
  pcap_t *pcap = pcap_fopen_offline(file, why);
  if (!pcap) {
    std::fclose(file);
    return "unknown";
  }
  const char *name = pcap_datalink_val_to_name(pcap_datalink(pcap));
  std::string result = name ? name : "unknown";
  pcap_close(pcap);
  return result;
}

Error linkTypeError(const std::string &path, uint32_t linkType) {
  return makeFileError("E-traces-004", path,
                       "the link type is " + std::to_string(linkType) + " (" +
                           linkTypeName(linkType) +
                           "); only traces of link type 1 (EN10MB, Ethernet) "
                           "can be sent through the ports");
}

} // namespace karakal::traces
