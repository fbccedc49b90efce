// The simulator. Its options are in sim-ixp/run/CommandLine.cpp.
//
// ixpsim IMAGE.ixp --trace=PCAP: reads image, trace and control file, runs them
// and writes the requested results. ixpsim --ucode=ENGINE:FILE…: runs raw
// control stores on a bare chip. Exit status: 0 done, 1 the input is wrong or
// the program fails on the chip, 2 the command line is wrong.

#include "sim-ixp/RunIxpsim.h"
#include "sim-ixp/run/CommandLine.h"
#include "support/Error.h"

#include <utility>

using namespace karakal;

int main(int argc, char **argv) {
  auto parsed = sim::parseCommandLine(argc, argv);
  if (auto *status = std::get_if<ExitStatus>(&parsed))
    return *status;
  return sim::runIxpsim(std::move(std::get<sim::CommandLine>(parsed)));
}
