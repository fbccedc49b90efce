// Tests of the constants that runtime/ uses by name.

#include "target-ixp/chip/RuntimeConstants.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/LocalCsrs.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace karakal::target {
namespace {

constexpr const char *files[] = {
    "rx.uc",       "tx.uc",     "packet.ll", "rings.ll",    "engines.ll",
    "exchange.ll", "power.ll",  "locks.ll",  "services.ll", "xscale.ll",
    "atomics.ll",  "divide.ll", "punts.ll",  "order.ll",    "unordered.ll"};

std::string textOf(const std::string &file) {
  std::ifstream stream(std::string(KARAKAL_RUNTIME_DIR) + "/" + file);
  EXPECT_TRUE(bool(stream)) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The words of the code of a runtime file, without comments and without the
/// declarations of external globals.
std::set<std::string> wordsOf(const std::string &file) {
  std::istringstream stream(textOf(file));
  std::set<std::string> words;
  for (std::string line; std::getline(stream, line);) {
    line = line.substr(0, line.find(';'));
    if (line.find(" = external ") != std::string::npos)
      continue;
    std::string word;
    for (char c : line + " ")
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
        word += c;
      else if (!word.empty())
        words.insert(std::exchange(word, ""));
  }
  return words;
}

std::optional<AssembledProgram> assemble(const std::string &text,
                                         std::vector<Diagnostic> &diagnostics,
                                         const AssemblerOptions &options = {}) {
  return assembleText(text, "test.uc", options, diagnostics);
}

TEST(RuntimeConstants, EachIsUsedByTheRuntime) {
  std::set<std::string> used;
  for (const char *file : files)
    used.merge(wordsOf(file));
  for (const RuntimeConstant &constant : runtimeConstants())
    EXPECT_TRUE(used.count(constant.name)) << constant.name;
}

TEST(RuntimeConstants, TheRuntimeHasNoAddressAsALiteral) {
  // Smaller values are also bit positions, masks and counts.
  constexpr uint32_t smallest = 1024;
  for (const char *file : files) {
    std::set<std::string> words = wordsOf(file);
    for (const RuntimeConstant &constant : runtimeConstants()) {
      if (constant.value < smallest)
        continue;
      std::ostringstream hexadecimal;
      hexadecimal << "0x" << std::hex << constant.value;
      for (const std::string &literal :
           {std::to_string(constant.value), hexadecimal.str(),
            "u" + hexadecimal.str()})
        EXPECT_FALSE(words.count(literal))
            << file << ": " << literal << " is " << constant.name;
    }
  }
}

TEST(RuntimeConstants, TheRuntimeHasNoLocalCsrAsALiteral) {
  for (const char *file : files) {
    std::string text = textOf(file);
    for (const char *use : {"@__ixp_local_csr_rd(i32 ", "i32 %csr, "})
      for (size_t at = text.find(use); at != std::string::npos;
           at = text.find(use, at + 1)) {
        char first = text[at + std::string(use).size()];
        EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(first)))
            << file << ": " << text.substr(at, 40);
      }
  }
  EXPECT_EQ(runtimeConstant("IXP_CSR_TIMESTAMP_LOW"), Csr_TIMESTAMP_LOW);
}

TEST(RuntimeConstants, NamesAreUniqueAndBeginWithTheirPrefix) {
  std::set<std::string> seen;
  for (const RuntimeConstant &constant : runtimeConstants()) {
    EXPECT_TRUE(seen.insert(constant.name).second) << constant.name;
    EXPECT_EQ(std::string(constant.name).rfind("IXP_", 0), 0u);
  }
}

TEST(RuntimeConstants, LookUpFindsAValueOrNothing) {
  EXPECT_EQ(runtimeConstant("IXP_DROP_COUNTERS"), DropCounterBase);
  EXPECT_EQ(runtimeConstant("IXP_DROPS_NO_PORT"), DropCounterBase + 8);
  EXPECT_EQ(runtimeConstant("IXP_UNKNOWN"), std::nullopt);
}

TEST(RuntimeConstants, TheAssemblerPredefinesThem) {
  for (const RuntimeConstant &constant : runtimeConstants()) {
    std::vector<Diagnostic> diagnostics;
    std::string name = constant.name;
    EXPECT_TRUE(assemble("#if !defined(" + name + ") || " + name +
                             " != " + std::to_string(constant.value) +
                             "\n#error \"wrong\"\n#endif\nnop\n",
                         diagnostics))
        << name;
  }
}

TEST(RuntimeConstants, ASourceCannotRedefineThem) {
  for (const char *directive :
       {"#define IXP_HEADROOM 5\n", "#define_eval IXP_HEADROOM 5\n",
        "#undef IXP_HEADROOM\n", "#macro IXP_HEADROOM()\nnop\n#endm\n"}) {
    std::vector<Diagnostic> diagnostics;
    EXPECT_FALSE(assemble(std::string(directive) + "nop\n", diagnostics));
    ASSERT_EQ(diagnostics.size(), 1u) << directive;
    EXPECT_EQ(diagnostics[0].error.id, "E-target-ixp-106");
    EXPECT_NE(diagnostics[0].error.message.find("predefined"),
              std::string::npos);
  }
  AssemblerOptions options;
  options.defines["IXP_HEADROOM"] = "5";
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(assemble("nop\n", diagnostics, options));
  EXPECT_EQ(diagnostics.size(), 1u);
}

} // namespace
} // namespace karakal::target
