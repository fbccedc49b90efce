// Stops engines while traffic is low.
//
// Models the system software that runs on the XScale core under
// `--policy=power` (the paper, section 4.2). Every few thousand cycles it
// checks the rings from which the application engines get messages:
//
//   one fills up           every stopped engine starts
//   all stay nearly empty  one engine of an aggregate with several of them
//                          stops; the quiet time before a stop doubles each
//                          time engines have to start again
//
// To stop an engine, the core sets its bit in a word of scratch. A context that
// finds no message reads the word and ends, so it holds no packet. The engine
// is off when all its contexts have ended. No message is lost: the rings hold
// what arrives until engines run again.

#ifndef KARAKAL_SIM_IXP_RUN_POWERPOLICY_H
#define KARAKAL_SIM_IXP_RUN_POWERPOLICY_H

#include "sim-ixp/run/Loader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

class PowerPolicy {
public:
  /// `stopWord` is the address in scratch that the manifest gives.
  PowerPolicy(uint32_t stopWord, const EnginePlans &plans, Chip &chip);

  /// Checks the rings if a check is due; called at regular intervals.
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

  /// The largest number of messages in a ring that application engines read.
  uint32_t messagesMax() const;
  void finishStops(uint64_t now);
  void startAll(uint64_t now);
  void stopOne();
  void setStopBit(const Engine &engine, bool isSet);

  uint32_t stopWord;
  Chip &chip;
  std::vector<Engine> engines;
  uint64_t nextCheck = 0;
  uint32_t quietChecks = 0, quietChecksNeeded;
  uint64_t stops = 0, starts = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_POWERPOLICY_H
