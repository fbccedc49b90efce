// Prepares a program for being specialized while it runs.
//
// The code of packets is kept as it is before inlining. In the program itself
// each store of a control function to global data that packets read only is
// followed by an increment of that global's version:
//
//   store i32 %w, ptr @routes.own.head
//   →  store i32 %w, ptr @routes.own.head
//      %v = load i64, ptr @karakal_x86_versions[3] …  + 1
//
// so that whoever runs specialized code can compare what it was made of with
// what holds now.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_PREPARE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_PREPARE_H

#include "codegen-x86/specialize/TableShape.h"
#include "target-ixp/table/HashFunction.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::x86 {

/// The program as it is prepared.
struct ProgramParts {
  /// Symbols of the functions that packets enter.
  std::vector<std::string> packetEntries;
  /// Symbols of the wrappers of control functions, and their names.
  std::vector<std::pair<std::string, std::string>> controls;
  std::vector<std::string> inits;
  std::vector<TableShape> tables;
  target::HashKey hashMultiplier = target::HashMultiplier;
};

/// A global that packets use.
struct SharedGlobal {
  std::string name;
  uint64_t words = 0;
  /// Its initial words, if they are not all zero and few.
  bool startsAsZero = false;
  /// Number of its version, which each change by a control function
  /// increments; -1: its changes are not followed, it is never folded.
  int version = -1;
  /// Whether packets write a part of it.
  bool isWrittenByPackets = false;
  /// Control functions that may change it.
  std::vector<std::string> writers;
};

/// What it takes to specialize a program.
struct Specializable {
  static constexpr const char *Versions = "karakal_x86_versions";

  /// The functions of packets, as LLVM bitcode. Globals are declared only; the
  /// packet primitives are not linked yet.
  std::string bitcode;
  std::vector<std::string> packetEntries;
  std::vector<SharedGlobal> globals;
  /// Tables whose look-ups depend on globals with versions alone.
  std::vector<TableShape> tables;
  unsigned versionCount = 0;
  target::HashKey hashMultiplier = target::HashMultiplier;

  const SharedGlobal *global(const std::string &name) const;
};

/// Prepares `module`, which has the data layout of its target and declares its
/// packet primitives. Its shared globals get external linkage.
Specializable prepareToSpecialize(llvm::Module &module,
                                  const ProgramParts &program);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_PREPARE_H
