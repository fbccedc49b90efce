// Linking the runtime into a program, and what stays visible of it.

#include "driver/pipeline/LlvmStage.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/RuntimeFunctions.h"
#include "target-ixp/chip/RuntimeNames.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::driver;

namespace {

class LlvmStageTest : public testing::Test {
protected:
  void read(const char *text) {
    llvm::SMDiagnostic diagnostic;
    module = llvm::parseAssemblyString(text, diagnostic, context);
    ASSERT_TRUE(module) << diagnostic.getMessage().str();
  }
  bool isVisible(const char *function) const {
    return !module->getFunction(function)->hasLocalLinkage();
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      std::make_unique<llvm::Module>("program", context);
};

TEST_F(LlvmStageTest, FunctionsOfTheRuntimeKnowTheirLines) {
  const std::string file = "packet.ll";
  ASSERT_TRUE(linkRuntime(*module, file));
  auto text = llvm::MemoryBuffer::getFile(runtimeDirectory() + "/" + file);
  ASSERT_TRUE(bool(text));
  llvm::SmallVector<llvm::StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  unsigned count = 0;
  for (const llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    auto [name, line] =
        function.getFnAttribute(target::runtime::SourceAttribute)
            .getValueAsString()
            .split(':');
    EXPECT_EQ(name, file);
    unsigned number = 0;
    ASSERT_FALSE(line.getAsInteger(10, number)) << line.str();
    EXPECT_TRUE(
        lines[number - 1].contains(("@" + function.getName() + "(").str()))
        << lines[number - 1].str();
    ++count;
  }
  EXPECT_GT(count, 10u);
}

TEST_F(LlvmStageTest, AMissingRuntimeIsAnErrorWithItsPlace) {
  Status linked = linkRuntime(*module, "none.ll");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().id, "E-driver-010");
  EXPECT_EQ(linked.error().file, runtimeDirectory() + "/none.ll");
  EXPECT_NE(linked.error().message.find("KARAKAL_RUNTIME_DIR"),
            std::string::npos);
}

TEST_F(LlvmStageTest, ARuntimeThatIsThereTwiceDoesNotLink) {
  ASSERT_TRUE(linkRuntime(*module, "packet.ll"));
  Status again = linkRuntime(*module, "packet.ll");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().id, "E-driver-011");
  EXPECT_NE(again.error().message.find("symbol multiply defined"),
            std::string::npos)
      << again.error().message;
}

TEST_F(LlvmStageTest, OnlyEntriesStayVisible) {
  read(R"(
declare void @outside()
define void @entry() {
  call void @helper()
  ret void
}
define void @helper() {
  call void @outside()
  ret void
})");
  keepEntries(*module, {"entry"});
  EXPECT_TRUE(isVisible("entry"));
  EXPECT_FALSE(isVisible("helper"));
  EXPECT_TRUE(isVisible("outside"));
}

TEST_F(LlvmStageTest, WhatNoEntryReachesGoesAtEveryLevel) {
  for (Level level : {Level::Base, Level::O2, Level::Swc}) {
    read(R"(
define i32 @entry(i32 %x) {
  ret i32 %x
}
define i32 @unused(i32 %x) {
  ret i32 %x
})");
    keepEntries(*module, {"entry"});
    optimize(*module, level, target::ChipParameters(), false);
    EXPECT_TRUE(module->getFunction("entry")) << levelName(level);
    EXPECT_FALSE(module->getFunction("unused")) << levelName(level);
  }
}

TEST_F(LlvmStageTest, LargePrimitivesStayCalls) {
  const std::string copy = target::runtime::PacketCopy;
  const std::string text = "define i32 @" + copy + R"((i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
define i32 @entry(i32 %x) {
  %y = call i32 @)" + copy +
                           R"((i32 %x)
  ret i32 %y
})";
  read(text.c_str());
  keepEntries(*module, {"entry"});
  optimize(*module, Level::Swc, target::ChipParameters(), false);
  EXPECT_TRUE(module->getFunction(copy));
}

/// Two calls of a function with so many additions, which LLVM estimates at 5
/// each.
std::string callsOfAdditions(unsigned count) {
  std::string text = "define i32 @called(i32 %v0, i32 %by) {\n";
  for (unsigned i = 0; i < count; ++i)
    text += llvm::formatv("%v{0} = {2} i32 %v{1}, %by\n", i + 1, i,
                          i % 2 == 0 ? "add" : "xor");
  text += llvm::formatv("ret i32 %v{0}\n}", count);
  return text + R"(
define i32 @entry(i32 %a, i32 %b) {
  %once = call i32 @called(i32 %a, i32 %b)
  %twice = call i32 @called(i32 %once, i32 %a)
  ret i32 %twice
})";
}

TEST_F(LlvmStageTest, TheCoreInlinesLessThanTheEngines) {
  for (auto [additions, onCore, onEngines] :
       {std::tuple(10u, false, false), std::tuple(45u, true, false),
        std::tuple(100u, true, true)}) {
    for (bool isCore : {false, true}) {
      read(callsOfAdditions(additions).c_str());
      keepEntries(*module, {"entry"});
      if (isCore)
        optimizeForXScale(*module, /*isBase=*/false);
      else
        optimize(*module, Level::Swc, target::ChipParameters(), false);
      EXPECT_EQ(module->getFunction("called") != nullptr,
                isCore ? onCore : onEngines)
          << additions << (isCore ? " on the core" : " on an engine");
    }
  }
}

} // namespace
