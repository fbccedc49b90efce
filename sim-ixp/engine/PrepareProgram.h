// Prepares instructions for execution.
//
// Decodes the words of a control store once, at load: every operand becomes an
// index and a base, every command a shape, every operation a handler
// (MicroOp.h, DataPath.h).

#ifndef KARAKAL_SIM_IXP_ENGINE_PREPAREPROGRAM_H
#define KARAKAL_SIM_IXP_ENGINE_PREPAREPROGRAM_H

#include "sim-ixp/engine/MicroOp.h"

#include <cstdint>
#include <vector>

namespace karakal::sim {

/// Prepares 40-bit words. A word that is no instruction faults when executed.
MicroProgram prepareProgram(const std::vector<uint64_t> &words);
/// Prepares decoded instructions (tests).
MicroProgram
prepareProgram(const std::vector<target::Instruction> &instructions);

/// Makes the simulation stop before it executes `word`, an address inside the
/// program.
void setBreak(MicroProgram &program, uint32_t word);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_PREPAREPROGRAM_H
