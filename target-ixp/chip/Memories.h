// The memories of the chip and the address spaces of LLVM IR.
//
// A global of a program is in one of these memories. The baker dialect, the
// image's manifest and reports use the name of the memory. In LLVM IR for the
// chip's cores the address space of a pointer is the kind of memory. The number
// of SRAM channels depends on the chip: target-ixp/chip/ChipLayout.h.
//
//   memory         name            space   address in a command
//   Scratch        "scratch"       3       byte address
//   Sram0..Sram3   "sram0".."sram3" 1      channel << 30 | byte address
//   Dram           "dram"          2       byte address
//   Local          "local"         4       byte address; each engine has its
//   own

#ifndef KARAKAL_TARGET_IXP_CHIP_MEMORIES_H
#define KARAKAL_TARGET_IXP_CHIP_MEMORIES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace karakal::target {

/// A memory that can hold globals.
enum class Memory : uint8_t {
  Scratch,
  Sram0,
  Sram1,
  Sram2,
  Sram3,
  Dram,
  Local
};
inline constexpr size_t MemoryKinds = 7;
inline constexpr std::array<Memory, MemoryKinds> AllMemories = {
    Memory::Scratch, Memory::Sram0, Memory::Sram1, Memory::Sram2,
    Memory::Sram3,   Memory::Dram,  Memory::Local};

/// The number of SRAM channels with a name; a chip may have fewer.
inline constexpr uint32_t SramChannelsMax = 4;

/// The name in the dialect, the manifest and reports.
const char *memoryName(Memory memory);
/// The memory with that name, or nothing.
std::optional<Memory> findMemory(std::string_view name);

/// The SRAM channel, or nothing for any other memory.
std::optional<uint32_t> sramChannelOf(Memory memory);
/// The memory that is SRAM channel `channel`, below SramChannelsMax.
Memory sramMemory(uint32_t channel);
inline bool isSram(Memory memory) { return sramChannelOf(memory).has_value(); }

/// Address spaces of pointers in LLVM IR for the engines and, except the last,
/// for the XScale core. Space 0 is the stack of a context, or the core's
/// memory.
enum AddressSpace : unsigned {
  StackSpace = 0,
  SramSpace = 1,
  DramSpace = 2,
  ScratchSpace = 3,
  LocalSpace = 4,
};
inline constexpr unsigned AddressSpaceCount = 5;

/// The address space of a memory's globals.
AddressSpace addressSpaceOf(Memory memory);

/// The address by which a command names byte `address` of `memory`.
uint32_t commandAddress(Memory memory, uint32_t address);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_MEMORIES_H
