// How long the front end takes for 5,000 lines: to parse and check them, and to
// lower them to the dialect as well.

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/lower/LowerToIr.h"
#include "tests/baker-lang/LongProgram.h"

#include "benchmark/benchmark.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace karakal;

namespace {

/// 5,000 lines in a file, for as long as the benchmark runs.
class Source {
public:
  Source()
      : path(std::filesystem::temp_directory_path() /
             ("frontend-bench-" + std::to_string(getpid()) + ".baker")),
        text(longProgram(5000)) {
    std::ofstream(path) << text;
  }
  ~Source() { std::filesystem::remove(path); }

  const std::filesystem::path path;
  const std::string text;
};

void frontend(benchmark::State &state, bool lowers) {
  Source source;
  for (auto turn : state) {
    Diagnostics diagnostics;
    auto program = lang::parseAndCheck({source.path.string()}, diagnostics);
    bool isGood = !diagnostics.hasErrors();
    if (lowers && isGood) {
      mlir::MLIRContext context;
      context.disableMultithreading();
      isGood = bool(lang::lowerToIr(*program, diagnostics.sources(), context));
    }
    if (!isGood)
      state.SkipWithError("the program has errors");
  }
  state.counters["lines"] =
      double(std::count(source.text.begin(), source.text.end(), '\n'));
}

} // namespace

BENCHMARK_CAPTURE(frontend, parse_and_check, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frontend, parse_check_and_lower, true)
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
