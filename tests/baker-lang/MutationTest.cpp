// No text crashes the front end.
//
// Changes the programs of the repository at random, with fixed seeds: deletes,
// doubles, swaps and replaces characters and tokens, moves lines, cuts files.
// For every result the front end reports errors or makes a module that
// verifies. KARAKAL_MUTANTS sets the number of mutants for each program.

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/lower/LowerToIr.h"
#include "support/DiagnosticPrinter.h"
#include "llvm/Support/Compiler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
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

/// Far above what any text takes, also beside other work, and far below what
/// exponential time would take. Sanitizers make the front end slower.
constexpr double secondsMax = LLVM_ADDRESS_SANITIZER_BUILD ? 30 : 5;

/// Runs the front end on `text`. Returns true if it found no errors.
bool compileIt(const std::string &text, const fs::path &file);

bool compile(const std::string &text, const fs::path &file) {
  std::clock_t start = std::clock();
  bool isGood = compileIt(text, file);
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, secondsMax) << file;
  return isGood;
}

bool compileIt(const std::string &text, const fs::path &file) {
  std::ofstream(file, std::ios::binary) << text;
  Diagnostics diagnostics;
  auto program = lang::parseAndCheck({file.string()}, diagnostics,
                                     {{KARAKAL_SOURCE_DIR "/runtime"}, {}});
  std::ostringstream printed;
  printDiagnostics(diagnostics, printed, /*hasColour=*/true);
  // At most 100 diagnostics are printed, each with a few lines.
  constexpr size_t printedBytesMax = 400000;
  EXPECT_LT(printed.str().size(), printedBytesMax);
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

namespace {

/// Random texts that mostly satisfy the grammar, but rarely the rules of names
/// and types.
class Sentences {
public:
  explicit Sentences(uint32_t seed) : random(seed) {}

  std::string program() {
    std::string text = "protocol ether { dst : 48; type : 16; demux { 8 }; }\n";
    for (size_t i = 0; i < 2 + below(3); ++i)
      text += (below(4) == 0 ? "const " : "") + type() + " g" +
              std::to_string(i) + "[" + number() +
              (below(2) ? "];\n" : "] = { " + number() + " };\n");
    text += "module m { lock l; ppf p { in ether_pkt * in_cc; out ether_pkt * "
            "out_cc; } wiring { rx -> p.in_cc; p.out_cc -> tx; }\n"
            "p.ppf(ether_pkt * a) " +
            block(3) + " }\n";
    for (size_t i = 0; i < 1 + below(3); ++i)
      text += type() + " " + name() + "(" + type() + oneOf({" a", " * a"}) +
              ", ether_pkt * b) " + block(3) + "\n";
    return text;
  }

private:
  size_t below(size_t limit) { return random() % limit; }
  std::string oneOf(std::initializer_list<const char *> list) {
    return *(list.begin() + below(list.size()));
  }
  std::string name() { return oneOf({"a", "b", "c", "g0", "g1", "m", "l"}); }
  std::string type() {
    return oneOf({"u32", "u8", "s64", "bool", "u128", "int", "lock", "u65"});
  }
  std::string number() {
    return oneOf({"0", "1", "7", "64", "0xff", "4294967296", "'a'"});
  }
  std::string expression(unsigned depth) {
    if (depth == 0 || below(4) == 0)
      return below(2) ? name() : number();
    auto part = [&] { return expression(depth - 1); };
    switch (below(9)) {
    case 0:
      return "(" + part() + ")";
    case 1:
      return oneOf({"-", "!", "~", "++", "(u8)", "(u100)", "*", "&"}) + part();
    case 2:
      return part() + "[" + part() + "]";
    case 3:
      return name() + oneOf({"->dst", "->metadata.rx.port", ".x", "++", "()"});
    case 4:
      return part() + " ? " + part() + " : " + part();
    case 5:
      return oneOf({"packet_copy", "packet_decap", "hash48", "packet_length",
                    "packet_create", "random"}) +
             "(" + part() + ")";
    default:
      return part() +
             oneOf({" + ", " << ", " / ", " == ", " && ", " = ", " -= "}) +
             part();
    }
  }
  std::string statement(unsigned depth) {
    auto value = [&] { return expression(3); };
    if (depth == 0)
      return value() + ";";
    auto inner = [&] { return statement(depth - 1); };
    switch (below(11)) {
    case 0:
      return "if (" + value() + ") " + inner() + " else " + inner();
    case 1:
      return "while (" + value() + ") " + inner();
    case 2:
      return "do " + inner() + " while (" + value() + ");";
    case 3:
      return "for (u32 c = 0; " + value() + "; c++) " + inner();
    case 4:
      return "switch (" + value() + ") { case " + number() + ": " + inner() +
             " default: " + inner() + " }";
    case 5:
      return "critical (" + name() + ") " + inner();
    case 6:
      return below(3) == 0 ? type() + " * " + name() + " = &" + name() + "[" +
                                 value() + "];"
                           : type() + " " + name() +
                                 (below(2) ? "[3];" : " = " + value() + ";");
    case 7:
      return oneOf({"return;", "break;", "continue;", "packet_drop(a);",
                    "channel_put(out_cc, a);", "packet_add_tail(a, 4);"});
    case 8:
      return "trace(\"{}\", " + value() + ");";
    case 9:
      return block(depth - 1);
    default:
      return value() + ";";
    }
  }
  std::string block(unsigned depth) {
    std::string text = "{ ";
    for (size_t i = 0; i < 1 + below(4); ++i)
      text += statement(depth) + " ";
    return text + "}";
  }

  std::minstd_rand random;
};

} // namespace

TEST(Mutation, NoSentenceOfTheGrammarCrashesTheFrontEnd) {
  const char *setting = std::getenv("KARAKAL_SENTENCES");
  unsigned count = setting ? unsigned(std::atoi(setting)) : 100;
  fs::path file = fs::path(testing::TempDir()) / "baker-sentence.baker";
  for (uint32_t seed = 1; seed <= count; ++seed)
    compile(Sentences(seed).program(), file);
  fs::remove(file);
}

TEST(Mutation, LongNamesAreCutInMessages) {
  fs::path file = fs::path(testing::TempDir()) / "baker-long.baker";
  std::string name(200000, 'x');
  EXPECT_FALSE(compile("u32 f() { return " + name + "; }", file));
  EXPECT_FALSE(compile(name + " " + name + ";", file));
  EXPECT_FALSE(compile("u32 " + name + "; u32 " + name + ";", file));
  EXPECT_FALSE(
      compile("u32 f() { return " + std::string(200000, '9') + "; }", file));
  fs::remove(file);
}

TEST(Mutation, DeepNestingIsAnError) {
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
