// The microcode disassembler.

#include "support/Error.h"
#include "support/Files.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/table/Printer.h"

#include <CLI/CLI.hpp>

#include <cctype>
#include <iostream>
#include <sstream>

using namespace karakal;
using namespace karakal::target;

namespace {

int fail(const Error &error) {
  std::cerr << error.str() << "\n";
  return ExitInputWrong;
}

bool isWordList(const std::string &text) {
  for (char c : text)
    if (!std::isxdigit(static_cast<unsigned char>(c)) &&
        !std::isspace(static_cast<unsigned char>(c)))
      return false;
  return true;
}

/// Ten hexadecimal digits a line.
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

int printImage(const std::vector<uint8_t> &bytes, const std::string &name,
               const std::string &aggregate, const ListingOptions &options) {
  Result<Image> image = parseImage(bytes, name);
  if (!image)
    return fail(image.error());
  std::string known;
  for (const auto &[ucode, words] : image->microcode) {
    known += (known.empty() ? "" : ", ") + ucode;
    if (!aggregate.empty() && ucode != aggregate)
      continue;
    ListingOptions listing = options;
    auto lines = image->lines.find(ucode);
    listing.lines = lines == image->lines.end() ? nullptr : &lines->second;
    std::cout << "// " << ucode << ": " << words.size() << " words\n"
              << printProgram(words, listing);
  }
  if (aggregate.empty() || image->microcode.count(aggregate))
    return ExitDone;
  return fail(makeFileError("E-target-ixp-121", name,
                            "the image has no microcode '" + aggregate +
                                "'; it has " + known));
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Disassembles microcode of the IXP2400, in Intel's syntax.\n"
               "ixp-as assembles the text of one program to the same words.",
               "ixp-dis"};
  std::string input, aggregate;
  ListingOptions options;
  bool showLines = false;
  app.add_option("input", input,
                 "an .ixp image, a list of words (ten hexadecimal digits a "
                 "line), a file of five-byte words, or - for standard input")
      ->required();
  app.add_option("--aggregate", aggregate,
                 "of an image, print this microcode only: rx, tx or the name "
                 "of an aggregate (default: all)");
  app.add_flag("--words", options.words,
               "put address and word behind each instruction, as a comment");
  app.add_flag("--lines", showLines,
               "put the source line behind each instruction, if the image "
               "knows it");
  app.footer("Exit status: 0 done, 1 the input is wrong, 2 the command line is "
             "wrong.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  options.showLines = showLines;

  Result<std::string> read = readFile(input);
  if (!read)
    return fail(read.error());
  const std::string &text = *read;
  if (text.compare(0, 4,
                   "\x7f"
                   "ELF") == 0)
    return printImage({text.begin(), text.end()}, input, aggregate, options);
  if (text.empty())
    return fail(makeFileError("E-target-ixp-120", input, "the file is empty"));
  if (!aggregate.empty()) {
    std::cerr << "error: --aggregate needs an .ixp image\n";
    return ExitUsageWrong;
  }
  Result<std::vector<uint64_t>> words =
      isWordList(text) ? parseWords(text, input) : parseBytes(text, input);
  if (!words)
    return fail(words.error());
  std::cout << printProgram(*words, options);
  return ExitDone;
}
