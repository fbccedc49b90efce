// Files that may be compressed.
//
// A decoder moves bytes of one member (gzip), frame (zstd) or stream (xz) from
// an input to an output and says when the member ends. What lies between the
// members, and whether a file may end there, is decided here for all three.

#include "traces/InputFile.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace karakal::traces {

/// Input that waits and output that has room. A step moves both forward.
struct Transfer {
  const uint8_t *in;
  std::size_t inBytes;
  uint8_t *out;
  std::size_t outBytes;
};

/// Unpacks members of one format.
class Decoder {
public:
  enum class Step { Going, MemberEnded, Damaged };

  virtual ~Decoder() = default;
  virtual const char *format() const = 0;
  virtual Step step(Transfer &transfer) = 0;
  /// Whether zeros may follow a member, as tape blocks bring them.
  virtual bool allowsPadding() const { return true; }

  /// What the library says about damaged data.
  std::string fault;
};

namespace {

constexpr std::size_t bufferBytes = 1 << 16;
/// `xz -9` needs 65 MB to unpack. A file cannot ask for more memory than this.
constexpr uint64_t xzMemoryBytesMax = 512u << 20;

class GzipDecoder : public Decoder {
public:
  GzipDecoder() {
    // 16 beside the largest window: a gzip header, not a zlib header.
    const int status = inflateInit2(&stream, MAX_WBITS + 16);
    KARAKAL_ASSERT(status == Z_OK, "zlib has memory for its state");
  }
  ~GzipDecoder() override { inflateEnd(&stream); }
  const char *format() const override { return "gzip"; }

  Step step(Transfer &transfer) override {
    stream.next_in = const_cast<uint8_t *>(transfer.in);
    stream.avail_in = transfer.inBytes;
    stream.next_out = transfer.out;
    stream.avail_out = transfer.outBytes;
    const int status = inflate(&stream, Z_NO_FLUSH);
    transfer = {stream.next_in, stream.avail_in, stream.next_out,
                stream.avail_out};
    if (status == Z_STREAM_END) {
      inflateReset(&stream);
      return Step::MemberEnded;
    }
    if (status == Z_OK || status == Z_BUF_ERROR)
      return Step::Going;
    fault = stream.msg ? stream.msg : "zlib error " + std::to_string(status);
    return Step::Damaged;
  }

private:
  z_stream stream = {};
};

class ZstdDecoder : public Decoder {
public:
  ZstdDecoder() : stream(ZSTD_createDStream()) {
    KARAKAL_ASSERT(stream, "zstd has memory for its state");
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream); }
  const char *format() const override { return "zstd"; }
  bool allowsPadding() const override { return false; }

  Step step(Transfer &transfer) override {
    ZSTD_inBuffer in = {transfer.in, transfer.inBytes, 0};
    ZSTD_outBuffer out = {transfer.out, transfer.outBytes, 0};
    const std::size_t status = ZSTD_decompressStream(stream, &out, &in);
    transfer = {transfer.in + in.pos, transfer.inBytes - in.pos,
                transfer.out + out.pos, transfer.outBytes - out.pos};
    if (ZSTD_isError(status)) {
      fault = ZSTD_getErrorName(status);
      return Step::Damaged;
    }
    return status == 0 ? Step::MemberEnded : Step::Going;
  }

private:
  ZSTD_DStream *stream;
};

class XzDecoder : public Decoder {
public:
  XzDecoder() { begin(); }
  ~XzDecoder() override { lzma_end(&stream); }
  const char *format() const override { return "xz"; }

  Step step(Transfer &transfer) override {
    stream.next_in = transfer.in;
    stream.avail_in = transfer.inBytes;
    stream.next_out = transfer.out;
    stream.avail_out = transfer.outBytes;
    const lzma_ret status = lzma_code(&stream, LZMA_RUN);
    transfer = {stream.next_in, stream.avail_in, stream.next_out,
                stream.avail_out};
    switch (status) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: // No input or no room.
      return Step::Going;
    case LZMA_STREAM_END:
      begin();
      return Step::MemberEnded;
    case LZMA_FORMAT_ERROR:
      fault = "this is no xz stream";
      return Step::Damaged;
    case LZMA_OPTIONS_ERROR:
      fault = "it asks for a filter that liblzma does not have";
      return Step::Damaged;
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
      fault = "unpacking needs more than " +
              std::to_string(xzMemoryBytesMax >> 20) + " MiB of memory";
      return Step::Damaged;
    default:
      fault = "corrupt data";
      return Step::Damaged;
    }
  }

