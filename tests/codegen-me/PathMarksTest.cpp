// Marks of paths: a word with a mark runs only where the marked block runs.
//
// Each block of random programs gets a mark of its own and a store that tells
// whether it ran. A mark may be lost, but no word may have one that its path
// did not pass.

#include "RandomProgram.h"
#include "TinyEngine.h"

#include "codegen-me/CodeGenMe.h"
#include "target-ixp/chip/PathMarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

using namespace karakal;
using namespace karakal::tests;

namespace {

/// Where block n tells that it ran: the word n of scratch from here.
constexpr uint32_t RanAddress = 0x3000;

std::unique_ptr<llvm::Module> parse(const std::string &text,
                                    llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

/// Marks the blocks of all functions but the entry's. Returns their number.
uint32_t markBlocks(llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  auto mark =
      module.getOrInsertFunction(target::intrinsic::PathChannel,
                                 builder.getVoidTy(), builder.getInt32Ty());
  uint32_t count = 0;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.getName() == "me_main")
      continue;
    for (llvm::BasicBlock &block : function) {
      builder.SetInsertPoint(&*block.getFirstNonPHIOrDbgOrAlloca());
      builder.CreateCall(mark, builder.getInt32(count));
      llvm::Value *address = builder.CreateIntToPtr(
          builder.getInt32(RanAddress + 4 * count), builder.getPtrTy(3));
      builder.CreateStore(builder.getInt32(1), address);
      ++count;
    }
  }
  return count;
}

uint32_t numberOfMarked(const target::Microcode &code) {
  uint32_t count = 0;
  for (const auto &[mark, words] : code.marks)
    count += !words.empty();
  return count;
}

TEST(PathMarks, AMarkedWordRunsOnlyWithItsBlock) {
  constexpr uint64_t seeds = 24;
  uint32_t blocks = 0, marked = 0, skipped = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    llvm::LLVMContext context;
    ProgramShape shape{20, 3, 2, 6, true, false};
    auto module = parse(withMain(randomProgram(seed, shape)), context);
    ASSERT_TRUE(module);
    const uint32_t count = markBlocks(*module);
    codegen::CodeGenOptions options;
    options.level = seed % 4 ? 1 : 0;
    options.chip.meControlStore = 8192;
    auto code = codegen::compileForMe(*module, options);
    ASSERT_TRUE(bool(code)) << code.error().str();
    blocks += count;
    marked += numberOfMarked(*code);
    TinyEngine engine(code->words);
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < InputWords; ++i)
      engine.sram[InputAddress / 4 + i] = uint32_t(random());
    ASSERT_EQ(engine.run(4000000), "") << "seed " << seed;
    for (const auto &[mark, words] : code->marks) {
      bool ran = engine.scratch[RanAddress / 4 + mark.number] == 1;
      skipped += !ran;
      for (uint32_t word : words)
        ASSERT_TRUE(ran || !engine.executed.count(word))
            << "seed " << seed << ", block " << mark.number << ", word "
            << word;
    }
  }
  // Some blocks did not run, and few marks are lost.
  EXPECT_GT(skipped, blocks / 20);
  EXPECT_GT(marked, blocks * 2 / 3);
}

/// Two blocks that differ only in their marks.
const char *const twins = R"(
  declare void @__ixp_halt()
  declare void @__ixp_path_channel(i32)
  define void @me_main() {
    %p = inttoptr i32 64 to ptr addrspace(1)
    %q = inttoptr i32 128 to ptr addrspace(1)
    %v = load i32, ptr addrspace(1) %p, align 4
    %c = icmp ult i32 %v, 7
    br i1 %c, label %a, label %b
  a:
    call void @__ixp_path_channel(i32 1)
    store i32 %v, ptr addrspace(1) %q, align 4
    br label %end
  b:
    call void @__ixp_path_channel(i32 2)
    store i32 %v, ptr addrspace(1) %q, align 4
    br label %end
  end:
    call void @__ixp_halt()
    unreachable
  })";

/// The words of a program with such blocks that have a mark, and those that run
/// if it loads `value`.
struct TwinsRun {
  std::map<target::PathMark, std::set<uint32_t>> marks;
  std::set<uint32_t> executed;

  TwinsRun(const std::string &text, uint32_t value) {
    llvm::LLVMContext context;
    auto module = parse(text, context);
    auto code = codegen::compileForMe(*module, {});
    if (!code) {
      ADD_FAILURE() << code.error().str();
      return;
    }
    marks = code->marks;
    TinyEngine engine(code->words);
    engine.sram[16] = value;
    EXPECT_EQ(engine.run(1000), "");
    EXPECT_EQ(engine.sram[32], value);
    executed.insert(engine.executed.begin(), engine.executed.end());
  }
};

TEST(PathMarks, BlocksThatBecomeOneKeepNoForeignMark) {
  for (uint32_t value : {0u, 9u}) {
    const TwinsRun run(twins, value);
    const target::PathMark other = {target::PathMark::Kind::Channel,
                                    value < 7 ? 2u : 1u};
    if (auto at = run.marks.find(other); at != run.marks.end())
      for (uint32_t word : at->second)
        EXPECT_FALSE(run.executed.count(word)) << word;
  }
}

TEST(PathMarks, APathThroughMergedBlocksHasItsMark) {
  std::string text = twins;
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("__ixp_path_channel(i32 2)", "__ixp_path_channel(i32 1)");
  // LLVM merges code from a few instructions on.
  const std::string store =
      "store volatile i32 %v, ptr addrspace(1) %q, align 4\n";
  replace("store i32 %v, ptr addrspace(1) %q, align 4\n",
          store + store + store + store);
  for (uint32_t value : {0u, 9u}) {
    const TwinsRun run(text, value);
    auto marked = run.marks.find({target::PathMark::Kind::Channel, 1});
    ASSERT_NE(marked, run.marks.end());
    EXPECT_TRUE(llvm::any_of(marked->second, [&](uint32_t word) {
      return run.executed.count(word) != 0;
    })) << value;
  }
}

} // namespace
