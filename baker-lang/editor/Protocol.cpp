#include "baker-lang/editor/Protocol.h"

#include "support/Error.h"
#include "support/Text.h"

#include <algorithm>
#include <cctype>

using nlohmann::json;

namespace karakal::lang {

std::string pathOfUri(const std::string &uri) {
  std::string encoded = uri.rfind("file://", 0) == 0 ? uri.substr(7) : uri;
  std::string path;
  for (size_t i = 0; i < encoded.size(); ++i)
    if (encoded[i] == '%' && i + 2 < encoded.size()) {
      path += char(std::strtol(encoded.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += encoded[i];
    }
  return path;
}

std::string uriOfPath(const std::string &path) {
  static const char *const digits = "0123456789ABCDEF";
  std::string uri = "file://";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool isPlain = byte < 0x80 &&
                   (std::isalnum(byte) || std::string_view("/-._~").find(c) !=
                                              std::string_view::npos);
    if (isPlain)
      uri += c;
    else
      uri += std::string("%") + digits[byte >> 4] + digits[byte & 15];
  }
  return uri;
}

/// The UTF-16 code units of the character whose first byte is `lead`; 0 for a
/// byte inside of a character.
static uint32_t codeUnitsOf(char lead) {
  auto byte = static_cast<unsigned char>(lead);
  return isContinuation(lead) ? 0 : byte >= 0xf0 ? 2 : 1;
}

uint32_t offsetOf(const SourceFile &file, const json &position) {
  std::string_view text = file.text();
  auto line = position.at("line").get<uint64_t>();
  auto units = position.at("character").get<uint64_t>();
  auto lineCount = uint64_t(std::count(text.begin(), text.end(), '\n')) + 1;
  if (line >= lineCount)
    return uint32_t(text.size());
  uint32_t offset = file.lineStart(uint32_t(line) + 1);
  for (uint64_t seen = 0; offset < text.size() && text[offset] != '\n';
       ++offset) {
    if (seen >= units && codeUnitsOf(text[offset]) > 0)
      break;
    seen += codeUnitsOf(text[offset]);
  }
  return offset;
}

json positionOf(const SourceFile &file, uint32_t offset) {
  std::string_view text = file.text();
  offset = std::min(offset, uint32_t(text.size()));
  uint32_t line = file.location(offset).line;
  KARAKAL_ASSERT(line > 0, "lines start at 1");
  uint32_t units = 0;
  for (uint32_t i = file.lineStart(line); i < offset; ++i)
    units += codeUnitsOf(text[i]);
  return {{"line", line - 1}, {"character", units}};
}

json rangeOf(const SourceFile &file, uint32_t begin, uint32_t end) {
  return {{"start", positionOf(file, begin)},
          {"end", positionOf(file, std::max(begin, end))}};
}

} // namespace karakal::lang
