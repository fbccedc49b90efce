// How many errors the front end reports for one mistake.
//
//   diagnostics-bench --count=1000 --seed=1 [--show=N] > mutants.json
//
// Prints one JSON object for each mutant, one a line. `--show` prints the
// diagnostics of mutants with at least N errors to standard error.

#include "tests/baker-lang/SingleMutations.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace karakal;
namespace fs = std::filesystem;

static llvm::cl::opt<unsigned> count("count", llvm::cl::init(1000));
static llvm::cl::opt<unsigned> seed("seed", llvm::cl::init(1));
static llvm::cl::opt<unsigned> show("show", llvm::cl::init(0));

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  fs::path work = fs::temp_directory_path() /
                  ("diagnostics-bench-" + std::to_string(getpid()));
  fs::create_directories(work);
  SingleMutations mutations(KARAKAL_SOURCE_DIR "/apps", work,
                            KARAKAL_SOURCE_DIR "/runtime", seed);
  for (unsigned i = 0; i < count; ++i) {
    MutantResult mutant = mutations.next();
    llvm::outs() << llvm::json::Value(
                        llvm::json::Object{{"kind", mutant.kind},
                                           {"file", mutant.file},
                                           {"line", mutant.line},
                                           {"before", mutant.before},
                                           {"after", mutant.after},
                                           {"errors", mutant.errorCount}})
                 << "\n";
    if (show != 0 && mutant.errorCount >= show)
      llvm::errs() << "==== " << mutant.errorCount << " errors: " << mutant.kind
                   << " in " << mutant.file << ":" << mutant.line << "\n- "
                   << mutant.before << "\n+ " << mutant.after << "\n"
                   << mutant.diagnostics;
  }
  fs::remove_all(work);
  return 0;
}
