// DPDK's environment (EAL) for tables alone.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_EAL_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_EAL_H

#include "support/Error.h"

namespace karakal::bench {

/// Starts it with so much memory, in huge pages if there are enough, without
/// devices and without files. Binds the thread to the processor that it runs
/// on. Returns the size of a page in KiB.
Result<uint32_t> startEal(uint64_t memoryMib);

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_EAL_H
