// Pcap and pcapng out.

#ifndef KARAKAL_TRACES_TRACEWRITER_H
#define KARAKAL_TRACES_TRACEWRITER_H

#include "support/Error.h"
#include "traces/Packet.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace karakal::traces {

/// Writes frames one by one. A path that ends in `.pcapng` gets pcapng with one
/// interface per port, any other pcap, in which ports are lost. Times are in
/// nanoseconds in both. With `.gz` after that the file is compressed by gzip.
/// The same frames give the same bytes on every host.
///
/// A regular file appears under its name when `close` succeeds, and not before:
/// a run that fails leaves no half trace.
class TraceWriter {
public:
  /// Errors: E-traces-008 cannot be written.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string &path,
                                                     uint32_t portCount);
  ~TraceWriter();
  TraceWriter(const TraceWriter &) = delete;
  TraceWriter &operator=(const TraceWriter &) = delete;

  /// Appends a frame; `packet.port` is less than the port count.
  Status write(const Packet &packet);
  /// Ends the file and gives it its name. No write follows.
  Status close();

private:
  TraceWriter(std::string path, uint32_t portCount);

  void half(uint16_t value);
  void word(uint32_t value);
  void pcapHeader();
  void pcapngHeader();
  Status flush();
  Error cannotWrite() const;

  std::string path;
  std::string partPath; ///< Empty if `path` is written directly.
  uint32_t portCount;
  bool isCompressed;
  bool pcapng;
  gzFile_s *file = nullptr; ///< of zlib, which also writes plain files
  std::vector<uint8_t> buffer;
};

/// Writes a whole trace.
Status writeTrace(const std::string &path, const std::vector<Packet> &packets,
                  uint32_t portCount);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_TRACEWRITER_H
