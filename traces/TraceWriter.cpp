// Pcap and pcapng out.
//
// Both formats are written little-endian with nanosecond times. In pcapng the
// interface of a frame is its port, named port0, port1 and so on.

#include "traces/TraceWriter.h"

#include "traces/LinkType.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <zlib.h>

namespace karakal::traces {

constexpr uint32_t snapBytes = 262144; // What tcpdump writes.
constexpr std::size_t bufferBytes = 1 << 16;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

TraceWriter::TraceWriter(std::string path, uint32_t portCount)
    : path(std::move(path)), portCount(portCount),
      isCompressed(endsWith(this->path, ".gz")),
      pcapng(endsWith(this->path, ".pcapng") ||
             endsWith(this->path, ".pcapng.gz")) {
  // A device or a pipe cannot be renamed over.
  std::error_code ignored;
  const auto status = std::filesystem::status(this->path, ignored);
  if (!std::filesystem::exists(status) ||
      std::filesystem::is_regular_file(status))
    partPath = this->path + ".part";
}

TraceWriter::~TraceWriter() {
  if (!file)
    return;
  gzclose(file);
  if (!partPath.empty())
    std::remove(partPath.c_str());
}

Result<std::unique_ptr<TraceWriter>>
TraceWriter::create(const std::string &path, uint32_t portCount) {
  KARAKAL_ASSERT(portCount > 0, "a trace needs a port");
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, portCount));
  const std::string &opened =
      writer->partPath.empty() ? path : writer->partPath;
  // "T" writes as it is.
  writer->file = gzopen(opened.c_str(), writer->isCompressed ? "wb" : "wbT");
  if (!writer->file)
    return writer->cannotWrite();
  if (writer->pcapng)
    writer->pcapngHeader();
  else
    writer->pcapHeader();
  return std::move(writer);
}

Error TraceWriter::cannotWrite() const {
  return makeFileError("E-traces-008", path,
                       std::string("the trace cannot be written: ") +
                           std::strerror(errno));
}

void TraceWriter::half(uint16_t value) {
  buffer.push_back(value & 0xff);
  buffer.push_back(value >> 8);
}

void TraceWriter::word(uint32_t value) {
  half(value & 0xffff);
  half(value >> 16);
}

void TraceWriter::pcapHeader() {
  word(0xa1b23c4d); // Nanoseconds.
  half(2);
  half(4);
  word(0);
  word(0);
  word(snapBytes);
  word(linkTypeEthernet);
}

void TraceWriter::pcapngHeader() {
  word(0x0a0d0d0a);
  word(28);
  word(0x1a2b3c4d);
  half(1);
  half(0);
  word(0xffffffff); // Length of the section: not given.
  word(0xffffffff);
  word(28);
  for (uint32_t port = 0; port < portCount; ++port) {
    std::string name = "port" + std::to_string(port);
    const uint16_t nameBytes = name.size();
    name.resize((nameBytes + 3u) & ~3u, '\0');
    const uint32_t length = 20 + 4 + name.size() + 8 + 4;
    word(1);
    word(length);
    half(linkTypeEthernet);
    half(0);
    word(snapBytes);
    half(2); // if_name
    half(nameBytes);
    buffer.insert(buffer.end(), name.begin(), name.end());
    half(9); // if_tsresol: 10^-9 s.
    half(1);
    word(9);
    word(0); // End of options.
    word(length);
  }
}

Status TraceWriter::flush() {
  const auto bytes = static_cast<unsigned>(buffer.size());
  if (gzwrite(file, buffer.data(), bytes) != static_cast<int>(bytes))
    return cannotWrite();
  buffer.clear();
  return success();
}

Status TraceWriter::write(const Packet &packet) {
  KARAKAL_ASSERT(file, "no frame is written after the trace is closed");
  KARAKAL_ASSERT(packet.port < portCount, "a frame of a port that is not");
  const uint32_t bytes = packet.bytes.size();
  const uint32_t padded = (bytes + 3u) & ~3u;
  if (pcapng) {
    word(6);
    word(32 + padded);
    word(packet.port);
    word(packet.timeNs >> 32);
    word(packet.timeNs & 0xffffffff);
  } else {
    word(packet.timeNs / 1000000000u);
    word(packet.timeNs % 1000000000u);
  }
  word(bytes);
  word(bytes);
  buffer.insert(buffer.end(), packet.bytes.begin(), packet.bytes.end());
  if (pcapng) {
    buffer.resize(buffer.size() + padded - bytes, 0);
    word(32 + padded);
  }
  return buffer.size() < bufferBytes ? success() : flush();
}

Status TraceWriter::close() {
  KARAKAL_ASSERT(file, "a trace is closed once");
  if (Status status = flush(); !status)
    return status;
  const bool closed = gzclose(file) == Z_OK;
  file = nullptr;
  if (!closed ||
      (!partPath.empty() && std::rename(partPath.c_str(), path.c_str()) != 0)) {
    Error error = cannotWrite();
    if (!partPath.empty())
      std::remove(partPath.c_str());
    return error;
  }
  return success();
}

Status writeTrace(const std::string &path, const std::vector<Packet> &packets,
                  uint32_t portCount) {
  auto writer = TraceWriter::create(path, portCount);
  if (!writer)
    return writer.error();
  for (const Packet &packet : packets)
    if (Status status = (*writer)->write(packet); !status)
      return status;
  return (*writer)->close();
}

} // namespace karakal::traces
