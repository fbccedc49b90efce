// The microcode assembler.

#include "support/Error.h"
#include "support/Files.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/image/Manifest.h"
#include "target-ixp/table/InstructionReference.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>

using namespace karakal;
using namespace karakal::target;

namespace {

std::string hexWords(const std::vector<uint64_t> &words) {
  std::string text;
  char line[16];
  for (uint64_t word : words) {
    std::snprintf(line, sizeof line, "%010llx\n",
                  static_cast<unsigned long long>(word));
    text += line;
  }
  return text;
}

std::string bytes(const std::vector<uint64_t> &words) {
  std::string text;
  for (uint64_t word : words)
    for (int shift = 32; shift >= 0; shift -= 8)
      text += static_cast<char>(word >> shift);
  return text;
}

std::string stem(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

/// An image with the one program on engine 1.
Image imageOf(const AssembledProgram &program, const std::string &name) {
  Image image;
  image.manifest = defaultManifest(name, "asm");
  image.manifest["aggregates"].push_back({{"name", name},
                                          {"ucode", name},
                                          {"words", program.words.size()},
                                          {"engines", {AppEngineFirst}}});
  image.manifest["engines"].push_back({{"engine", AppEngineFirst},
                                       {"role", "app"},
                                       {"ucode", name},
                                       {"aggregate", name}});
  image.microcode[name] = program.words;
  image.lines[name] = program.lines;
  return image;
}

/// The image at `path`, whose program on the application's engines gives way
/// to this one; tables and their set-up stay.
Result<Image> replacedIn(const std::string &path,
                         const AssembledProgram &program) {
  Result<Image> image = readImage(path);
  if (!image)
    return image;
  for (auto &aggregate : image->manifest["aggregates"]) {
    std::string name = aggregate["ucode"];
    aggregate["words"] = program.words.size();
    image->microcode[name] = program.words;
    image->lines[name] = program.lines;
  }
  return image;
}

void printListing(const AssembledProgram &program) {
  for (const auto &[name, place] : program.registers)
    std::fprintf(stderr, "%-8s %s\n", place.c_str(), name.c_str());
  std::fprintf(stderr, "%zu words of %u\n", program.words.size(),
               ControlStoreWords);
}

int fail(const Error &error) {
  std::cerr << error.str() << "\n";
  return ExitInputWrong;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Assembles Intel microcode for a microengine of the IXP2400.\n"
               "Reports every error of the file, with its line and a caret.",
               "ixp-as"};
  std::string input, output = "-", format = "words", replaced;
  std::vector<std::string> defines;
  AssemblerOptions options;
  bool listing = false, strict = false;
  app.add_option("input", input, "the microcode file, - for standard input")
      ->required();
  app.add_option("-o,--output", output,
                 "the file to write, - for standard output (the default)");
  app.add_option("--format", format,
                 "words: ten hexadecimal digits a line; bytes: five bytes a "
                 "word, big-endian; ixp: an image that runs on engine 1")
      ->check(CLI::IsMember({"words", "bytes", "ixp"}))
      ->capture_default_str();
  app.add_option("--replace", replaced,
                 "with --format=ixp: an image that bakerc has made; write it "
                 "with this program in place of its own");
  app.add_option("-D,--define", defines, "NAME or NAME=TOKENS, as by #define")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-I,--include", options.includePaths,
                 "a folder that #include searches")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--listing", listing,
               "print where registers and signals were put, and the size");
  app.add_flag("--strict", strict, "let a warning keep the output away");
  app.add_flag_callback(
      "--describe",
      [] {
        std::cout << instructionReference();
        throw CLI::Success();
      },
      "print the reference of all instructions (Markdown) and stop");
  app.footer("Exit status: 0 done, 1 the input is wrong, 2 the command line is "
             "wrong.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  if (!replaced.empty() && format != "ixp") {
    std::cerr << "error: --replace goes with --format=ixp\n";
    return ExitUsageWrong;
  }
  if (format == "ixp" && output == "-") {
    std::cerr << "error: an image needs a file: -o NAME.ixp\n";
    return ExitUsageWrong;
  }
  for (const std::string &define : defines) {
    size_t equals = define.find('=');
    options.defines[define.substr(0, equals)] =
        equals == std::string::npos ? "" : define.substr(equals + 1);
  }

  Result<std::string> text = readFile(input);
  if (!text)
    return fail(text.error());
  std::vector<Diagnostic> diagnostics;
  auto program = assembleText(*text, input == "-" ? "<stdin>" : input, options,
                              diagnostics);
  for (const Diagnostic &diagnostic : diagnostics)
    std::cerr << diagnostic.str() << "\n";
  if (!program) {
    std::cerr << diagnostics.size() << " error"
              << (diagnostics.size() == 1 ? "" : "s") << "\n";
    return ExitInputWrong;
  }
  for (const Diagnostic &warning : program->warnings) {
    std::string text = warning.str();
    size_t error = text.find(": error: ");
    if (error != std::string::npos)
      text.replace(error, 9, ": warning: ");
    std::cerr << text << "\n";
  }
  if (strict && !program->warnings.empty())
    return ExitInputWrong;
  if (listing)
    printListing(*program);
  if (format == "ixp") {
    std::string name = input == "-" ? "program" : stem(input);
    Result<Image> image = replaced.empty() ? imageOf(*program, name)
                                           : replacedIn(replaced, *program);
    if (!image)
      return fail(image.error());
    if (Status status = writeImage(output, *image); !status)
      return fail(status.error());
    return ExitDone;
  }
  std::string made =
      format == "words" ? hexWords(program->words) : bytes(program->words);
  if (Status status = writeFile(output, made); !status)
    return fail(status.error());
  return ExitDone;
}
