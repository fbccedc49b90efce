// ixp-as: the microcode assembler.

#include "support/CommandLine.h"
#include "support/Error.h"
#include "support/Files.h"
#include "target-ixp/assembler/ProgramImage.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeConstants.h"
#include "target-ixp/image/WordFile.h"
#include "target-ixp/table/InstructionReference.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>

using namespace karakal;
using namespace karakal::target;

namespace {

struct Arguments {
  std::string input, output = "-", format = "words", target = "ixp2400";
  std::string replaced; ///< image whose program is replaced, or empty
  std::vector<std::string> defines;
  std::vector<std::string> includePaths;
  bool listing = false, strict = false;
};

void declareArguments(CLI::App &app, Arguments &arguments) {
  app.add_option("input", arguments.input,
                 "the microcode file, - for standard input")
      ->required();
  app.add_option("-o,--output", arguments.output,
                 "the file to write, - for standard output (the default)");
  app.add_option("--format", arguments.format,
                 "words: ten hexadecimal digits per line; bytes: five bytes "
                 "per word, big-endian; ixp: an image that runs on engine 1")
      ->check(CLI::IsMember({"words", "bytes", "ixp"}))
      ->capture_default_str();
  app.add_option("--replace", arguments.replaced,
                 "with --format=ixp: write this image with its program "
                 "replaced by the assembled one");
  app.add_option("-D,--define", arguments.defines,
                 "define NAME, or NAME as TOKENS, like #define")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-I,--include", arguments.includePaths,
                 "a folder that #include searches")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--target", arguments.target,
                 "the chip, whose control store bounds the program (default: "
                 "ixp2400)");
  app.add_flag("--listing", arguments.listing,
               "print the number of each register and signal, and the size");
  app.add_flag("--strict", arguments.strict, "treat warnings as errors");
  app.add_flag_callback(
      "--describe",
      [] {
        std::cout << instructionReference();
        throw CLI::Success();
      },
      "print the reference of all instructions (Markdown) and stop");
  app.add_flag_callback(
      "--predefined",
      [] {
        std::cout << runtimeConstantDefines();
        throw CLI::Success();
      },
      "print the predefined names and their values as #define lines and stop");
  app.footer("Exit status: 0 done, 1 the input is wrong, 2 the command line is "
             "wrong.");
}

/// The error in the arguments, or an empty string.
std::string usageError(const Arguments &arguments) {
  if (!arguments.replaced.empty() && arguments.format != "ixp")
    return "--replace requires --format=ixp";
  if (arguments.format == "ixp" && arguments.output == "-")
    return "an image requires an output file: -o NAME.ixp";
  return "";
}

Result<AssemblerOptions> optionsOf(const Arguments &arguments) {
  AssemblerOptions options;
  auto chip = parseChip(arguments.target);
  if (!chip)
    return chip.error();
  options.chip = *chip;
  options.includePaths = arguments.includePaths;
  for (const std::string &define : arguments.defines) {
    size_t equals = define.find('=');
    options.defines[define.substr(0, equals)] =
        equals == std::string::npos ? "" : define.substr(equals + 1);
  }
  return options;
}

int fail(const Error &error) {
  std::cerr << error.str() << "\n";
  return ExitInputWrong;
}

void printListing(const AssembledProgram &program, const ChipParameters &chip) {
  for (const auto &[name, place] : program.registers)
    std::fprintf(stderr, "%-8s %s\n", place.c_str(), name.c_str());
  std::fprintf(stderr, "%zu words of %llu\n", program.words.size(),
               static_cast<unsigned long long>(chip.meControlStore));
}

/// Assembles the input and prints all diagnostics. Returns nothing on errors.
std::optional<AssembledProgram> assemble(const std::string &text,
                                         const Arguments &arguments,
                                         const AssemblerOptions &options) {
  std::vector<Diagnostic> diagnostics;
  auto program =
      assembleText(text, arguments.input == "-" ? "<stdin>" : arguments.input,
                   options, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics)
    std::cerr << diagnostic.str() << "\n";
  if (!program) {
    std::cerr << diagnostics.size() << " error"
              << (diagnostics.size() == 1 ? "" : "s") << "\n";
    return std::nullopt;
  }
  for (const Diagnostic &warning : program->warnings)
    std::cerr << warning.str("warning") << "\n";
  if (arguments.strict && !program->warnings.empty())
    return std::nullopt;
  return program;
}

std::string stem(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

Status writeOutput(const AssembledProgram &program,
                   const Arguments &arguments) {
  if (arguments.format == "words")
    return writeFile(arguments.output, wordsAsText(program.words));
  if (arguments.format == "bytes")
    return writeFile(arguments.output, wordsAsBytes(program.words));
  std::string name = arguments.input == "-" ? "program" : stem(arguments.input);
  Result<Image> image = arguments.replaced.empty()
                            ? programImage(program, name, arguments.target)
                            : replaceProgram(arguments.replaced, program);
  if (!image)
    return image.error();
  return writeImage(arguments.output, *image);
}

} // namespace

int main(int argc, char **argv) {
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty()) {
    std::cerr << "error: " << empty << "\n";
    return ExitUsageWrong;
  }
  CLI::App app{"Assembles Intel microcode for a microengine of the IXP2400.\n"
               "Reports every error of the file with its source line.",
               "ixp-as"};
  app.set_version_flag("--version", versionOf("ixp-as"), versionHelp);
  Arguments arguments;
  declareArguments(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  if (std::string wrong = usageError(arguments); !wrong.empty()) {
    std::cerr << "error: " << wrong << "\n";
    return ExitUsageWrong;
  }
  Result<std::string> text = readFile(arguments.input);
  if (!text)
    return fail(text.error());
  Result<AssemblerOptions> options = optionsOf(arguments);
  if (!options)
    return fail(options.error());
  auto program = assemble(*text, arguments, *options);
  if (!program)
    return ExitInputWrong;
  if (arguments.listing)
    printListing(*program, options->chip);
  if (Status status = writeOutput(*program, arguments); !status)
    return fail(status.error());
  return ExitDone;
}
