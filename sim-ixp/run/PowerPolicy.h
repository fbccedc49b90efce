// Engines off when traffic is low.
//
// What the system software of the XScale core does under `--policy=power` (the
// paper, section 4.2). Every few thousand cycles it looks at the rings from
// which the program's engines take messages:
//
//   one fills up          every engine that is off starts
//   all stay nearly empty one engine of an aggregate that has several stops;
//                         the quiet time asked for doubles whenever a stop
//                         turns out to have been one too many
//
// To stop an engine the core sets its bit in a word of scratch. A context that
// finds no message looks at the word and ends itself, so it holds no packet; an
// engine is off when all its contexts have ended. Nothing is lost: a ring holds
// what comes in until its engines run again.

#ifndef KARAKAL_SIM_IXP_RUN_POWERPOLICY_H
#define KARAKAL_SIM_IXP_RUN_POWERPOLICY_H

#include "sim-ixp/run/Loader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

class PowerPolicy {
public:
  /// `stopWord` is the manifest's.
  PowerPolicy(uint32_t stopWord, const EnginePlans &plans, Chip &chip);

  /// Acts if it is time to; to be called now and then.
  void onTime(uint64_t now);

  uint64_t stopCount() const { return stops; }
  uint64_t startCount() const { return starts; }
  /// Cycles for which engine `index` was off, up to `now`.
  uint64_t offCycles(uint32_t index, uint64_t now) const;

private:
  enum class State { On, Stopping, Off };
  struct Engine {
    uint32_t index;
    std::string aggregate;
    uint32_t contexts;
    State state = State::On;
    uint64_t offSince = 0, off = 0;
  };

  /// Most messages in a ring that the program's engines read.
  uint32_t fullest() const;
  void finishStops(uint64_t now);
  void startAll(uint64_t now);
  void stopOne();
  void setStopBit(const Engine &engine, bool isSet);

  uint32_t stopWord;
  Chip &chip;
  std::vector<Engine> engines;
  uint64_t nextLook = 0;
  uint32_t calmLooks = 0, calmWanted;
  uint64_t stops = 0, starts = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_POWERPOLICY_H
