// What stands around a unit that is tested without an engine.

#ifndef KARAKAL_TESTS_SIM_IXP_UNITALONE_H
#define KARAKAL_TESTS_SIM_IXP_UNITALONE_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/observe/ChipObserver.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace karakal::sim {

/// Signals that an engine received.
struct Signals {
  uint64_t cycle;
  uint32_t context, mask;
  bool operator==(const Signals &other) const {
    return cycle == other.cycle && context == other.context &&
           mask == other.mask;
  }
};

inline void PrintTo(const Signals &signals, std::ostream *stream) {
  *stream << "signals " << signals.mask << " of context " << signals.context
          << " in cycle " << signals.cycle;
}

/// The transfer registers of an engine, and the signals that it received.
struct EngineStub : TransferPort {
  uint32_t transferOut[16] = {};
  uint32_t transferIn[8][16] = {};
  std::vector<Signals> received;

  void readTransferOut(uint32_t, TransferKind, uint32_t first, uint32_t words,
                       uint32_t *to) override {
    std::copy_n(&transferOut[first], words, to);
  }
  void writeTransferIn(uint32_t context, TransferKind, uint32_t first,
                       uint32_t words, const uint32_t *from) override {
    std::copy_n(from, words, &transferIn[context][first]);
  }
  void raiseSignals(uint64_t cycle, uint32_t context, uint32_t mask) override {
    received.push_back({cycle, context, mask});
  }

  std::vector<uint64_t> signalCycles() const {
    std::vector<uint64_t> cycles;
    for (const Signals &signals : received)
      cycles.push_back(signals.cycle);
    return cycles;
  }
};

/// Keeps the first fault.
struct FirstFault : ChipObserver {
  std::string first;
  void onFault(uint32_t, const std::string &what) override {
    if (first.empty())
      first = what;
  }
};

} // namespace karakal::sim

#endif // KARAKAL_TESTS_SIM_IXP_UNITALONE_H
