// Funnel shifts that the optimizer replaces by plain shifts: each user needs
// bits of one operand only. The optimized function must still compute the same.

#include "driver/pipeline/LlvmStage.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace karakal;
using namespace llvm;

namespace {

constexpr uint32_t high = 0x12345678, low = 0x9abcdef0;

/// The function @test after `optimize` at o1. Its arguments are the high and
/// the low operand of the funnel shift, `shift`.
class Optimized {
public:
  Optimized(const std::string &shift, const std::string &uses,
            driver::Level level = driver::Level::O1) {
    std::string text =
        "target datalayout = \"E-p:32:32-p1:32:32-p3:32:32-n32\"\n"
        "declare i32 @llvm.fshl.i32(i32, i32, i32)\n"
        "declare i32 @llvm.fshr.i32(i32, i32, i32)\n"
        "define i32 @test(i32 %high, i32 %low, i32 %amount) {\n"
        " %x = call i32 @llvm." +
        shift + ")\n" + uses +
        " %scaled = udiv i32 %l, 7\n"
        " %r = xor i32 %scaled, %h\n ret i32 %r\n}\n";
    SMDiagnostic problem;
    module = parseIR(MemoryBufferRef(text, "test"), problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    driver::optimize(*module, level, target::ChipParameters(), false);
  }

  unsigned funnels() {
    unsigned count = 0;
    for (Instruction &instr : instructions(*module->getFunction("test")))
      if (auto *call = dyn_cast<IntrinsicInst>(&instr))
        count += call->getIntrinsicID() == Intrinsic::fshl ||
                 call->getIntrinsicID() == Intrinsic::fshr;
    return count;
  }

  /// The result for `high` and `low`.
  uint64_t result() {
    Function *function = module->getFunction("test");
    const uint32_t values[] = {high, low, 8};
    for (unsigned i = 0; i < 3; ++i)
      function->getArg(i)->replaceAllUsesWith(
          ConstantInt::get(Type::getInt32Ty(context), values[i]));
    FunctionAnalysisManager functions;
    PassBuilder builder;
    builder.registerFunctionAnalyses(functions);
    FunctionPassManager passes;
    EXPECT_FALSE(bool(builder.parsePassPipeline(passes, "instsimplify")));
    passes.run(*function, functions);
    auto *returned = cast<ReturnInst>(function->back().getTerminator());
    auto *value = dyn_cast<ConstantInt>(returned->getReturnValue());
    EXPECT_TRUE(value) << "the result is not constant";
    return value ? value->getZExtValue() : 0;
  }

private:
  LLVMContext context;
  std::unique_ptr<Module> module;
};

constexpr uint32_t shifted8 = high << 8 | low >> 24;

/// Expects that the function with these users of the shift keeps `funnels`
/// funnel shifts and computes the same from the values of %l and %h.
void expect(unsigned funnels, const std::string &shift, const std::string &uses,
            uint32_t l, uint32_t h) {
  Optimized optimized(shift, uses);
  EXPECT_EQ(optimized.funnels(), funnels) << shift << uses;
  EXPECT_EQ(optimized.result(), (l / 7 ^ h)) << shift << uses;
}

constexpr const char *left8 = "fshl.i32(i32 %high, i32 %low, i32 8";
constexpr const char *halves =
    " %l = and i32 %x, 255\n %h = and i32 %x, -256\n";

TEST(NarrowFunnels, UsersOfOneOperandEachGetPlainShifts) {
  expect(0, left8, halves, shifted8 & 0xff, shifted8 & ~0xffu);
  expect(0, left8, " %l = shl i32 %x, 24\n %h = lshr i32 %x, 8\n",
         shifted8 << 24, shifted8 >> 8);
  expect(0, left8,
         " %t = trunc i32 %x to i8\n %l = sext i8 %t to i32\n"
         " %h = lshr i32 %x, 8\n",
         uint32_t(int8_t(shifted8)), shifted8 >> 8);
}

TEST(NarrowFunnels, ARightShiftIsTheLeftShiftByTheRest) {
  expect(0, "fshr.i32(i32 %high, i32 %low, i32 24", halves, shifted8 & 0xff,
         shifted8 & ~0xffu);
}

TEST(NarrowFunnels, AUserOfBothOperandsKeepsTheFunnelShift) {
  expect(1, left8, " %l = and i32 %x, 511\n %h = and i32 %x, -256\n",
         shifted8 & 511, shifted8 & ~0xffu);
  expect(1, left8, " %l = and i32 %x, 255\n %h = lshr i32 %x, 7\n",
         shifted8 & 0xff, shifted8 >> 7);
}

TEST(NarrowFunnels, AVariableAmountKeepsTheFunnelShift) {
  expect(1, "fshl.i32(i32 %high, i32 %low, i32 %amount", halves,
         shifted8 & 0xff, shifted8 & ~0xffu);
}

} // namespace
