// What the harness measures: something that takes bursts of frames and gives
// out those to send, as a Baker program's NAME_batch does.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_FORWARDER_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_FORWARDER_H

#include "codegen-x86/ProgramTable.h"
#include "support/Error.h"
#include "traces/ControlFile.h"
#include <memory>
#include <string>
#include <vector>

namespace karakal::bench {

using Frame = x86::LibraryFrame;

class Forwarder {
public:
  virtual ~Forwarder() = default;
  /// Comes before the bursts of a variant that shares the forwarder with
  /// others.
  virtual void begin() {}
  /// Runs `count` frames; those to send are valid until the next call.
  virtual uint32_t batch(const Frame *in, uint32_t count, Frame *out) = 0;
};

/// A forwarder with the bursts that it is measured with.
struct Variant {
  /// The call of DPDK, or `baker`.
  std::string name;
  uint32_t burst, subBatch;
  std::unique_ptr<Forwarder> forwarder;
};

/// DPDK's forwarders for the job of a Baker program, with tables of their own.
class Job {
public:
  virtual ~Job() = default;
  /// What the tables take of DPDK's memory, in MiB, at most.
  virtual uint64_t memoryMib() const = 0;
  /// Fills the tables. DPDK runs.
  virtual Status fill() = 0;
  /// The variants; they use the job's tables.
  virtual std::vector<Variant> variants() = 0;
};

/// Makes a job with the table contents that a control file has.
using Calls = std::vector<traces::ControlCall>;
std::unique_ptr<Job> makeIpv4(const Calls &calls);
std::unique_ptr<Job> makeIpv6(const Calls &calls);
std::unique_ptr<Job> makeL2Fwd(const Calls &calls);
std::unique_ptr<Job> makeNdn(const Calls &calls);
std::unique_ptr<Job> makeL3Switch(const Calls &calls);
std::unique_ptr<Job> makeFirewall(const Calls &calls);

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_FORWARDER_H
