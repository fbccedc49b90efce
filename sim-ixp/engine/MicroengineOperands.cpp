// Operands through index registers.
//
// Local memory, transfer registers through T_INDEX, and the neighbour ring: the
// place is found when the instruction executes, and the index moves behind it.

#include "sim-ixp/engine/Microengine.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/InstructionTable.h"

#include <utility>

namespace karakal::sim {

using target::Operand;
using Kind = target::Operand::Kind;

/// Turns `op` into `indexed.op`, whose operands are absolute; false after a
/// fault.
bool Microengine::resolve(const MicroOp &op,
                          const target::Instruction &instruction) {
  commitPending();
  indexed.op = op;
  indexed.usedCount = 0;
  indexed.isNeighbourPut = false;
  // Branches and commands name no destination; their dest stays "--".
  return resolveOne(instruction.a, false, indexed.op.a, indexed.op.aBase) &&
         resolveOne(instruction.b, false, indexed.op.b, indexed.op.bBase) &&
         resolveOne(instruction.dest, true, indexed.op.dest,
                    indexed.op.destBase);
}

bool Microengine::resolveOne(const Operand &operand, bool isDestination,
                             uint16_t &place, uint8_t &base) {
  switch (operand.kind) {
  case Kind::LocalMemory0:
  case Kind::LocalMemory1: {
    uint32_t pointer = operand.kind == Kind::LocalMemory1;
    uint32_t word =
        contexts[current].bases[BaseLocal0 + pointer] | operand.value;
    if (word >= target::LocalMemoryWords) {
      fault("local memory has no word " + std::to_string(word));
      return false;
    }
    place = static_cast<uint16_t>(reg::localMemory + word);
    base = BaseAbsolute;
    if (localListener && !isDestination)
      localListener->onLocalRead(number, current, word, regs[place]);
    break;
  }
  case Kind::SXferIndex:
  case Kind::DXferIndex: {
    bool isS = operand.kind == Kind::SXferIndex;
    uint32_t bank = isDestination ? (isS ? reg::sOut : reg::dOut)
                                  : (isS ? reg::sIn : reg::dIn);
    place = static_cast<uint16_t>(bank + (tIndex >> 2 & 127));
    break;
  }
  case Kind::NeighbourIndex:
    if (isDestination) {
      indexed.isNeighbourPut = true;
      indexed.isRingPut = true;
      return true;
    }
    place = static_cast<uint16_t>(reg::neighbour + (nnGet & 127));
    break;
  case Kind::Neighbour:
    if (isDestination) {
      indexed.isNeighbourPut = true;
      indexed.isRingPut = false;
      indexed.neighbourRegister =
          static_cast<uint8_t>((current * 16 + operand.value) & 127);
    }
    return true;
  default:
    return true;
  }
  indexed.used[indexed.usedCount++] = operand;
  return true;
}

/// Behind the instruction: each index register moves once, and a neighbour gets
/// its word.
void Microengine::finishIndexed() {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < indexed.usedCount; ++i) {
    const Operand &operand = indexed.used[i];
    if (operand.post == target::PostModify::None)
      continue;
    uint32_t bit = 1u << static_cast<unsigned>(operand.kind);
    if (moved & bit)
      continue;
    moved |= bit;
    bool isUp = operand.post == target::PostModify::Increment;
    uint32_t step = isUp ? 4 : ~uint32_t{0} - 3;
    Context &context = contexts[current];
    if (operand.kind == Kind::LocalMemory0)
      setLmAddress(context, 0, lmAddress(context, 0) + step);
    else if (operand.kind == Kind::LocalMemory1)
      setLmAddress(context, 1, lmAddress(context, 1) + step);
    else if (operand.kind == Kind::NeighbourIndex)
      nnGet = (nnGet + 1) & 127;
    else
      tIndex = (tIndex + step) & 0x1fc;
  }
  if (moved)
    refreshBases();
  if (!indexed.isNeighbourPut)
    return;
  bool isSelf = ctxEnables >> 20 & 1;
  Microengine *to = isSelf ? this : nextEngine;
  if (!to)
    return; // the last engine of the chain writes to nobody
  uint32_t place = indexed.isRingPut ? nnPut : indexed.neighbourRegister;
  if (isSelf)
    deferNeighbour(place, regs[reg::sink]);
  else
    to->regs[reg::neighbour + place] = regs[reg::sink];
  if (indexed.isRingPut)
    nnPut = (nnPut + 1) & 127;
}

void Microengine::tellLocalReads(const MicroOp &op) {
  for (auto [base, index] : {std::pair(op.aBase, op.a), {op.bBase, op.b}})
    if (base >= BaseLocal0) {
      uint32_t place = index | bases[base];
      localListener->onLocalRead(number, current, place - reg::localMemory,
                                 regs[place]);
    }
}

/// Whether the pointers of `op` name words that exist; a fault if not.
bool Microengine::isLocalThere(const MicroOp &op) {
  commitPending();
  for (auto [base, index] :
       {std::pair(op.aBase, op.a), {op.bBase, op.b}, {op.destBase, op.dest}}) {
    if (base < BaseLocal0)
      continue;
    uint32_t word = (index | bases[base]) - reg::localMemory;
    if (word >= target::LocalMemoryWords) {
      fault("local memory has no word " + std::to_string(word));
      return false;
    }
  }
  if (localListener)
    tellLocalReads(op);
  return true;
}

uint32_t Microengine::camLookup(const target::Instruction &instruction,
                                uint32_t tag) {
  uint32_t result = cam.lookup(tag);
  uint32_t entry = result >> 3 & 15;
  uint32_t address = uint32_t{instruction.lmBlock} << 10 | entry << 6;
  if (instruction.loadLm0)
    defer(target::Csr_ACTIVE_LM_ADDR_0, current, address);
  if (instruction.loadLm1)
    defer(target::Csr_ACTIVE_LM_ADDR_1, current, address);
  return result;
}

} // namespace karakal::sim
