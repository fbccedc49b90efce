//===- MutationTest.cpp - no text crashes the front end -------------------===//
//
// Takes the programs of the repository and changes them at random, with fixed
// seeds: characters and tokens deleted, doubled, swapped, replaced; lines
// moved; files cut. Whatever comes out, the front end either reports errors or
// makes a module that verifies. KARAKAL_MUTANTS sets how many are tried for
// each program.
//
//===----------------------------------------------------------------------===//

#include "baker-lang/Frontend.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace karakal;
namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> programs() {
  std::vector<fs::path> paths;
  for (const char *folder : {"apps", "tests/baker-lang"})
    for (const auto &entry : fs::recursive_directory_iterator(
             fs::path(KARAKAL_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".baker")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Words, numbers and single other characters.
std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    auto isWord = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

class Mutator {
public:
  explicit Mutator(uint32_t seed) : random(seed) {}

  std::string mutate(std::string text) {
    for (size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes)
      text = below(4) == 0 ? mutateCharacters(text) : mutateTokens(text);
    return text;
  }

private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random() % limit; }

  std::string mutateCharacters(std::string text) {
    size_t at = below(text.size());
    switch (below(4)) {
    case 0:
      return text.erase(at, 1 + below(4));
    case 1:
      text[at] = char(below(256));
      return text;
    case 2:
      return text.substr(0, at);
    default:
      return text.insert(at, 1, "(){}[];,.*->'\"/#\\\n"[below(18)]);
    }
  }

  std::string mutateTokens(const std::string &text) {
    static const char *const words[] = {"{",
                                        "}",
                                        "(",
                                        ")",
                                        ";",
                                        "*",
                                        "->",
                                        ".",
                                        "u32",
                                        "s64",
                                        "u0",
                                        "if",
                                        "while",
                                        "case",
                                        "module",
                                        "ppf",
                                        "wiring",
                                        "0",
                                        "4294967296",
                                        "-1",
                                        "packet_drop(",
                                        "metadata",
                                        "ph",
                                        "packet_decap(",
                                        "channel_put(",
                                        "=",
                                        "++",
                                        "?",
                                        ":",
                                        "return",
                                        "const",
                                        "struct",
                                        "[",
                                        "]",
                                        "true",
                                        "in",
                                        "out",
                                        "sizeof(",
                                        "<<",
                                        "/"};
    std::vector<std::string> tokens = tokensOf(text);
    size_t a = below(tokens.size()), b = below(tokens.size());
    switch (below(5)) {
    case 0:
      tokens.erase(tokens.begin() + a);
      break;
    case 1:
      tokens.insert(tokens.begin() + a, tokens[b]);
      break;
    case 2:
      std::swap(tokens[a], tokens[b]);
      break;
    case 3:
      tokens[a] = words[below(std::size(words))];
      break;
    default:
      tokens.insert(tokens.begin() + a, words[below(std::size(words))]);
    }
    std::string result;
    for (const std::string &token : tokens)
      result += token;
    return result;
  }

  std::minstd_rand random;
};

/// Runs the front end over `text`; true if it found no errors.
bool compile(const std::string &text, const fs::path &file) {
  std::ofstream(file, std::ios::binary) << text;
  Diagnostics diagnostics;
  auto program = lang::parseAndCheck({file.string()}, diagnostics);
  std::ostringstream printed;
  diagnostics.print(printed, /*colour=*/true);
  EXPECT_EQ(diagnostics.hasErrors(),
            printed.str().find("error") != std::string::npos &&
                diagnostics.errorCount() > 0);
  if (diagnostics.hasErrors())
    return false;
  mlir::MLIRContext context;
  auto module = lang::lowerToIr(*program, diagnostics.sources(), context);
  return bool(module);
}

} // namespace

TEST(Mutation, NoTextCrashesTheFrontEnd) {
  const char *setting = std::getenv("KARAKAL_MUTANTS");
  unsigned count = setting ? unsigned(std::atoi(setting)) : 4;
  fs::path folder = fs::path(testing::TempDir()) / "baker-mutants";
  fs::create_directories(folder);
  unsigned good = 0, bad = 0;
  uint32_t seed = 1;
  for (const fs::path &path : programs()) {
    std::string original = textOf(path);
    for (unsigned i = 0; i < count; ++i, ++seed) {
      // The file is left behind if the front end crashes on it.
      fs::path file = folder / ("seed-" + std::to_string(seed) + ".baker");
      (compile(Mutator(seed).mutate(original), file) ? good : bad) += 1;
      fs::remove(file);
    }
  }
  // Both kinds of outcome were seen.
  EXPECT_GT(good, 0u);
  EXPECT_GT(bad, 0u);
}

TEST(Mutation, DeepNestingIsRefusedNotCrashedOn) {
  auto repeated = [](const std::string &text, unsigned count) {
    std::string result;
    for (unsigned i = 0; i < count; ++i)
      result += text;
    return result;
  };
  fs::path file = fs::path(testing::TempDir()) / "baker-deep.baker";
  const unsigned deep = 20000;
  std::string head = "u32 f(u32 x) { ";
  EXPECT_FALSE(compile(head + "return " + repeated("(", deep) + "x" +
                           repeated(")", deep) + "; }",
                       file));
  EXPECT_FALSE(compile(head + "return " + repeated("-", deep) + "x; }", file));
  EXPECT_FALSE(compile(head + "return x" + repeated("+x", deep) + "; }", file));
  EXPECT_FALSE(compile(
      head + repeated("{", deep) + repeated("}", deep) + " return x; }", file));
  EXPECT_FALSE(compile(head + repeated("if (x) ", deep) + "return x; }", file));
  EXPECT_FALSE(compile(
      head + repeated("if (x) x = 1; else ", deep) + "return x; }", file));
  EXPECT_FALSE(compile(head + "x = " + repeated("x = ", deep) + "x; }", file));
  EXPECT_FALSE(compile(head + "return x" + repeated("[x", deep) + "; }", file));
  EXPECT_FALSE(compile("u32 g = " + repeated("{", deep), file));
  EXPECT_FALSE(
      compile(head + repeated("if (x) x = 1; ", deep) + "return x; }", file));
  EXPECT_FALSE(
      compile(head + repeated("while (x) ", 500) + "return x; }", file));
  fs::remove(file);
}
