// The blocks of a pcapng file.
//
// libpcap reads pcapng, but does not tell the interface of a packet, which is
// the port here. A pcapng file is a row of blocks
//
//     type | total length | body, padded to 32 bits | total length again
//
// in sections, each opened by a section header that fixes the byte order and
// forgets the interfaces of the one before (draft-ietf-opsawg-pcapng). This
// reader understands section headers, interface descriptions and the three
// blocks that hold packets (enhanced, simple, and the obsolete one) and skips
// the rest. Every length is checked against the file before it is used.

#include "traces/PcapngReader.h"

#include "traces/LinkType.h"

#include <algorithm>
#include <optional>

using namespace karakal;
using namespace karakal::traces;

namespace {

enum BlockType : uint32_t {
  SectionHeader = 0x0A0D0D0A,
  InterfaceDescription = 1,
  ObsoletePacket = 2,
  SimplePacket = 3,
  EnhancedPacket = 6,
};

enum InterfaceOption : uint16_t {
  EndOfOptions = 0,
  TimeResolution = 9,
  TimeOffset = 14,
};

constexpr uint32_t byteOrderMagic = 0x1A2B3C4D;

struct Interface {
  uint32_t linkType = 0;
  uint32_t snapBytes = 0;
  /// Time stamps count 10^-n s, or 2^-n s if the top bit of this byte is set.
  uint8_t timeResolution = 6;
  int64_t timeOffsetSeconds = 0;
};

/// Time stamp units to nanoseconds, exact for powers of ten.
uint64_t toNanoseconds(uint64_t units, const Interface &interface) {
  const unsigned exponent = interface.timeResolution & 0x7f;
  const uint64_t offset =
      static_cast<uint64_t>(interface.timeOffsetSeconds) * 1000000000u;
  if (interface.timeResolution & 0x80) {
    if (exponent >= 64)
      return offset;
    const unsigned __int128 product =
        static_cast<unsigned __int128>(units) * 1000000000u;
    return offset + static_cast<uint64_t>(product >> exponent);
  }
  uint64_t result = units;
  for (unsigned digit = exponent; digit < 9; ++digit)
    result *= 10;
  for (unsigned digit = 9; digit < exponent && result != 0; ++digit)
    result /= 10;
  return offset + result;
}

class Parser {
public:
  Parser(const std::string &path, const std::vector<uint8_t> &file)
      : path(path), file(file) {}

  Result<PcapngContent> run();

private:
  uint16_t half(std::size_t at) const {
    return bigEndian ? file[at] << 8 | file[at + 1]
                     : file[at + 1] << 8 | file[at];
  }
  uint32_t word(std::size_t at) const {
    return bigEndian ? uint32_t(half(at)) << 16 | half(at + 2)
                     : uint32_t(half(at + 2)) << 16 | half(at);
  }

  Error damaged(const std::string &what) const {
    return makeFileError("E-traces-006", path,
                         "damaged pcapng file at byte " +
                             std::to_string(blockBegin) + ": " + what);
  }
  Error cutShort() const {
    return makeFileError("E-traces-003", path,
                         "the file is cut short after " +
                             std::to_string(content.packets.size()) +
                             " packets (in the block at byte " +
                             std::to_string(blockBegin) + ")");
  }

  std::optional<Error> block(uint32_t type);
  std::optional<Error> sectionHeader();
  std::optional<Error> interfaceDescription();
  void interfaceOptions(Interface &interface, std::size_t at);
  std::optional<Error> packet(uint32_t interfaceId, uint64_t time,
                              std::size_t data, uint32_t bytes);

