// A Baker program that was compiled ahead of time and linked as a shared
// object.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_BAKERPROGRAM_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_BAKERPROGRAM_H

#include "tests/bench/x86/dpdk/Forwarder.h"

namespace karakal::bench {

/// Loads the object, starts the program and makes the calls.
Result<const x86::ProgramTable *>
loadProgram(const std::string &path, const Calls &calls, bool usesHugePages);

/// The program in stages of `subBatch` packets.
std::unique_ptr<Forwarder> makeBaker(const x86::ProgramTable &program,
                                     uint32_t subBatch);

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_BAKERPROGRAM_H
