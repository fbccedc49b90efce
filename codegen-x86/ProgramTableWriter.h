// Writes the table of a program that becomes an executable.

#ifndef KARAKAL_CODEGEN_X86_PROGRAMTABLEWRITER_H
#define KARAKAL_CODEGEN_X86_PROGRAMTABLEWRITER_H

#include "codegen-x86/Interface.h"
#include "llvm/IR/Module.h"

namespace karakal::x86 {

/// Defines `ProgramTable::Symbol`. Requires: `module` has the functions of
/// runtime/x86/interface.cpp under their names there, or declares them.
void writeProgramTable(llvm::Module &module, const ProgramInterface &program);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_PROGRAMTABLEWRITER_H
