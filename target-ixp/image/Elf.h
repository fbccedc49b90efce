// Writes and reads small ELF32 big-endian files.
//
// Supports what images need: named sections, some of them loaded at an address.
// Layout (System V gABI, chapters 4 and 5): header, one program header for each
// loaded section, contents in order at multiples of 4, section names, section
// headers. The section headers come last, so a truncated file lacks them.

#ifndef KARAKAL_TARGET_IXP_IMAGE_ELF_H
#define KARAKAL_TARGET_IXP_IMAGE_ELF_H

#include "support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::target {

struct ElfSection {
  std::string name;
  std::vector<uint8_t> bytes;
  bool loaded = false;  ///< has a program header
  uint32_t address = 0; ///< load address
};

std::vector<uint8_t> writeElf(const std::vector<ElfSection> &sections);

/// Returns the sections in file order. Errors: E-target-ixp-072 (not a file of
/// this kind), 073 (truncated), 074 (damaged). `name` is for messages.
Result<std::vector<ElfSection>> readElf(const std::vector<uint8_t> &bytes,
                                        const std::string &name);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_ELF_H
