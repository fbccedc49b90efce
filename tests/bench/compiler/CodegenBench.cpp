// How long the code generator takes for a function of 5,000 instructions.

#include "codegen-me/CodeGenMe.h"
#include "tests/codegen-me/RandomProgram.h"

#include "benchmark/benchmark.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace karakal;

namespace {

/// Statements that become somewhat more than 5,000 instructions.
constexpr unsigned statements = 1100;
/// The longest program that a branch reaches through.
constexpr unsigned wordsMax = 8192;

std::string program() {
  tests::ProgramShape shape;
  shape.statements = statements;
  shape.functions = 0;
  return tests::withMain(tests::randomProgram(1, shape));
}

void generateCode(benchmark::State &state) {
  const std::string text = program();
  codegen::CodeGenOptions options;
  options.chip.meControlStore = wordsMax;
  size_t words = 0;
  for (auto turn : state) {
    state.PauseTiming();
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text, diagnostic, context);
    state.ResumeTiming();
    auto code = codegen::compileForMe(*module, options);
    if (!code) {
      state.SkipWithError(code.error().str().c_str());
      break;
    }
    words = code->words.size();
  }
  state.counters["instructions"] = double(words);
}

} // namespace

BENCHMARK(generateCode)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
