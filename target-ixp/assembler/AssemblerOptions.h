// Options of the assembler.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLEROPTIONS_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLEROPTIONS_H

#include "target-ixp/chip/ChipParameters.h"

#include <map>
#include <string>
#include <vector>

namespace karakal::target {

struct AssemblerOptions {
  /// Names defined before the first line, as by #define.
  std::map<std::string, std::string> defines;
  /// Folders that #include searches after the folder of the including file.
  std::vector<std::string> includePaths;
  /// The chip that the code is for; its control store bounds the program.
  ChipParameters chip;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLEROPTIONS_H
