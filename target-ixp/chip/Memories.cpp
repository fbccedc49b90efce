// The memories of the chip and the address spaces of LLVM IR.

#include "target-ixp/chip/Memories.h"
#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"

namespace karakal::target {

const char *memoryName(Memory memory) {
  switch (memory) {
  case Memory::Scratch:
    return "scratch";
  case Memory::Sram0:
    return "sram0";
  case Memory::Sram1:
    return "sram1";
  case Memory::Sram2:
    return "sram2";
  case Memory::Sram3:
    return "sram3";
  case Memory::Dram:
    return "dram";
  case Memory::Local:
    return "local";
  }
  KARAKAL_UNREACHABLE("no such memory");
}

std::optional<Memory> findMemory(std::string_view name) {
  for (Memory memory : AllMemories)
    if (name == memoryName(memory))
      return memory;
  return std::nullopt;
}

std::optional<uint32_t> sramChannelOf(Memory memory) {
  switch (memory) {
  case Memory::Sram0:
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return uint32_t(memory) - uint32_t(Memory::Sram0);
  case Memory::Scratch:
  case Memory::Dram:
  case Memory::Local:
    return std::nullopt;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

Memory sramMemory(uint32_t channel) {
  KARAKAL_ASSERT(channel < SramChannelsMax, "no such SRAM channel");
  return Memory(uint32_t(Memory::Sram0) + channel);
}

AddressSpace addressSpaceOf(Memory memory) {
  switch (memory) {
  case Memory::Scratch:
    return ScratchSpace;
  case Memory::Sram0:
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return SramSpace;
  case Memory::Dram:
    return DramSpace;
  case Memory::Local:
    return LocalSpace;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

uint32_t commandAddress(Memory memory, uint32_t address) {
  std::optional<uint32_t> channel = sramChannelOf(memory);
  return channel ? sramAddress(*channel, address) : address;
}

} // namespace karakal::target
