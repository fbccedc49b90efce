// Traces made byte by byte.
//
// Tests of the reader build files by hand, in either byte order, and not with
// the writer, whose misreading of a format would hide the reader's.

#ifndef KARAKAL_TESTS_TRACES_TRACEBYTES_H
#define KARAKAL_TESTS_TRACES_TRACEBYTES_H

#include "gtest/gtest.h"
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace karakal::traces::test {

/// Bytes in the order that the file says.
class Bytes {
public:
  explicit Bytes(bool bigEndian = false) : bigEndian(bigEndian) {}

  Bytes &half(uint16_t value) { return number(value, 2); }
  Bytes &word(uint32_t value) { return number(value, 4); }
  Bytes &raw(const std::string &text) {
    bytes += text;
    return *this;
  }

  std::string bytes;
  bool bigEndian;

private:
  Bytes &number(uint32_t value, unsigned count) {
    for (unsigned index = 0; index < count; ++index)
      bytes += static_cast<char>(value >>
                                 8 * (bigEndian ? count - 1 - index : index));
    return *this;
  }
};

/// A pcap file header.
inline Bytes pcapHeader(uint32_t linkType = 1, bool bigEndian = false,
                        uint32_t magic = 0xa1b2c3d4) {
  Bytes result(bigEndian);
  result.word(magic).half(2).half(4).word(0).word(0).word(65535);
  return result.word(linkType);
}

inline Bytes &pcapPacket(Bytes &file, uint32_t seconds, uint32_t fraction,
                         const std::string &data) {
  file.word(seconds).word(fraction);
  return file.word(data.size()).word(data.size()).raw(data);
}

/// A pcapng block around a body, padded to 32 bits.
inline Bytes &block(Bytes &file, uint32_t type, std::string body) {
  body.resize((body.size() + 3) & ~std::size_t(3), '\0');
  const uint32_t length = 12 + body.size();
  return file.word(type).word(length).raw(body).word(length);
}

inline Bytes &section(Bytes &file) {
  Bytes body(file.bigEndian);
  body.word(0x1a2b3c4d).half(1).half(0).word(~0u).word(~0u);
  return block(file, 0x0a0d0d0a, body.bytes);
}

inline Bytes &interface(Bytes &file, uint16_t linkType = 1,
                        const std::string &options = "") {
  Bytes body(file.bigEndian);
  body.half(linkType).half(0).word(65535).raw(options);
  return block(file, 1, body.bytes);
}

inline Bytes &enhanced(Bytes &file, uint32_t interfaceId, uint64_t time,
                       const std::string &data) {
  Bytes body(file.bigEndian);
  body.word(interfaceId).word(time >> 32).word(time & 0xffffffff);
  body.word(data.size()).word(data.size()).raw(data);
  return block(file, 6, body.bytes);
}

/// A file that is gone with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &content = "",
                         const std::string &extension = ".pcap") {
    static unsigned count = 0;
    path = testing::TempDir() + std::to_string(count++) + extension;
    std::ofstream(path, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path;
};

} // namespace karakal::traces::test

#endif // KARAKAL_TESTS_TRACES_TRACEBYTES_H
