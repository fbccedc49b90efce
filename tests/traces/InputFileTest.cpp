// Files that may be compressed.
//
// The bytes are packed by the formats' own libraries.

#include "traces/InputFile.h"
#include "tests/traces/TraceBytes.h"
#include "traces/ControlFile.h"
#include "traces/TraceReader.h"

#include <gmock/gmock.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

using namespace karakal;
using namespace karakal::traces;
using namespace karakal::traces::test;
using ::testing::HasSubstr;

namespace {

std::string gzipped(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in =
      reinterpret_cast<uint8_t *>(const_cast<char *>(bytes.data()));
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<uint8_t *>(packed.data());
  stream.avail_out = packed.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstdPacked(const std::string &bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(),
                               bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

std::string xzPacked(const std::string &bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr,
                reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                reinterpret_cast<uint8_t *>(packed.data()), &size,
                packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

struct Format {
  const char *name;
  std::string (*pack)(const std::string &);
  bool takesPadding;
};
// Without it a test's name is the bytes of the parameter.
void PrintTo(const Format &format, std::ostream *stream) {
  *stream << format.name;
}

class Compressed : public testing::TestWithParam<Format> {};

Result<std::string> readAll(const std::string &bytes) {
  TemporaryFile file(bytes, ".bin");
  auto input = InputFile::open(file.path, "E-traces-020", "the file");
  if (!input)
    return input.error();
  std::string content;
  if (Status status = (*input)->readRest(content); !status)
    return status.error();
  return content;
}

void expectWrong(const std::string &bytes, const std::string &message) {
  auto content = readAll(bytes);
  ASSERT_FALSE(content) << message;
  EXPECT_EQ(content.error().id, "E-traces-009");
  EXPECT_THAT(content.error().message, HasSubstr(message));
  EXPECT_THAT(content.error().file, HasSubstr(".bin"));
}

/// Text that does not compress to nothing, of any length.
std::string text(std::size_t bytes) {
  std::string result;
  for (uint32_t state = 1; result.size() < bytes; state = state * 69069 + 1)
    result += "f(" + std::to_string(state >> 8) + ")\n";
  result.resize(bytes);
  return result;
}

TEST_P(Compressed, filesOfAnyLengthAreRead) {
  // Around the size of the reader's buffer, packed or not.
  for (std::size_t bytes : {0u, 1u, 65535u, 65536u, 65537u, 300000u}) {
    auto content = readAll(GetParam().pack(text(bytes)));
    ASSERT_TRUE(content) << content.error().str();
    EXPECT_TRUE(*content == text(bytes)) << bytes;
  }
}

TEST_P(Compressed, membersFollowEachOther) {
  std::string bytes, expected;
  for (std::size_t size : {5u, 0u, 70000u, 3u}) {
    bytes += GetParam().pack(text(size));
    expected += text(size);
  }
  auto content = readAll(bytes);
  ASSERT_TRUE(content) << content.error().str();
  EXPECT_TRUE(*content == expected);
}

TEST_P(Compressed, zerosMayFollowWhereTheFormatAllowsThem) {
  const std::string bytes = GetParam().pack("abc") + std::string(8, '\0');
  if (!GetParam().takesPadding)
    return expectWrong(bytes, "damaged");
  auto content = readAll(bytes);
  ASSERT_TRUE(content) << content.error().str();
  EXPECT_EQ(*content, "abc");
}

TEST_P(Compressed, everyCutIsRefused) {
  const std::string bytes = GetParam().pack(text(500));
  for (std::size_t size = 6; size < bytes.size(); ++size)
    expectWrong(bytes.substr(0, size),
                std::string(GetParam().name) + " data are cut short");
}

TEST_P(Compressed, damagedBytesAreRefused) {
  const std::string good = GetParam().pack(text(500));
  unsigned refused = 0, total = 0;
  for (std::size_t at = 10; at < good.size(); ++at, ++total) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    auto content = readAll(bad);
    EXPECT_TRUE(!content || *content == text(500)) << at;
    refused += !content;
  }
  EXPECT_EQ(refused, total);
  expectWrong(good + "what follows", "damaged: ");
}

TEST_P(Compressed, tracesAndControlFilesAreReadWhateverTheirName) {
  Bytes trace = pcapHeader();
  for (unsigned index = 0; index < 40; ++index)
    pcapPacket(trace, 7, index, std::string(60 + index, char(index)));
  TemporaryFile plain(trace.bytes);
  TemporaryFile packed(GetParam().pack(trace.bytes));
  auto expected = readTrace(plain.path, 4), found = readTrace(packed.path, 4);
  ASSERT_TRUE(expected && found) << found.error().str();
  ASSERT_EQ(found->size(), 40u);
  for (unsigned index = 0; index < 40; ++index)
    EXPECT_EQ((*found)[index].bytes, (*expected)[index].bytes);

  TemporaryFile control(GetParam().pack("f(1)\ng(2)\n"), ".control");
  auto calls = readControlFile(control.path);
  ASSERT_TRUE(calls) << calls.error().str();
  ASSERT_EQ(calls->size(), 2u);
  EXPECT_EQ((*calls)[1].line, 2u);

  TemporaryFile cut(GetParam().pack(trace.bytes).substr(0, 60));
  auto refused = readTrace(cut.path, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, "E-traces-009");
  EXPECT_EQ(refused.error().file, cut.path);
}

TEST_P(Compressed, whatIsPackedTwiceIsNoTrace) {
  TemporaryFile file(GetParam().pack(GetParam().pack(pcapHeader().bytes)));
  auto packets = readTrace(file.path, 4);
  ASSERT_FALSE(packets);
  EXPECT_EQ(packets.error().id, "E-traces-005");
}

INSTANTIATE_TEST_SUITE_P(Formats, Compressed,
                         testing::Values(Format{"gzip", gzipped, true},
                                         Format{"zstd", zstdPacked, false},
                                         Format{"xz", xzPacked, true}),
                         [](const testing::TestParamInfo<Format> &info) {
                           return info.param.name;
                         });

} // namespace
