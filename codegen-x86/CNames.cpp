// Names and types of a program in C.

#include "codegen-x86/CNames.h"
#include "support/Assert.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace karakal::x86 {

CType cType(const std::string &declared) {
  if (declared == "bool")
    return {"bool", 8, false};
  if (declared == "int")
    return {"int32_t", 32, true};
  if (declared == "unsigned")
    return {"uint32_t", 32, false};
  bool isSigned = declared[0] == 's';
  unsigned bits = 0;
  bool isNumber = !llvm::StringRef(declared).substr(1).getAsInteger(10, bits);
  KARAKAL_ASSERT((isSigned || declared[0] == 'u') && isNumber && bits >= 1 &&
                     bits <= 64,
                 "a type of a control function, not " + declared);
  unsigned width = 8;
  while (width < bits)
    width *= 2;
  return {(isSigned ? "int" : "uint") + std::to_string(width) + "_t", width,
          isSigned};
}

std::string cIdentifier(const std::string &name) {
  std::string identifier;
  for (char character : name)
    identifier += llvm::isAlnum(character) ? character : '_';
  if (identifier.empty() || llvm::isDigit(identifier[0]))
    identifier.insert(0, "_");
  return identifier;
}

/// Words that a header for C and C++ cannot name a thing by.
static bool isReserved(const std::string &name) {
  static const std::set<std::string> words = {
#define KARAKAL_RESERVED_WORD(word) #word,
#include "codegen-x86/ReservedWords.def"
  };
  return words.count(name) != 0;
}

std::vector<std::string> cParameters(const std::vector<std::string> &names) {
  std::vector<std::string> made;
  for (const std::string &name : names) {
    std::string free = cIdentifier(name);
    while (isReserved(free) || llvm::is_contained(made, free))
      free += '_';
    made.push_back(free);
  }
  return made;
}

std::string cName(const ProgramInterface &program,
                  const ControlInterface &control) {
  std::string prefix = cIdentifier(program.name) + "_";
  std::string name = cIdentifier(control.signature.name);
  while (isReserved(prefix + name) || llvm::is_contained(InterfaceNames, name))
    name += '_';
  return prefix + name;
}

} // namespace karakal::x86
