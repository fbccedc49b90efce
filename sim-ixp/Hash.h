//===- Hash.h - the hash unit ---------------------------------*- C++ -*-===//
//
// Hashes one to three keys of 48, 64 or 128 bits a command: the key, taken as a
// polynomial over GF(2), is multiplied by the multiplier and reduced. The
// result replaces the key in the transfer-in registers of the same numbers.
// Keys lie with the low word first.
//
// The chip's multipliers are set by software and its reduction polynomials are
// in no document at hand: both are our choice here (x^48 + x^28 + x^27 + x + 1,
// x^64 + x^4 + x^3 + x + 1, x^128 + x^7 + x^2 + x + 1).
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_HASH_H
#define KARAKAL_SIM_IXP_HASH_H

#include "sim-ixp/Chassis.h"
#include "sim-ixp/Resource.h"

#include <cstdint>

namespace karakal::sim {

class Recorder;

/// A key or a result, low word first.
struct HashKey {
  uint64_t low = 0;
  uint64_t high = 0;
};

/// The hash of a key of `bits` 48, 64 or 128 bits.
HashKey hashKey(HashKey key, uint32_t bits);

/// The hash unit.
class Hash : public CommandUnit, public EventTarget {
public:
  Hash(Chassis &chassis, Recorder &recorder);

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  Resource &server() { return service; }

private:
  Chassis &chassis;
  Recorder &recorder;
  UnitTiming timing;
  Resource service;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_HASH_H
