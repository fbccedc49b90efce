// The state of one hardware context.

#ifndef KARAKAL_SIM_IXP_ENGINE_CONTEXT_H
#define KARAKAL_SIM_IXP_ENGINE_CONTEXT_H

#include "sim-ixp/engine/MicroOp.h"
#include "target-ixp/chip/MemoryMap.h"

#include <array>
#include <cstdint>

namespace karakal::sim {

/// What a context does. Dead: it has stopped for good.
enum class ContextState : uint8_t { Inactive, Ready, Running, Asleep, Dead };

/// One context. The fields that every swap touches share a cache line of the
/// host.
struct alignas(64) Context {
  static constexpr uint32_t noPc = ~0u;
  static constexpr uint64_t noCycle = ~uint64_t{0};

  ContextState state = ContextState::Inactive;
  bool any = false; ///< wakes on any signal of wakeMask rather than on all
  uint16_t wakeMask = 0;
  uint16_t signals = 0;
  uint16_t pc = 0;
  /// The value of each MicroOpBase in this context; the last two are its
  /// pointers to words of local memory.
  std::array<uint32_t, 4> bases{};
  /// Transfer registers with data in transit, in and out: bits 31:0 are S,
  /// 63:32 D.
  uint64_t pendingIn = 0;
  uint64_t pendingOut = 0;
  /// SpecialLocal if a pointer names no existing word.
  uint16_t watchedLocals = 0;
  bool isVoluntary = false;
  /// Issue and aborted cycles so far, at the last ring get, and at the last
  /// voluntary swap after it, whose address is voluntaryPc.
  uint32_t voluntaryPc = noPc;
  uint64_t ownCycles = 0;
  uint64_t voluntaryCycles = 0;
  uint64_t iterationBegin = noCycle;
  /// If waits are recorded: when it gave up the engine (cycle 0: not yet), when
  /// it became ready, and where.
  uint64_t waitBegin = 0;
  uint64_t readySince = 0;
  uint16_t waitPc = 0;
  uint32_t futureSerial = 0;
  uint16_t futureCount = 0;
  uint8_t futureSignal = 0;

  /// Byte address of a local-memory pointer (0 or 1), bits 11:2.
  uint32_t localAddress(uint32_t pointer) const {
    return bases[BaseLocal0 + pointer] << 2;
  }
  void setLocalAddress(uint32_t pointer, uint32_t address) {
    bases[BaseLocal0 + pointer] = address >> 2 & 0x3ff;
    bool doWordsExist = bases[BaseLocal0] < target::LocalMemoryWords &&
                        bases[BaseLocal1] < target::LocalMemoryWords;
    watchedLocals = doWordsExist ? 0 : SpecialLocal;
  }

  /// Whether the context may run. Consumes the signals if it waits for all.
  bool takeWakeSignals() {
    uint32_t mask = wakeMask;
    if (mask & 1)
      return true;
    if (any)
      return signals & mask;
    if (mask == 0 || (signals & mask) != mask)
      return false;
    signals &= ~mask;
    return true;
  }

  /// Ends a segment at a voluntary swap at address `at`. Of a wait by repeated
  /// voluntary swaps only the first iteration counts.
  void countVoluntarySwap(uint32_t at) {
    isVoluntary = false;
    if (voluntaryPc == at)
      ownCycles = voluntaryCycles; // waited once more
    voluntaryPc = at;
    voluntaryCycles = ownCycles;
  }
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_CONTEXT_H
