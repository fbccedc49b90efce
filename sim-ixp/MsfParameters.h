//===- MsfParameters.h - numbers of ports and media bus -------*- C++ -*-===//
//
// Ports are MACs of 1 Gbit/s, each with a small FIFO a direction, on one SPI-3
// bus a direction to the MSF. No source gives the FIFOs' sizes or the bus's
// overhead [M]: all may be swept.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_MSFPARAMETERS_H
#define KARAKAL_SIM_IXP_MSFPARAMETERS_H

#include <cstdint>

namespace karakal::sim {

/// Ports, media bus and registers.
struct MsfParameters {
  /// Microengine clock, the unit of all cycles.
  double clockHz = 600e6;
  /// Line rate of a port.
  double portGbps = 1.0;
  /// Bytes of a port's FIFO, a direction [M].
  uint32_t portFifoBytes = 4096;
  /// SPI-3 clock; the range is 25 to 125 MHz. 104 MHz, as one board has it,
  /// would not carry four ports of minimum frames.
  double mediaBusHz = 125e6;
  /// Bytes a bus cycle: one 32-bit interface.
  uint32_t mediaBusBytes = 4;
  /// Bus cycles of a transfer besides its data: port selection [M].
  uint32_t mediaBusOverhead = 1;
  /// Cycles from a command's arrival to a register's value [M].
  uint32_t registerCycles = 10;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MSFPARAMETERS_H
