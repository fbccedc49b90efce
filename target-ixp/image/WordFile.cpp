#include "target-ixp/image/WordFile.h"

#include "target-ixp/chip/MemoryMap.h"

#include <cctype>
#include <cstdio>
#include <sstream>

namespace karakal::target {

std::string wordsAsText(const std::vector<uint64_t> &words) {
  std::string text;
  char line[16];
  for (uint64_t word : words) {
    KARAKAL_ASSERT(word >> 40 == 0, "a word has 40 bits");
    std::snprintf(line, sizeof line, "%010llx\n",
                  static_cast<unsigned long long>(word));
    text += line;
  }
  return text;
}

std::string wordsAsBytes(const std::vector<uint64_t> &words) {
  std::string text;
  for (uint64_t word : words) {
    KARAKAL_ASSERT(word >> 40 == 0, "a word has 40 bits");
    for (int shift = 32; shift >= 0; shift -= 8)
      text += static_cast<char>(word >> shift);
  }
  return text;
}

namespace {

bool isWordList(const std::string &text) {
  for (char c : text)
    if (!std::isxdigit(static_cast<unsigned char>(c)) &&
        !std::isspace(static_cast<unsigned char>(c)))
      return false;
  return true;
}

/// Parses ten hexadecimal digits per line.
Result<std::vector<uint64_t>> parseWords(const std::string &text,
                                         const std::string &name) {
  std::vector<uint64_t> words;
  std::istringstream stream(text);
  std::string line;
  for (uint32_t number = 1; std::getline(stream, line); ++number) {
    while (!line.empty() &&
           std::isspace(static_cast<unsigned char>(line.back())))
      line.pop_back();
    if (line.empty())
      continue;
    if (line.size() != 10 || line.find_first_of(" \t") != std::string::npos)
      return makeFileError(
          "E-target-ixp-120", name,
          "'" + line + "' is not a word of ten hexadecimal digits", number);
    words.push_back(std::stoull(line, nullptr, 16));
  }
  return words;
}

Result<std::vector<uint64_t>> parseBytes(const std::string &text,
                                         const std::string &name) {
  if (text.size() % MicrowordBytes)
    return makeFileError("E-target-ixp-120", name,
                         "the file is neither an image, nor a list of words, "
                         "nor words of five bytes: it has " +
                             std::to_string(text.size()) + " bytes");
  std::vector<uint64_t> words(text.size() / MicrowordBytes, 0);
  for (size_t i = 0; i < text.size(); ++i) {
    uint64_t &word = words[i / MicrowordBytes];
    word = word << 8 | static_cast<unsigned char>(text[i]);
  }
  return words;
}

} // namespace

Result<std::vector<uint64_t>> parseWordFile(const std::string &contents,
                                            const std::string &name) {
  if (contents.empty())
    return makeFileError("E-target-ixp-120", name, "the file is empty");
  return isWordList(contents) ? parseWords(contents, name)
                              : parseBytes(contents, name);
}

} // namespace karakal::target
