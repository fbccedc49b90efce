// The front end as a library.

#include "baker-lang/checks/ParseAndCheck.h"

#include "baker-lang/lower/LowerToIr.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "support/DiagnosticPrinter.h"
#include "tests/baker-lang/CheckedProgram.h"
#include "tests/baker-lang/LongProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace karakal;
namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

std::string messages(const std::string &text, bool colour = false) {
  TempFile file(text);
  Diagnostics diagnostics;
  lang::parseAndCheck({file.path}, diagnostics);
  std::ostringstream out;
  printDiagnostics(diagnostics, out, colour);
  return out.str();
}

constexpr const char *program = R"(
protocol p { a : 8; demux { 1 }; }
module m {
  u32 add(u32 a, u32 b) {
    return a
         + b;
  }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) { ph->a = m.add(1, 2); channel_put(out_cc, ph); }
)";

} // namespace

TEST(Frontend, OperationsCarrySourceLocations) {
  TempFile file(program);
  Diagnostics diagnostics;
  auto tree = lang::parseAndCheck({file.path}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors());
  mlir::MLIRContext context;
  auto module = lang::lowerToIr(*tree, diagnostics.sources(), context);
  unsigned sums = 0;
  module->walk([&](mlir::Operation *op) {
    auto location = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
    ASSERT_TRUE(location) << op->getName().getStringRef().str();
    if (!llvm::isa<mlir::arith::AddIOp>(op))
      return;
    ++sums;
    EXPECT_EQ(location.getFilename().str(), file.path);
    EXPECT_EQ(location.getLine(), 6u);
    EXPECT_EQ(location.getColumn(), 10u);
  });
  EXPECT_EQ(sums, 1u);
}

TEST(Frontend, TwoCompilationsPrintTheSameModule) {
  auto print = [] {
    TempFile file(program);
    Diagnostics diagnostics;
    auto tree = lang::parseAndCheck({file.path}, diagnostics);
    mlir::MLIRContext context;
    auto module = lang::lowerToIr(*tree, diagnostics.sources(), context);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  };
  std::string first = print();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, print());
}

TEST(Frontend, MissingFileIsAnError) {
  Diagnostics diagnostics;
  lang::parseAndCheck({"/no/such/file.baker"}, diagnostics);
  ASSERT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.all()[0].id, "E-baker-001");
}

TEST(Frontend, DirectoryIsAnError) {
  Diagnostics diagnostics;
  lang::parseAndCheck({testing::TempDir()}, diagnostics);
  EXPECT_EQ(diagnostics.all()[0].id, "E-baker-001");
}

TEST(Frontend, TextThatIsNotUtf8IsAnError) {
  EXPECT_THAT(messages("const u32 A = 1;\n// \xff\n"),
              HasSubstr(":2:4: error"));
  Diagnostics diagnostics;
  std::string path = testing::TempDir() + "not-utf8.baker";
  std::ofstream(path) << "// ab\xff ";
  lang::parseAndCheck({path}, diagnostics);
  EXPECT_EQ(diagnostics.all()[0].range.begin, 5u);
  EXPECT_EQ(diagnostics.all()[0].range.end, 6u);
  EXPECT_THAT(messages(std::string("a\0b", 3)), HasSubstr("null byte"));
  EXPECT_THAT(messages("\xe2\x82"), HasSubstr("not UTF-8"));
  EXPECT_THAT(messages("\xc0\x80"), HasSubstr("not UTF-8"));
}

TEST(Frontend, ColumnsCountCharacters) {
  std::string text = messages("/* \xe2\x82\xac\xe2\x82\xac */ $\n");
  EXPECT_THAT(text, HasSubstr(":1:10: error: '$'"));
  EXPECT_THAT(text, HasSubstr("\n           ^\n"));
}

TEST(Frontend, ByteOrderMarkAndCarriageReturnsAreIgnored) {
  std::string text = messages("\xef\xbb\xbf$\r\n");
  EXPECT_THAT(text, HasSubstr(":1:1: error"));
  EXPECT_THAT(text, HasSubstr("\n  $\n  ^\n"));
}

TEST(Frontend, TheUnderlineRepeatsTabs) {
  EXPECT_THAT(messages("\t$\n"), HasSubstr("\n  \t$\n  \t^\n"));
}

TEST(Frontend, MessagesHaveColourOnRequestOnly) {
  EXPECT_THAT(messages("$", true), HasSubstr("\033[31m"));
  EXPECT_EQ(messages("$", false).find('\033'), std::string::npos);
}

TEST(Frontend, ControlCharactersOfTheSourceAreNotPrinted) {
  std::string text = messages("$ // \x1b[2J\n");
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(Frontend, DiagnosticsAreInTheOrderOfTheText) {
  std::string text = messages("u32 f() { return b; }\nu129 c;\nx y;\n$\n");
  size_t first = text.find(":1:"), second = text.find(":2:");
  size_t third = text.find(":3:"), fourth = text.find(":4:");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, fourth);
  EXPECT_NE(fourth, std::string::npos);
}

TEST(DiagnosticCatalogue, EveryDiagnosticHasATest) {
  std::set<std::string> tested;
  for (const auto &entry : fs::recursive_directory_iterator(
           fs::path(KARAKAL_SOURCE_DIR) / "tests" / "baker-lang")) {
    std::string extension = entry.path().extension().string();
    if (extension != ".baker" && extension != ".cases" && extension != ".cpp")
      continue;
    std::ifstream stream(entry.path());
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    for (size_t at = text.find("E-baker-"); at != std::string::npos;
         at = text.find("E-baker-", at + 1))
      tested.insert(text.substr(at, 11));
  }
  // This file provokes these two and checks their texts.
  tested.insert({"E-baker-002", "E-baker-007"});
  std::set<std::string> ids;
#define DIAGNOSTIC(number, name, title)                                        \
  EXPECT_TRUE(ids.insert(lang::idText(lang::DiagId::name)).second);            \
  EXPECT_TRUE(tested.count(lang::idText(lang::DiagId::name)))                  \
      << "no test shows " << lang::idText(lang::DiagId::name) << ", "          \
      << title;
#define WARNING(number, name, flag, byDefault, title)                          \
  DIAGNOSTIC(number, name, title)
#include "baker-lang/syntax/DiagnosticCatalogue.def"
}

TEST(Frontend, AProgramOf5000LinesCompiles) {
  TempFile file(longProgram(5000));
  Diagnostics diagnostics;
  auto program = lang::parseAndCheck({file.path}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors());
  mlir::MLIRContext context;
  auto module = lang::lowerToIr(*program, diagnostics.sources(), context);
  ASSERT_TRUE(bool(module));
  EXPECT_NE(module->lookupSymbol("find249"), nullptr);
}
