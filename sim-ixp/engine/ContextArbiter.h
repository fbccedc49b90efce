// Which context of an engine runs.
//
// Ready contexts take turns: the next one is the first ready context after the
// running one, in the order of their numbers.

#ifndef KARAKAL_SIM_IXP_ENGINE_CONTEXTARBITER_H
#define KARAKAL_SIM_IXP_ENGINE_CONTEXTARBITER_H

#include "sim-ixp/engine/Context.h"
#include "support/Error.h"

#include <array>
#include <cstdint>

namespace karakal::sim {

/// The contexts of one engine.
struct ContextArbiter {
  static constexpr uint32_t contextCount = 8;

  uint32_t current = 0;  ///< the running context, or the last one that ran
  uint8_t readyMask = 0; ///< bit n: context n is Ready
  uint8_t aliveMask = 0; ///< bit n: context n is neither Inactive nor Dead
  std::array<Context, contextCount> contexts{};

  Context &running() { return contexts[current]; }
  const Context &running() const { return contexts[current]; }

  /// The next context; one must be ready.
  uint32_t next() const {
    uint32_t after = current + 1;
    uint32_t rotated = (readyMask * 0x10101u) >> (after % contextCount);
    return (after + __builtin_ctz(rotated)) % contextCount;
  }
  /// Whether no signal in transit can change which context is next: none is
  /// ready (a signal then wakes the engine), or the first in turn is.
  bool isChoiceSettled() const {
    return readyMask == 0 || readyMask >> ((current + 1) % contextCount) & 1;
  }

  void setReady(uint32_t context) {
    contexts[context].state = ContextState::Ready;
    readyMask |= 1u << context;
  }
  void start(uint32_t context) {
    aliveMask |= 1u << context;
    setReady(context);
  }
  void stop(uint32_t context, ContextState state) {
    contexts[context].state = state;
    readyMask &= ~(1u << context);
    aliveMask &= ~(1u << context);
  }
  /// Gives the engine to the next context; one must be ready.
  Context &switchToNext() {
    KARAKAL_ASSERT(readyMask != 0, "no context is ready");
    current = next();
    readyMask &= ~(1u << current);
    Context &context = running();
    KARAKAL_ASSERT(context.state == ContextState::Ready,
                   "the context is in the mask but not ready");
    context.state = ContextState::Running;
    return context;
  }
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_CONTEXTARBITER_H
