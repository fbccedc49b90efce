// The hash unit.
//
// Hashes one to three keys of 48, 64 or 128 bits per command
// (target-ixp/table/HashFunction.h), with the multiplier that the loader or the
// core has set. The result replaces the key in the
// transfer-in registers of the same numbers. The low word of a key comes first.

#ifndef KARAKAL_SIM_IXP_MEMORY_HASH_H
#define KARAKAL_SIM_IXP_MEMORY_HASH_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Server.h"
#include "target-ixp/table/HashFunction.h"

#include <cstdint>

namespace karakal::sim {

class ChipObserver;

/// The hash unit.
class Hash final : public CommandUnit, public EventTarget {
public:
  Hash(Chassis &chassis, ChipObserver &observer);

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  /// Sets the multiplier registers.
  void setMultiplier(target::HashKey value) { multiplier = value; }

  const Server &server() const { return service; }

private:
  Chassis &chassis;
  ChipObserver &observer;
  UnitTiming timing;
  Server service;
  target::HashKey multiplier = target::HashMultiplier;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_HASH_H
