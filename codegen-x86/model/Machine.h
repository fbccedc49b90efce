// A computer as the model of rates sees it.
//
// `bakerc --calibrate` measures the figures and stores them as JSON:
//
//   {"schema": 1, "processor": "AMD EPYC …", "window_instructions": 320,
//    "instruction_ns": 0.1, "misprediction_ns": 4.5,
//    "memory": [{"bytes": 32768, "latency_ns": 1.2, "parallel_ns": 0.4}, …],
//    "burst_ns": [{"packets": 1, "ns": 40.0}, …],
//    "cut_ns": [{"packets": 2, "ns": 6.0}, …]}
//
// | id | the file |
// |---|---|
// | E-codegen-x86-001 | does not exist |
// | E-codegen-x86-002 | is no JSON, lacks a figure or has an impossible one |

#ifndef KARAKAL_CODEGEN_X86_MODEL_MACHINE_H
#define KARAKAL_CODEGEN_X86_MODEL_MACHINE_H

#include "support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::x86 {

/// Bytes of a cache line.
inline constexpr uint64_t LineBytes = 64;

/// Random accesses to so much memory.
struct MemoryFigure {
  uint64_t bytes;
  /// One after the other, each at the address that the last one gave.
  double latencyNs;
  /// Many at a time: nanoseconds for each.
  double parallelNs;
};

/// What something costs a packet if so many go together.
struct PacketFigure {
  uint32_t packets;
  double ns;
};

struct Machine {
  /// The name that the processor gives itself.
  std::string processor;
  /// How many instructions the processor looks at together.
  double windowInstructions = 320;
  double instructionNs = 0, mispredictionNs = 0;
  /// By size, ascending; at least two.
  std::vector<MemoryFigure> memory;
  /// To enter and leave, by packets of a burst, ascending.
  std::vector<PacketFigure> burst;
  /// To wait at a cut, by packets of a sub-batch, ascending.
  std::vector<PacketFigure> cut;

  /// What an access at a reuse distance of so many lines costs beyond one in
  /// the first cache: alone, and beside others.
  double latencyNs(double lines) const;
  double parallelNs(double lines) const;
  double burstNs(uint32_t packets) const;
  double cutNs(uint32_t packets) const;
};

std::string machineText(const Machine &machine);
/// Parses what `machineText` wrote; `path` is for errors.
Result<Machine> parseMachine(const std::string &text, const std::string &path);
Result<Machine> readMachine(const std::string &path);

/// The name of this computer's processor.
std::string processorName();
/// The file in which the figures of `processor` are kept:
/// $XDG_CACHE_HOME/karakal/machine-1-NAME.json, by default in ~/.cache. Empty
/// if neither variable tells a folder.
std::string machinePath(const std::string &processor);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_MACHINE_H
