// The XScale core's addresses of memory.
//
// LLVM IR names a memory by its address space. The core has one address space
// with all memories:
//
//   1 SRAM     channel in bits 31:30   →  0x80000000 | channel << 28 | offset
//   2 DRAM     byte address            →  itself
//   3 scratch  byte address            →  0xca000000 + address
//
// The pass translates the pointer of each load and store. The optimizer folds
// known parts of the address. Bases: target-ixp/chip/MemoryMap.h.

#include "driver/pipeline/LlvmStage.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace karakal::driver {

namespace {

constexpr uint32_t sramOffsetMask = (1u << target::SramChannelShift) - 1;
static_assert(target::XScaleSram1 ==
                  (target::XScaleSram0 | 1u << target::XScaleSramChannelShift),
              "the channels are side by side");
static_assert(target::XScaleDram == 0, "DRAM addresses are the core's own");

/// Translates `pointer` of address space `space` to a pointer of the core.
Value *translate(IRBuilder<> &builder, Value *pointer, unsigned space) {
  Value *address = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
  switch (space) {
  case 1: {
    Value *channel = builder.CreateLShr(address, target::SramChannelShift);
    Value *select = builder.CreateShl(channel, target::XScaleSramChannelShift);
    Value *offset = builder.CreateAnd(address, sramOffsetMask);
    address =
        builder.CreateOr(builder.CreateOr(offset, select), target::XScaleSram0);
    break;
  }
  case 2:
    break;
  case 3:
    address =
        builder.CreateAdd(address, builder.getInt32(target::XScaleScratch));
    break;
  default:
    KARAKAL_UNREACHABLE("the XScale core has no address space " +
                        std::to_string(space));
  }
  return builder.CreateIntToPtr(address, builder.getPtrTy());
}

} // namespace

void mapToXScaleAddresses(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      unsigned operand = isa<StoreInst>(instruction) ? 1 : 0;
      if (!isa<StoreInst>(instruction) && !isa<LoadInst>(instruction))
        continue;
      Value *pointer = instruction.getOperand(operand);
      unsigned space = pointer->getType()->getPointerAddressSpace();
      if (space == 0)
        continue;
      IRBuilder<> builder(&instruction);
      instruction.setOperand(operand, translate(builder, pointer, space));
    }
  }
}

} // namespace karakal::driver
