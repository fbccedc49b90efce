// ixp-dis: the microcode disassembler.

#include "support/CommandLine.h"
#include "support/Error.h"
#include "support/Files.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/image/WordFile.h"
#include "target-ixp/table/Printer.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace karakal;
using namespace karakal::target;

namespace {

int fail(const Error &error) {
  std::cerr << error.str() << "\n";
  return ExitInputWrong;
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
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty()) {
    std::cerr << "error: " << empty << "\n";
    return ExitUsageWrong;
  }
  CLI::App app{"Disassembles microcode of the IXP2400, in Intel's syntax.\n"
               "ixp-as assembles the text of one program to the same words.",
               "ixp-dis"};
  app.set_version_flag("--version", versionOf("ixp-dis"), versionHelp);
  std::string input, aggregate;
  ListingOptions options;
  app.add_option(
         "input", input,
         "an .ixp image, a list of words (ten hexadecimal digits "
         "per line), a file of five-byte words, or - for standard input")
      ->required();
  app.add_option("--aggregate", aggregate,
                 "with an image, print only this microcode: rx, tx or the "
                 "name of an aggregate (default: all)");
  app.add_flag("--words", options.words,
               "add a comment with address and word to each instruction");
  app.add_flag("--lines", options.showLines,
               "add a comment with the source line to each instruction, if "
               "the image records it");
  app.footer("Exit status: 0 done, 1 the input is wrong, 2 the command line is "
             "wrong.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }

  Result<std::string> read = readFile(input);
  if (!read)
    return fail(read.error());
  const std::string &contents = *read;
  if (contents.compare(0, 4,
                       "\x7f"
                       "ELF") == 0)
    return printImage({contents.begin(), contents.end()}, input, aggregate,
                      options);
  if (!aggregate.empty() && !contents.empty()) {
    std::cerr << "error: --aggregate requires an .ixp image\n";
    return ExitUsageWrong;
  }
  Result<std::vector<uint64_t>> words = parseWordFile(contents, input);
  if (!words)
    return fail(words.error());
  std::cout << printProgram(*words, options);
  return ExitDone;
}
