// Operands through index registers.
//
// Local memory, transfer registers through T_INDEX, and the neighbour ring: the
// index is computed when the instruction executes and moves after it.

#include "sim-ixp/engine/Microengine.h"
#include "support/Error.h"
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
                             uint16_t &index, uint8_t &base) {
  switch (operand.kind) {
  case Kind::LocalMemory0:
  case Kind::LocalMemory1: {
    uint32_t pointer = operand.kind == Kind::LocalMemory1;
    if (operand.post != target::PostModify::None)
      checkPointerDelay(pointer); // the others by checkLocalDelay
    uint32_t word =
        arbiter.running().bases[BaseLocal0 + pointer] | operand.value;
    if (word >= target::LocalMemoryWords) {
      fault("local memory has no word " + std::to_string(word));
      return false;
    }
    index = static_cast<uint16_t>(reg::localMemory + word);
    base = BaseAbsolute;
    if (localObserver && !isDestination)
      localObserver->onLocalRead(number, arbiter.current, word, regs[index]);
    break;
  }
  case Kind::SXferIndex:
  case Kind::DXferIndex: {
    bool isS = operand.kind == Kind::SXferIndex;
    uint32_t bank = isDestination ? (isS ? reg::sOut : reg::dOut)
                                  : (isS ? reg::sIn : reg::dIn);
    index = static_cast<uint16_t>(bank + (csrs.tIndex >> 2 & 127));
    break;
  }
  case Kind::NeighbourIndex:
    if (isDestination) {
      indexed.isNeighbourPut = true;
      indexed.isRingPut = true;
      return true;
    }
    index = static_cast<uint16_t>(reg::neighbour + (csrs.nnGet & 127));
    break;
  case Kind::Neighbour:
    if (isDestination) {
      indexed.isNeighbourPut = true;
      indexed.isRingPut = false;
      indexed.neighbourRegister =
          static_cast<uint8_t>((arbiter.current * 16 + operand.value) & 127);
    }
    return true;
  default:
    return true;
  }
  KARAKAL_ASSERT(indexed.usedCount < indexed.used.size(),
                 "an instruction has three operands");
  indexed.used[indexed.usedCount++] = operand;
  return true;
}

/// Post-modification: each index register moves once.
void Microengine::movePointers() {
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
    Context &context = arbiter.running();
    if (operand.kind == Kind::LocalMemory0)
      setLocalAddress(context, 0, context.localAddress(0) + step);
    else if (operand.kind == Kind::LocalMemory1)
      setLocalAddress(context, 1, context.localAddress(1) + step);
    else if (operand.kind == Kind::NeighbourIndex)
      csrs.nnGet = (csrs.nnGet + 1) & 127;
    else
      csrs.tIndex = (csrs.tIndex + step) & 0x1fc;
  }
  if (moved)
    refreshBases();
}

/// Writes the result to the neighbour register or ring.
void Microengine::putNeighbour() {
  bool isSelf = csrs.isOwnNeighbour();
  Microengine *to = isSelf ? this : nextEngine;
  if (!to)
    return; // the last engine of the chain has no next neighbour
  uint32_t index = indexed.isRingPut ? csrs.nnPut : indexed.neighbourRegister;
  if (isSelf)
    deferNeighbour(index, regs[reg::sink]);
  else
    to->regs[reg::neighbour + index] = regs[reg::sink];
  if (indexed.isRingPut)
    csrs.nnPut = (csrs.nnPut + 1) & 127;
}

/// What follows the instruction in `indexed`: post-modification, and the write
/// to a neighbour.
void Microengine::finishIndexed() {
  movePointers();
  if (indexed.isNeighbourPut)
    putNeighbour();
}

void Microengine::reportLocalReads(const MicroOp &op) {
  for (auto [base, index] : {std::pair(op.aBase, op.a), {op.bBase, op.b}})
    if (base >= BaseLocal0) {
      uint32_t word = index | bases[base];
      localObserver->onLocalRead(number, arbiter.current,
                                 word - reg::localMemory, regs[word]);
    }
}

/// Whether the pointers of `op` name words that exist; a fault if not.
bool Microengine::doLocalWordsExist(const MicroOp &op) {
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
  if (localObserver)
    reportLocalReads(op);
  return true;
}

uint32_t Microengine::camLookup(const target::Instruction &instruction,
                                uint32_t tag) {
  uint32_t result = cam.lookup(tag);
  uint32_t entry = result >> 3 & 15;
  uint32_t address = uint32_t{instruction.lmBlock} << 10 | entry << 6;
  if (instruction.loadLm0)
    defer(target::Csr_ACTIVE_LM_ADDR_0, arbiter.current, address);
  if (instruction.loadLm1)
    defer(target::Csr_ACTIVE_LM_ADDR_1, arbiter.current, address);
  return result;
}

} // namespace karakal::sim
