// Files that may be compressed.

#ifndef KARAKAL_TRACES_INPUTFILE_H
#define KARAKAL_TRACES_INPUTFILE_H

#include "support/Error.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace karakal::traces {

class Decoder;

/// Gives the bytes of a file from front to back, unpacked if gzip, zstd or xz
/// compressed them. The first bytes of the file tell, not its name. A file of
/// several members (`cat a.gz b.gz`, bgzip, pigz, zstd frames, xz streams) is
/// their contents one after the other.
class InputFile {
public:
  /// Opens a file. Reading it fails with `id` and "`what` cannot be read" and
  /// the system's reason.
  static Result<std::unique_ptr<InputFile>>
  open(const std::string &path, std::string id, std::string what);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Fills `bytes`; returns how many there are, fewer than asked for only at
  /// the end of the file. Errors: the one of `open`, E-traces-009 for
  /// compressed data that are cut short or damaged.
  Result<std::size_t> read(uint8_t *bytes, std::size_t count);
  /// Appends everything up to the end of the file.
  template <typename Container> Status readRest(Container &bytes);

private:
  InputFile(const std::string &path, std::string id, std::string what);

  Status fill();
  Status unpack(uint8_t *&bytes, std::size_t &count);
  Error cannotRead() const;
  Error wrongData(const std::string &fault) const;

  std::string path, id, what;
  FILE *file = nullptr;
  /// Absent if the file is not compressed.
  std::unique_ptr<Decoder> decoder;
  /// Bytes of the file from `at` on are not used yet.
  std::vector<uint8_t> buffer;
  std::size_t at = 0;
  bool fileEnded = false;
  /// Before the first byte of a member, where a file may end.
  bool betweenMembers = true;
};

template <typename Container> Status InputFile::readRest(Container &bytes) {
  constexpr std::size_t chunkBytes = 1 << 16;
  for (std::size_t got = chunkBytes; got == chunkBytes;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + chunkBytes);
    Result<std::size_t> count =
        read(reinterpret_cast<uint8_t *>(bytes.data()) + size, chunkBytes);
    if (!count)
      return count.error();
    got = *count;
    bytes.resize(size + got);
  }
  return success();
}

} // namespace karakal::traces

#endif // KARAKAL_TRACES_INPUTFILE_H
