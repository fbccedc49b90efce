#include "baker-lang/syntax/SourceText.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "support/Text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace karakal::lang {

size_t firstInvalidByte(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    unsigned char lead = static_cast<unsigned char>(text[i]);
    constexpr size_t invalid = 9;
    size_t more = lead < 0x80                   ? 0
                  : lead >= 0xc2 && lead < 0xe0 ? 1
                  : lead >= 0xe0 && lead < 0xf0 ? 2
                  : lead >= 0xf0 && lead < 0xf5 ? 3
                                                : invalid;
    if (more == invalid || i + more >= text.size())
      return i;
    uint32_t point = more == 0 ? lead : lead & (0x3f >> more);
    for (size_t k = 1; k <= more; ++k) {
      if (!isContinuation(text[i + k]))
        return i;
      point = point << 6 | (text[i + k] & 0x3f);
    }
    bool isOverlong =
        (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    if (isOverlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return i;
    i += more + 1;
  }
  return text.size();
}

std::string realPath(const std::string &path) {
  llvm::SmallString<256> result;
  if (llvm::sys::fs::real_path(path, result))
    return path;
  return result.str().str();
}

std::optional<uint32_t> readSource(const std::string &path,
                                   const SourceTexts &texts,
                                   Diagnostics &diagnostics) {
  constexpr size_t bytesMax = 16 << 20;
  auto fail = [&](const std::string &why) {
    diagnostics.add(Severity::Error, idText(DiagId::UnreadableFile),
                    "cannot read '" + path + "': " + why);
    return std::nullopt;
  };
  auto given = texts.find(realPath(path));
  auto buffer = given == texts.end()
                    ? llvm::MemoryBuffer::getFile(path)
                    : llvm::MemoryBuffer::getMemBuffer(given->second);
  if (!buffer)
    return fail(buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (text.size() > bytesMax)
    return fail("it is longer than 16 MiB");
  text.consume_front("\xef\xbb\xbf"); // byte order mark
  uint32_t file = diagnostics.sources().add(path, text.str());
  std::string_view contents = diagnostics.sources().file(file).text();
  size_t bad = std::min(firstInvalidByte(contents), contents.find('\0'));
  if (bad >= contents.size())
    return file;
  report(diagnostics, DiagId::NotUtf8, {file, uint32_t(bad), uint32_t(bad + 1)},
         contents[bad] == '\0' ? "this is a null byte, so the file is no text"
                               : "this byte is not UTF-8 text");
  return std::nullopt;
}

} // namespace karakal::lang