  const std::string &path;
  const std::vector<uint8_t> &file;
  bool bigEndian = false;
  std::size_t blockBegin = 0; ///< Of the block being read.
  std::size_t bodyEnd = 0;    ///< Past its body.
  std::vector<Interface> interfaces;
  std::optional<uint32_t> otherLinkType; ///< Seen on some interface.
  PcapngContent content;
};

Result<PcapngContent> Parser::run() {
  while (blockBegin != file.size()) {
    if (file.size() - blockBegin < 12)
      return cutShort();
    // The type of a section header reads the same in both byte orders; its
    // length does not, so the byte order comes first.
    const uint32_t type = word(blockBegin);
    if (type == SectionHeader) {
      bigEndian = false;
      if (word(blockBegin + 8) != byteOrderMagic) {
        bigEndian = true;
        if (word(blockBegin + 8) != byteOrderMagic)
          return damaged("a section header without byte-order magic");
      }
    } else if (blockBegin == 0) {
      return damaged("it does not begin with a section header");
    }
    const uint32_t length = word(blockBegin + 4);
    if (length < 12 || length % 4 != 0)
      return damaged("a block length of " + std::to_string(length));
    if (file.size() - blockBegin < length)
      return cutShort();
    bodyEnd = blockBegin + length - 4;
    if (word(bodyEnd) != length)
      return damaged("the two lengths of a block differ");
    if (std::optional<Error> error = block(type))
      return *error;
    blockBegin += length;
  }
  if (content.packets.empty() && otherLinkType)
    return linkTypeError(path, *otherLinkType);
  return std::move(content);
}

std::optional<Error> Parser::block(uint32_t type) {
  KARAKAL_ASSERT(bodyEnd >= blockBegin + 8 && bodyEnd + 4 <= file.size(),
                 "a block has both lengths, inside the file");
  const std::size_t body = blockBegin + 8;
  const std::size_t bytes = bodyEnd - body;
  switch (type) {
  case SectionHeader:
    return sectionHeader();
  case InterfaceDescription:
    return interfaceDescription();
  case EnhancedPacket:
    if (bytes < 20)
      return damaged("a packet block too short for its header");
    return packet(word(body), uint64_t(word(body + 4)) << 32 | word(body + 8),
                  body + 20, word(body + 12));
  case ObsoletePacket:
    if (bytes < 20)
      return damaged("a packet block too short for its header");
    return packet(half(body), uint64_t(word(body + 4)) << 32 | word(body + 8),
                  body + 20, word(body + 12));
  case SimplePacket: {
    if (bytes < 4)
      return damaged("a packet block too short for its header");
    uint32_t captured = word(body);
    if (!interfaces.empty() && interfaces[0].snapBytes != 0)
      captured = std::min(captured, interfaces[0].snapBytes);
    return packet(0, 0, body + 4, captured);
  }
  default:
    return std::nullopt;
  }
}

std::optional<Error> Parser::sectionHeader() {
  if (bodyEnd - blockBegin < 24)
    return damaged("a section header too short");
  const uint16_t major = half(blockBegin + 12);
  if (major != 1)
    return damaged("pcapng version " + std::to_string(major) +
                   "; only version 1 is known");
  interfaces.clear();
  return std::nullopt;
}

std::optional<Error> Parser::interfaceDescription() {
  const std::size_t body = blockBegin + 8;
  if (bodyEnd - body < 8)
    return damaged("an interface description too short");
  Interface interface;
  interface.linkType = half(body);
  interface.snapBytes = word(body + 4);
  interfaceOptions(interface, body + 8);
  if (interface.linkType != linkTypeEthernet && !otherLinkType)
    otherLinkType = interface.linkType;
  interfaces.push_back(interface);
  content.interfaceCount = std::max(content.interfaceCount,
                                    static_cast<uint32_t>(interfaces.size()));
  return std::nullopt;
}

/// Options that run past the block end the list, as they do in Wireshark.
void Parser::interfaceOptions(Interface &interface, std::size_t at) {
  while (bodyEnd - at >= 4) {
    const uint16_t code = half(at);
    const uint16_t bytes = half(at + 2);
    at += 4;
    if (code == EndOfOptions || bodyEnd - at < bytes)
      return;
    if (code == TimeResolution && bytes >= 1)
      interface.timeResolution = file[at];
    if (code == TimeOffset && bytes >= 8) {
      const uint64_t first = word(at), second = word(at + 4);
      interface.timeOffsetSeconds = static_cast<int64_t>(
          bigEndian ? first << 32 | second : second << 32 | first);
    }
    at += std::min<std::size_t>((bytes + 3u) & ~3u, bodyEnd - at);
  }
}

std::optional<Error> Parser::packet(uint32_t interfaceId, uint64_t time,
                                    std::size_t data, uint32_t bytes) {
  if (interfaceId >= interfaces.size())
    return damaged("a packet of interface " + std::to_string(interfaceId) +
                   ", which is not described");
  const Interface &interface = interfaces[interfaceId];
  if (interface.linkType != linkTypeEthernet)
    return linkTypeError(path, interface.linkType);
  if (bodyEnd - data < bytes)
    return damaged("a packet longer than its block");
  Packet result;
  result.timeNs = toNanoseconds(time, interface);
  result.port = interfaceId;
  result.bytes.assign(file.begin() + data, file.begin() + data + bytes);
  content.packets.push_back(std::move(result));
  return std::nullopt;
}

} // namespace

Result<PcapngContent>
karakal::traces::parsePcapng(const std::string &path,
                             const std::vector<uint8_t> &file) {
  return Parser(path, file).run();
}
