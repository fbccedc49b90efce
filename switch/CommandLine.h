// The command lines of bakersw and bakersw ctl.

#ifndef KARAKAL_SWITCH_COMMANDLINE_H
#define KARAKAL_SWITCH_COMMANDLINE_H

#include "support/Error.h"
#include "switch/Core.h"
#include <string>
#include <variant>
#include <vector>

namespace karakal::sw {

/// A control call that is made again and again.
struct TimedCall {
  double seconds;
  std::string call;
};

/// bakersw PROGRAM --port=…
struct SwitchOptions {
  std::vector<std::string> programs, importFolders;
  std::vector<std::string> ports;
  uint32_t cores = 1;
  std::string ealArguments; ///< for DPDK's ports
  uint32_t ethdevBuffers = 0;
  CoreOptions core;
  uint32_t subBatch = 1; ///< packets that run side by side in stages
  x86::SpecializeWhen specialize = x86::SpecializeWhen::Never;
  x86::SampleOptions sample;
  /// The secret of the multiplier of hashes, as target::readHashSecret takes
  /// it; empty: one of the system's randomness.
  std::string hashKey;
  std::string control;
  std::vector<TimedCall> every;
  std::string socket; ///< empty: the default; "none": no socket
  uint32_t socketMode = 0;
  std::string stats; ///< where to write the statistics as JSON at the end
  bool stay = false, quiet = false;
};

/// bakersw ctl [--socket=…] WORD…
struct ClientOptions {
  std::string socket;
  std::string format = "text"; ///< text, json, prometheus
  double seconds = 1;          ///< between two outputs of watch
  std::vector<std::string> words;
};

/// Where the control socket is if the command line does not say.
std::string defaultSocket();

/// Reads the arguments. Returns the status to exit with after `--help` or a
/// message about a wrong command line.
std::variant<SwitchOptions, ClientOptions, ExitStatus>
parseCommandLine(int argc, char **argv);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_COMMANDLINE_H
