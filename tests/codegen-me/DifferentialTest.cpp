// Compares random programs on the host and on the microengine.
//
// LLVM compiles each program for the host, and codegen-me for TinyEngine. All
// output words must agree.

#include "RandomProgram.h"
#include "TinyEngine.h"

#include "codegen-me/CodeGenMe.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include "target-ixp/chip/MemoryMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace karakal;
using namespace karakal::tests;

namespace {

// Buffers are one burst longer than five bits of index can reach.
using Input = std::array<uint32_t, InputWords>;
using Output = std::array<uint32_t, OutputWords>;

Input inputOf(uint64_t seed) {
  std::mt19937_64 random(seed * 77 + 5);
  Input input;
  for (uint32_t &word : input)
    word = random() % 3 ? uint32_t(random()) : uint32_t(random() % 16);
  return input;
}

std::string runOnHost(const std::string &text, const Input &input,
                      Output &output) {
  using namespace llvm;
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  auto module = parseAssemblyString(text, diagnostic, *context);
  if (!module) {
    std::string message;
    raw_string_ostream stream(message);
    diagnostic.print("random", stream);
    return message;
  }
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return toString(jit.takeError());
  module->setDataLayout((*jit)->getDataLayout());
  if (auto error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(module), std::move(context))))
    return toString(std::move(error));
  auto body = (*jit)->lookup("body");
  if (!body)
    return toString(body.takeError());
  output.fill(0);
  Output dram{}, scratch{};
  body->toPtr<void(const uint32_t *, uint32_t *, uint32_t *, uint32_t *)>()(
      input.data(), output.data(), dram.data(), scratch.data());
  return "";
}

/// The first word of the stack of a context in local memory.
uint32_t stackOf(uint32_t context) {
  return target::CacheWords + context * target::StackWordsPerContext;
}

std::string runOnEngine(const std::string &text, const Input &input,
                        unsigned level, uint32_t context, Output &output,
                        target::Microcode *keep) {
  // LLVM's verifier runs after every machine pass.
  static const bool verifies = [] {
    const char *arguments[] = {"test", "-verify-machineinstrs"};
    return llvm::cl::ParseCommandLineOptions(2, arguments);
  }();
  (void)verifies;
  llvm::LLVMContext llvmContext;
  llvm::SMDiagnostic diagnostic;
  auto module =
      llvm::parseAssemblyString(withMain(text), diagnostic, llvmContext);
  if (!module)
    return "does not parse";
  codegen::CodeGenOptions options;
  options.level = level;
  options.chip.meControlStore = 8192; // branches reach so far; tests are wordy
  auto code = codegen::compileForMe(*module, options);
  if (!code)
    return code.error().str();
  TinyEngine engine(code->words);
  for (unsigned i = 0; i < InputWords; ++i)
    engine.sram[InputAddress / 4 + i] = input[i];
  engine.contextStatus = context;
  std::string problem = engine.run(4000000);
  for (uint32_t word : engine.localWritten)
    if (word < stackOf(context) || word >= stackOf(context + 1))
      problem = "writes to local memory of another context";
  for (unsigned i = 0; i < OutputWords; ++i)
    output[i] = engine.sram[OutputAddress / 4 + i];
  if (keep)
    *keep = *code;
  return problem;
}

struct Case {
  const char *name;
  uint64_t seeds;
  ProgramShape shape;
  /// Bank copies per 1,000 words, at most.
  uint64_t copiesMax;
};

class Differential : public testing::TestWithParam<Case> {};

TEST_P(Differential, MicroengineAgreesWithHost) {
  const Case &c = GetParam();
  // For a longer search, set KARAKAL_SEEDS=n and KARAKAL_SEED=first.
  const char *more = std::getenv("KARAKAL_SEEDS");
  const char *first = std::getenv("KARAKAL_SEED");
  uint64_t from = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t seeds = more ? std::strtoull(more, nullptr, 10) : c.seeds;
  uint64_t words = 0, spills = 0, copies = 0;
  for (uint64_t seed = from; seed < from + seeds; ++seed) {
    std::string text = randomProgram(seed, c.shape);
    Input input = inputOf(seed);
    Output host, engine;
    target::Microcode code;
    ASSERT_EQ(runOnHost(text, input, host), "") << "seed " << seed;
    // Plain code of every fourth program, too: it takes longer to run.
    for (unsigned level = seed % 4 ? 1 : 0; level < 2; ++level) {
      ASSERT_EQ(runOnEngine(text, input, level, seed % 8, engine, &code), "")
          << "seed " << seed << ", level " << level << "\n"
          << (first ? text : "");
      size_t word =
          std::mismatch(host.begin(), host.end(), engine.begin()).first -
          host.begin();
      ASSERT_EQ(host, engine) << "first at word " << word << ", seed " << seed
                              << ", level " << level << "\n"
                              << (first ? text + codegen::printAsm(code) : "");
    }
    words += code.words.size();
    spills += code.statistics["spills"] + code.statistics["reloads"];
    copies += code.statistics["bank_copies"];
  }
  RecordProperty("words", int(words));
  if (!more)
    EXPECT_LE(copies * 1000, words * c.copiesMax);
  std::printf("%s: %llu programs, %llu words, %llu spills and reloads, %llu "
              "bank copies\n",
              c.name, (unsigned long long)seeds, (unsigned long long)words,
              (unsigned long long)spills, (unsigned long long)copies);
}

const Case cases[] = {
    {"straight", 30, {20, 0, 0, 4, false, false}, 10},
    {"branches", 20, {25, 2, 0, 6, false, false}, 12},
    {"memory", 20, {30, 1, 0, 6, true, false}, 7},
    {"calls", 20, {25, 2, 3, 6, true, true}, 28},
    {"pressure", 12, {40, 1, 1, 30, true, false}, 13},
    {"overflow", 8, {60, 2, 2, 60, true, true}, 20},
    {"memories", 20, {40, 1, 1, 12, true, false, true}, 5},
    {"hundred", 6, {60, 1, 1, 100, true, false, true}, 3},
    {"wide", 12, {25, 2, 1, 6, true, false, false, true}, 10},
    // Hundreds of spilled words: stacks that go on in SRAM.
    {"deep", 2, {500, 2, 3, 60, true, true}, 12},
};

INSTANTIATE_TEST_SUITE_P(Shapes, Differential, testing::ValuesIn(cases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
