// LLVM IR for the XScale core becomes big-endian code at its address.

#include "driver/cores/XScale.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::driver;

namespace {

Result<XScaleCode> compileText(const char *text,
                               const std::vector<std::string> &entries,
                               Level level = Level::O1) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return compileForXScale(*module, entries, level);
}

const XScaleCode::Segment &textOf(const XScaleCode &code) {
  for (const XScaleCode::Segment &segment : code.segments)
    if (segment.name == ".text")
      return segment;
  ADD_FAILURE() << "no .text";
  return code.segments.front();
}

uint32_t wordAt(const XScaleCode &code, uint32_t address) {
  const XScaleCode::Segment &text = textOf(code);
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word = word << 8 | text.bytes.at(address - text.address + i);
  return word;
}

} // namespace

TEST(XScaleTest, CodeIsBigEndianAndAtTheBase) {
  auto code = compileText("define void @entry() { ret void }", {"entry"});
  ASSERT_TRUE(bool(code)) << code.error().message;
  EXPECT_EQ(textOf(*code).address, target::XScaleBase);
  // BX LR, the most significant byte first (BE-32, not BE-8).
  EXPECT_EQ(wordAt(*code, code->symbols.at("entry")), 0xe12fff1eu);
}

TEST(XScaleTest, MemoriesAreAtTheCoresAddresses) {
  auto code =
      compileText("define i32 @entry() {\n"
                  "  %p = inttoptr i32 u0x40000010 to ptr addrspace(1)\n"
                  "  %v = load i32, ptr addrspace(1) %p\n"
                  "  ret i32 %v\n"
                  "}\n",
                  {"entry"});
  ASSERT_TRUE(bool(code)) << code.error().message;
  // MOV r0, #16; ORR r0, r0, #0x90000000; LDR r0, [r0].
  uint32_t entry = code->symbols.at("entry");
  EXPECT_EQ(wordAt(*code, entry), 0xe3a00010u);
  EXPECT_EQ(wordAt(*code, entry + 4), 0xe3800209u);
  EXPECT_EQ(wordAt(*code, entry + 8), 0xe5900000u);
}

TEST(XScaleTest, EveryRuntimeFunctionLinks) {
  auto code =
      compileText("declare i64 @baker_packet_read(i32, i32, i32)\n"
                  "declare i32 @baker_packet_copy(i32)\n"
                  "declare void @baker_packet_drop(i32, i32)\n"
                  "define i64 @entry(i64 %a, i64 %b, i32 %h) {\n"
                  "  %c = call i32 @baker_packet_copy(i32 %h)\n"
                  "  %f = call i64 @baker_packet_read(i32 %c, i32 7, i32 48)\n"
                  "  call void @baker_packet_drop(i32 %c, i32 1)\n"
                  "  %q = udiv i64 %a, %b\n"
                  "  %r = srem i64 %a, %b\n"
                  "  %s = shl i64 %q, %r\n"
                  "  %t = add i64 %s, %f\n"
                  "  ret i64 %t\n"
                  "}\n",
                  {"entry"});
  ASSERT_TRUE(bool(code)) << code.error().message;
}

TEST(XScaleTest, AMissingFunctionIsNamed) {
  auto code = compileText("declare void @nowhere()\n"
                          "define void @entry() {\n"
                          "  call void @nowhere()\n"
                          "  ret void\n"
                          "}\n",
                          {"entry"});
  ASSERT_FALSE(bool(code));
  EXPECT_EQ(code.error().id, "E-driver-020");
  EXPECT_NE(code.error().message.find("nowhere"), std::string::npos);
}

TEST(XScaleTest, TwoCompilationsAreEqual) {
  const char *text = "define i32 @entry(i32 %n) {\n"
                     "  %q = udiv i32 %n, 7\n"
                     "  ret i32 %q\n"
                     "}\n";
  for (Level level : {Level::Base, Level::O1}) {
    auto first = compileText(text, {"entry"}, level);
    auto second = compileText(text, {"entry"}, level);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(textOf(*first).bytes, textOf(*second).bytes);
  }
}

TEST(XScaleTest, EachLevelAboveBaseMakesShorterCode) {
  // A helper that is called once, a sum in memory, a constant in a loop.
  const char *text = "define internal i32 @step(i32 %s, i32 %n) {\n"
                     "  %m = mul i32 %n, %n\n"
                     "  %r = add i32 %s, %m\n"
                     "  ret i32 %r\n"
                     "}\n"
                     "define i32 @entry(i32 %n) {\n"
                     "  %sum = alloca i32\n"
                     "  store i32 0, ptr %sum\n"
                     "  br label %loop\n"
                     "loop:\n"
                     "  %i = phi i32 [ 0, %0 ], [ %j, %loop ]\n"
                     "  %old = load i32, ptr %sum\n"
                     "  %new = call i32 @step(i32 %old, i32 %n)\n"
                     "  store i32 %new, ptr %sum\n"
                     "  %j = add i32 %i, 1\n"
                     "  %isLast = icmp eq i32 %j, 100\n"
                     "  br i1 %isLast, label %end, label %loop\n"
                     "end:\n"
                     "  %result = load i32, ptr %sum\n"
                     "  ret i32 %result\n"
                     "}\n";
  auto base = compileText(text, {"entry"}, Level::Base);
  ASSERT_TRUE(bool(base)) << base.error().message;
  EXPECT_EQ(base->symbols.count("step"), 1u);
  for (Level level : {Level::O1, Level::Swc}) {
    auto code = compileText(text, {"entry"}, level);
    ASSERT_TRUE(bool(code)) << code.error().message;
    EXPECT_EQ(code->symbols.count("step"), 0u);
    EXPECT_LT(textOf(*code).bytes.size() * 2, textOf(*base).bytes.size());
  }
}
