// Images of assembled programs, for tests and experiments without bakerc.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_PROGRAMIMAGE_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_PROGRAMIMAGE_H

#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/image/Image.h"

namespace karakal::target {

/// An image that runs the program on the first application engine of the chip
/// `target`, which parseChip takes.
Image programImage(const AssembledProgram &program, const std::string &name,
                   const std::string &target);

/// The image at `path` with the microcode of every aggregate replaced by this
/// program; its tables and their initialization stay. Errors: readImage's.
Result<Image> replaceProgram(const std::string &path,
                             const AssembledProgram &program);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_PROGRAMIMAGE_H
