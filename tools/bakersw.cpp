// The software switch. Its options are in switch/CommandLine.cpp.
//
// bakersw PROGRAM.baker --port=…: compiles the program and runs it on ports
// until a signal. bakersw ctl …: asks a running switch. Exit status: 0 done, 1
// the input is wrong or a call is refused, 2 the command line is wrong, 3 a
// bug.

#include "driver/SwitchProgram.h"
#include "switch/Client.h"
#include "switch/RunSwitch.h"

#include <cstdio>

using namespace karakal;

static Status runSwitch(const sw::SwitchOptions &options) {
  sw::holdSignals();
  driver::SwitchRequest request;
  request.sources = options.programs;
  request.importFolders = options.importFolders;
  request.hashKey = options.hashKey;
  request.cores = options.cores;
  request.subBatch = options.subBatch;
  request.specialize = options.specialize;
  request.sample = options.sample;
  auto program = driver::makeSwitchProgram(request);
  return program ? sw::runSwitch(**program, options) : Status(program.error());
}

int main(int argc, char **argv) {
  auto parsed = sw::parseCommandLine(argc, argv);
  if (auto *status = std::get_if<ExitStatus>(&parsed))
    return *status;
  auto *client = std::get_if<sw::ClientOptions>(&parsed);
  Status done = client ? sw::runClient(*client)
                       : runSwitch(std::get<sw::SwitchOptions>(parsed));
  if (done)
    return ExitDone;
  if (!done.error().message.empty())
    std::fprintf(stderr, "%s\n", done.error().str().c_str());
  return ExitInputWrong;
}
