// Random accesses to memory of this computer, for the model of rates.

#ifndef KARAKAL_CODEGEN_X86_MODEL_MEASUREMEMORY_H
#define KARAKAL_CODEGEN_X86_MODEL_MEASUREMEMORY_H

#include "codegen-x86/model/Machine.h"

namespace karakal::x86 {

/// Measures accesses to working sets from 16 KiB to `bytesMax`, in pages of the
/// size that a program's globals have. Takes about a second for 128 MiB.
std::vector<MemoryFigure> measureMemory(uint64_t bytesMax);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_MEASUREMEMORY_H