private:
  /// Also begins anew, with the memory of before.
  void begin() {
    const lzma_ret status = lzma_stream_decoder(&stream, xzMemoryBytesMax, 0);
    KARAKAL_ASSERT(status == LZMA_OK, "liblzma has memory for its state");
  }

  lzma_stream stream = LZMA_STREAM_INIT;
};

/// The decoder for a file that begins so; none if it is not compressed.
std::unique_ptr<Decoder> decoderFor(const std::vector<uint8_t> &head) {
  auto begins = [&](std::initializer_list<uint8_t> magic) {
    return head.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), head.begin());
  };
  if (begins({0x1f, 0x8b}))
    return std::make_unique<GzipDecoder>();
  if (begins({0x28, 0xb5, 0x2f, 0xfd}))
    return std::make_unique<ZstdDecoder>();
  if (begins({0xfd, '7', 'z', 'X', 'Z', 0x00}))
    return std::make_unique<XzDecoder>();
  return nullptr;
}

} // namespace

InputFile::InputFile(const std::string &path, std::string id, std::string what)
    : path(path), id(std::move(id)), what(std::move(what)) {}

InputFile::~InputFile() {
  if (file)
    std::fclose(file);
}

Error InputFile::cannotRead() const {
  return makeFileError(id, path,
                       what + " cannot be read: " + std::strerror(errno));
}

Error InputFile::wrongData(const std::string &fault) const {
  return makeFileError("E-traces-009", path,
                       std::string("the ") + decoder->format() + " data are " +
                           fault + "; fetch or compress the file again");
}

Result<std::unique_ptr<InputFile>>
InputFile::open(const std::string &path, std::string id, std::string what) {
  std::unique_ptr<InputFile> input(
      new InputFile(path, std::move(id), std::move(what)));
  errno = 0;
  input->file = std::fopen(path.c_str(), "rb");
  if (!input->file)
    return input->cannotRead();
  if (Status status = input->fill(); !status)
    return status.error();
  input->decoder = decoderFor(input->buffer);
  return std::move(input);
}

/// Reads the next bytes of the file; those of before are used up.
Status InputFile::fill() {
  KARAKAL_ASSERT(at == buffer.size(), "no byte of the file is left out");
  buffer.resize(bufferBytes);
  buffer.resize(std::fread(buffer.data(), 1, bufferBytes, file));
  at = 0;
  if (std::ferror(file))
    return cannotRead();
  fileEnded = buffer.size() < bufferBytes;
  return success();
}

/// Moves some bytes to `bytes`. None are moved, and no more input is there to
/// be read, only where the file may end.
Status InputFile::unpack(uint8_t *&bytes, std::size_t &count) {
  if (!decoder) {
    const std::size_t moved = std::min(count, buffer.size() - at);
    std::copy_n(buffer.begin() + at, moved, bytes);
    at += moved;
    bytes += moved;
    count -= moved;
    return success();
  }
  if (betweenMembers && decoder->allowsPadding())
    while (at < buffer.size() && buffer[at] == 0)
      ++at;
  if (betweenMembers && at == buffer.size())
    return success();
  Transfer transfer = {buffer.data() + at, buffer.size() - at, bytes, count};
  const Decoder::Step step = decoder->step(transfer);
  if (step == Decoder::Step::Damaged)
    return wrongData("damaged: " + decoder->fault);
  const bool moved =
      transfer.inBytes < buffer.size() - at || transfer.outBytes < count;
  if (!moved && fileEnded && at == buffer.size())
    return wrongData("cut short");
  betweenMembers = step == Decoder::Step::MemberEnded;
  at = buffer.size() - transfer.inBytes;
  bytes = transfer.out;
  count = transfer.outBytes;
  return success();
}

Result<std::size_t> InputFile::read(uint8_t *bytes, std::size_t count) {
  const std::size_t asked = count;
  while (count != 0) {
    if (at == buffer.size() && !fileEnded)
      if (Status status = fill(); !status)
        return status.error();
    if (Status status = unpack(bytes, count); !status)
      return status.error();
    const bool mayEnd = !decoder || betweenMembers;
    if (mayEnd && at == buffer.size() && fileEnded)
      break;
  }
  return asked - count;
}

} // namespace karakal::traces
