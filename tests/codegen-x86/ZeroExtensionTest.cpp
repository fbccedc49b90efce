// The way around LLVM's fault with zero extensions.

#include "codegen-x86/ZeroExtension.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace karakal::x86;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A function that joins `high` and `low`, words of 32 bits, and extends them.
std::string joined(const std::string &high, const std::string &low,
                   const std::string &join = "or disjoint") {
  return "define i64 @f(i64 %x, i64 %y, ptr %p) {\n  %t = trunc i64 %x to i32\n"
         "  %b8 = load i8, ptr %p\n  %b16 = load i16, ptr %p\n"
         "  %u = trunc i64 %y to i32\n  %h = " +
         high + "\n  %l = " + low + "\n  %w = " + join +
         " i32 %h, %l\n  %z = zext i32 %w to i64\n  ret i64 %z\n}\n";
}

struct ZeroExtension : testing::Test {
  /// The function after the guard.
  std::string guarded(const std::string &text) {
    llvm::SMDiagnostic problem;
    auto module = llvm::parseAssemblyString(text, problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    if (!module)
      return "";
    unsigned found = guardZeroExtensions(*module);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    std::string out;
    llvm::raw_string_ostream(out) << *module;
    EXPECT_EQ(found != 0, out.find("asm") != std::string::npos);
    return out;
  }
  llvm::LLVMContext context;
};

const std::string masked = "and i32 %t, -256";
const std::string byte = "zext i8 %b8 to i32";

} // namespace

TEST_F(ZeroExtension, AWordWithAByteFromMemoryIsGuarded) {
  EXPECT_THAT(guarded(joined(masked, byte)),
              HasSubstr("%1 = call i32 asm \"\", \"=r,0\"(i32 %w)\n"
                        "  %z = zext i32 %1 to i64"));
  EXPECT_THAT(guarded(joined(byte, masked)), HasSubstr("asm"));
}

TEST_F(ZeroExtension, OtherFormsOfTheWordAreGuarded) {
  EXPECT_THAT(guarded(joined(masked, "and i32 %u, 255")), HasSubstr("asm"));
  EXPECT_THAT(guarded(joined("and i32 %t, 16776960", byte)), HasSubstr("asm"));
  EXPECT_THAT(guarded(joined("and i32 %t, -65536", "zext i16 %b16 to i32")),
              HasSubstr("asm"));
  for (const char *join : {"or", "add", "xor"})
    EXPECT_THAT(guarded(joined(masked, byte, join)), HasSubstr("asm")) << join;
}

TEST_F(ZeroExtension, WordsThatOverlapOrAreShiftedStay) {
  EXPECT_THAT(guarded(joined("and i32 %t, -128", byte)), Not(HasSubstr("asm")));
  EXPECT_THAT(guarded(joined("shl i32 %t, 8", byte)), Not(HasSubstr("asm")));
  EXPECT_THAT(guarded(joined(masked, "and i32 %u, 511")),
              Not(HasSubstr("asm")));
}

TEST_F(ZeroExtension, WordsThatAreNotExtendedStay) {
  EXPECT_THAT(guarded("define i32 @f(i32 %t, ptr %p) {\n"
                      "  %b8 = load i8, ptr %p\n  %h = and i32 %t, -256\n"
                      "  %l = zext i8 %b8 to i32\n  %w = or i32 %h, %l\n"
                      "  ret i32 %w\n}\n"),
              Not(HasSubstr("asm")));
}
