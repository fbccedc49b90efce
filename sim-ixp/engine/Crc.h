// The CRC unit of an engine.
//
// One crc instruction runs the chosen bytes of a word through the remainder,
// most significant bit first. `be` numbers bytes from the most significant end,
// `le` from the least significant one; bit_swap reverses the bits inside each
// byte ("MEv2 reference", CRC).

#ifndef KARAKAL_SIM_IXP_ENGINE_CRC_H
#define KARAKAL_SIM_IXP_ENGINE_CRC_H

#include "target-ixp/table/Instruction.h"

#include <cstdint>

namespace karakal::sim {

/// The remainder after `instruction` (a Crc) has taken `word`.
uint32_t advanceCrc(const target::Instruction &instruction, uint32_t remainder,
                    uint32_t word);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_CRC_H
