// Pcap and pcapng in.
//
// The first four bytes tell the format. pcap in all its variants (both byte
// orders, microseconds and nanoseconds, old layouts) is libpcap's; pcapng is
// read here, because libpcap hides the interface of a packet. A trace is read
// whole or refused, compressed or not: half a trace would give half a result
// that looks like one.

#include "traces/TraceReader.h"

#include "traces/InputFile.h"
#include "traces/LinkType.h"
#include "traces/PcapngReader.h"

#include <pcap/pcap.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

using namespace karakal;
using namespace karakal::traces;

namespace {

enum class Format { Pcap, Pcapng, Other };

Format formatOf(const std::vector<uint8_t> &head) {
  if (head.size() < 4)
    return Format::Other;
  uint32_t magic = 0;
  for (unsigned index = 0; index < 4; ++index)
    magic = magic << 8 | head[index];
  switch (magic) {
  case 0x0a0d0d0a:
    return Format::Pcapng;
  case 0xa1b2c3d4: // Microseconds.
  case 0xd4c3b2a1:
  case 0xa1b23c4d: // Nanoseconds.
  case 0x4d3cb2a1:
  case 0xa1b2cd34: // Kuznetzov's variant.
  case 0x34cdb2a1:
    return Format::Pcap;
  default:
    return Format::Other;
  }
}

struct PcapCloser {
  void operator()(pcap_t *pcap) const { pcap_close(pcap); }
};

/// The whole file, unless its first bytes already show that it is no trace.
Result<std::vector<uint8_t>> readFile(const std::string &path) {
  auto file = InputFile::open(path, "E-traces-001", "the trace");
  if (!file)
    return file.error();
  std::vector<uint8_t> bytes(4);
  Result<std::size_t> count = (*file)->read(bytes.data(), bytes.size());
  if (!count)
    return count.error();
  bytes.resize(*count);
  if (formatOf(bytes) == Format::Other)
    return std::move(bytes);
  if (Status status = (*file)->readRest(bytes); !status)
    return status.error();
  return std::move(bytes);
}

Error pcapError(const std::string &path, const char *why,
                std::size_t packetCount) {
  if (std::strncmp(why, "truncated", 9) == 0)
    return makeFileError("E-traces-003", path,
                         "the file is cut short after " +
                             std::to_string(packetCount) + " packets");
  return makeFileError("E-traces-006", path,
                       "damaged pcap file after " +
                           std::to_string(packetCount) + " packets: " + why);
}

/// The link type as the file numbers it; the upper bits tell of the CRC.
uint32_t pcapLinkType(const std::vector<uint8_t> &file) {
  KARAKAL_ASSERT(file.size() >= 24, "libpcap has read the file header");
  const bool bigEndian = file[0] == 0xa1;
  uint32_t result = 0;
  for (unsigned index = 0; index < 4; ++index)
    result = result << 8 | file[bigEndian ? 20 + index : 23 - index];
  return result & 0x03ffffff;
}

Result<std::vector<Packet>> parsePcap(const std::string &path,
                                      std::vector<uint8_t> &bytes) {
  FILE *file = fmemopen(bytes.data(), bytes.size(), "rb");
  if (!file)
    return pcapError(path, std::strerror(errno), 0);
  char why[PCAP_ERRBUF_SIZE] = "";
  std::unique_ptr<pcap_t, PcapCloser> pcap(
      pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO,
                                               why));
  if (!pcap) {
    std::fclose(file);
    return pcapError(path, why, 0);
  }
  if (pcap_datalink(pcap.get()) != DLT_EN10MB)
    return linkTypeError(path, pcapLinkType(bytes));

  std::vector<Packet> packets;
  for (;;) {
    pcap_pkthdr *header = nullptr;
    const u_char *data = nullptr;
    const int status = pcap_next_ex(pcap.get(), &header, &data);
    if (status == PCAP_ERROR_BREAK)
      return std::move(packets);
    if (status != 1)
      return pcapError(path, pcap_geterr(pcap.get()), packets.size());
    Packet packet;
    // With nanosecond precision asked for, tv_usec holds nanoseconds.
    packet.timeNs = static_cast<uint64_t>(header->ts.tv_sec) * 1000000000u +
                    static_cast<uint64_t>(header->ts.tv_usec);
    packet.bytes.assign(data, data + header->caplen);
    packets.push_back(std::move(packet));
  }
}

Result<PcapngContent> parse(const std::string &path,
                            std::vector<uint8_t> &file) {
  switch (formatOf(file)) {
  case Format::Pcapng:
    return parsePcapng(path, file);
  case Format::Pcap: {
    Result<std::vector<Packet>> packets = parsePcap(path, file);
    if (!packets)
      return packets.error();
    return PcapngContent{std::move(*packets), 1};
  }
  case Format::Other:
    break;
  }
  return makeFileError("E-traces-005", path,
                       "neither pcap nor pcapng: the first bytes are of "
                       "another kind of file");
}

} // namespace

Result<std::vector<Packet>> karakal::traces::readTrace(const std::string &path,
                                                       uint32_t portCount) {
  KARAKAL_ASSERT(portCount > 0, "a chip without ports reads no trace");
  Result<std::vector<uint8_t>> file = readFile(path);
  if (!file)
    return file.error();
  if (file->empty())
    return makeFileError("E-traces-002", path, "the file is empty");
  Result<PcapngContent> content = parse(path, *file);
  if (!content)
    return content.error();
  if (content->packets.empty())
    return makeFileError("E-traces-002", path, "the trace holds no packet");
  KARAKAL_ASSERT(content->interfaceCount > 0,
                 "every packet is of an interface that the file describes");
  const bool byInterface = content->interfaceCount > 1;
  for (std::size_t index = 0; index < content->packets.size(); ++index) {
    Packet &packet = content->packets[index];
    packet.port = (byInterface ? packet.port : index) % portCount;
  }
  return std::move(content->packets);
}
