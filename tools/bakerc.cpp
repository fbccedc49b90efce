// The compiler. Its options are in driver/CommandLine.cpp.
//
// Exit status: 0 done, 1 the input is wrong, 2 the command line is wrong, 3 the
// compiler has a bug.

#include "driver/CommandLine.h"
#include "driver/Compile.h"
#include "support/InternalError.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstdio>
#include <cstdlib>

using namespace karakal;

static void reportFatalError(void *, const char *what, bool) {
  std::fprintf(stderr,
               "internal error: %s\nThis is a bug of Karakal, not of your "
               "input. Please report it with the command line\nand the input "
               "files.\n",
               what);
  std::fputs(takeInternalErrorContext().c_str(), stderr);
  std::_Exit(ExitInternalError);
}

static void reportCrash(void *) { reportFatalError(nullptr, "crash", true); }

int main(int argc, char **argv) {
  llvm::sys::AddSignalHandler(reportCrash, nullptr);
  llvm::install_fatal_error_handler(reportFatalError);

  auto parsed = driver::parseCommandLine(argc, argv);
  if (auto *status = std::get_if<ExitStatus>(&parsed))
    return *status;
  Status done = driver::compile(std::get<driver::BakercOptions>(parsed));
  if (done)
    return ExitDone;
  if (!done.error().message.empty())
    std::fprintf(stderr, "%s\n", done.error().str().c_str());
  return ExitInputWrong;
}
