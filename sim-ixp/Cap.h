//===- Cap.h - the CSR access proxy ---------------------------*- C++ -*-===//
//
// Registers that belong to no other unit: interrupts to the core, signals
// between threads of different engines, and the scratch rings' registers. A
// register without a meaning here keeps what was written and says nothing.
//
// A write to the inter-thread signal register (offset `interThreadSignal`, our
// choice: no document at hand gives it) raises a signal: bits 3:0 signal, 6:4
// context, 11:7 the engine's hardware number.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_CAP_H
#define KARAKAL_SIM_IXP_CAP_H

#include "sim-ixp/Chassis.h"
#include "sim-ixp/Resource.h"

#include <cstdint>
#include <vector>

namespace karakal::sim {

/// The CAP unit.
class Cap : public CommandUnit, public EventTarget {
public:
  static constexpr uint32_t interThreadSignal = 0x4900;

  explicit Cap(Chassis &chassis);

  /// The register at a byte offset.
  uint32_t readRegister(uint32_t offset) const;

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  Resource &server() { return service; }

private:
  void writeRegister(uint32_t offset, uint32_t value, uint64_t cycle);

  Chassis &chassis;
  UnitTiming timing;
  Resource service;
  std::vector<uint32_t> registers;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CAP_H
