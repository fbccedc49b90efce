// Lays out Baker text.
//
// baker-format FILE…          prints the files in the usual layout
// baker-format -i FILE…       changes them in place
// baker-format --check FILE…  exit status 1 if one is laid out differently
//
// Without files it formats standard input.

#include "baker-lang/editor/Formatter.h"
#include "baker-lang/syntax/SourceText.h"
#include "support/CommandLine.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

namespace {

std::string contents(std::istream &stream) {
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

struct Options {
  std::vector<std::string> files;
  bool isInPlace = false, isCheck = false;
};

/// The text of `stream` in the usual layout; none if it is not UTF-8.
std::optional<std::string>
formatStream(const std::string &name, std::istream &stream, std::string &text) {
  text = contents(stream);
  size_t invalid = karakal::lang::firstInvalidByte(text);
  if (invalid == text.size())
    return karakal::lang::format(text);
  std::cerr << "baker-format: byte " << invalid << " of " << name
            << " is not UTF-8 text; save the file as UTF-8\n";
  return std::nullopt;
}

/// Formats one file; false if it cannot be read or is laid out differently.
bool formatFile(const std::string &path, const Options &options) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    std::cerr << "baker-format: cannot read '" << path << "'\n";
    return false;
  }
  std::string text;
  auto formatted = formatStream("'" + path + "'", stream, text);
  if (!formatted)
    return false;
  if (options.isCheck) {
    if (text != *formatted)
      std::cerr << path << ": is not formatted\n";
    return text == *formatted;
  }
  if (!options.isInPlace)
    std::cout << *formatted;
  else if (text != *formatted)
    std::ofstream(path, std::ios::binary) << *formatted;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (auto empty = karakal::findEmptyArgument(argc, argv); !empty.empty()) {
    std::cerr << "baker-format: error: " << empty << "\n";
    return 2;
  }
  CLI::App app("Lays out Baker text.");
  app.set_version_flag("--version", karakal::versionOf("baker-format"),
                       karakal::versionHelp);
  Options options;
  app.add_flag("-i", options.isInPlace, "change the files in place");
  app.add_flag("--check", options.isCheck,
               "only say which files are laid out differently");
  app.add_option("files", options.files, "Baker files");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.files.empty()) {
    std::string text;
    auto formatted = formatStream("the standard input", std::cin, text);
    std::cout << formatted.value_or("");
    return formatted ? 0 : 1;
  }
  bool isGood = true;
  for (const std::string &file : options.files)
    isGood &= formatFile(file, options);
  return isGood ? 0 : 1;
}
