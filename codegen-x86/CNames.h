// Names and types of a program in C.

#ifndef KARAKAL_CODEGEN_X86_CNAMES_H
#define KARAKAL_CODEGEN_X86_CNAMES_H

#include "codegen-x86/Interface.h"
#include <string>

namespace karakal::x86 {

/// A parameter's type: how C spells it, its bits there, and whether it is
/// signed.
struct CType {
  std::string spelling;
  unsigned bits;
  bool isSigned;
};

/// Returns the C type that holds the type that a control function declares:
/// `u1` to `u64`, `s1` to `s64`, `bool`, `int` or `unsigned`.
CType cType(const std::string &declared);

/// Returns `name` with an underscore for each character that C does not allow.
std::string cIdentifier(const std::string &name);

/// Returns the same for each name of a list, with underscores after what is a
/// keyword, a type or a macro of C or C++, and after what the list has already.
std::vector<std::string> cParameters(const std::vector<std::string> &names);

/// Returns the name of a control function: PROGRAM_MODULE_FUNCTION, with an
/// underscore after it if it is a keyword or a name of the interface.
std::string cName(const ProgramInterface &program,
                  const ControlInterface &control);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_CNAMES_H
