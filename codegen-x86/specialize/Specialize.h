// Makes the code of packets for one state of tables and settings.
//
//   u32 find(u48 mac) { … 20 lines … }       u32 find(u48 mac) { return 0; }
//   if (enabled && …)                    →   if (0 && …)
//
// LLVM removes what follows from that: branches that are never taken, fields
// that only they need. Then the packet primitives are linked and the module is
// optimized as the program itself was.
//
// Requires: the code runs only while the versions of `assumed` are those of the
// snapshot. Ensures: for all packets it does what the program does; an access
// outside a packet's buffer whose value is not used is no error any more.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_SPECIALIZE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_SPECIALIZE_H

#include "codegen-x86/Specialization.h"
#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/Snapshot.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace karakal::x86 {

struct Specialized : Assumptions {
  std::unique_ptr<llvm::LLVMContext> context;
  /// Null if there was nothing to assume or the module is too large.
  std::unique_ptr<llvm::Module> module;
  /// Why there is no module although there are assumptions.
  std::string refusal;
  /// Numbers of the versions that must not change.
  std::set<unsigned> assumed;
  /// Numbers of those that the code compares itself.
  std::set<unsigned> compared;
  /// Instructions of LLVM IR before packet primitives are inlined.
  uint64_t instructions = 0;
};

/// What must not be assumed: tables and globals by name, or whatever depends on
/// a version.
struct Exclusions {
  std::set<std::string> names;
  std::set<unsigned> versions;
};

/// Makes the code for `snapshot`. Safe to call on any thread, beside packets.
Specialized specialize(const Specializable &program, const Snapshot &snapshot,
                       const SpecializeLimits &limits,
                       llvm::TargetMachine &machine,
                       const Exclusions &without = {});

/// Makes the program's own code with observers of its traffic (Traffic.h).
/// `ways` becomes the number of ways out of each branch.
std::unique_ptr<llvm::Module> makeObserving(const Specializable &program,
                                            llvm::LLVMContext &context,
                                            llvm::TargetMachine &machine,
                                            std::vector<unsigned> &ways);

/// Sets what each assumption of `made` saves, by making the code without it.
void measureSavings(Specialized &made, const Specializable &program,
                    const Snapshot &snapshot, const SpecializeLimits &limits,
                    llvm::TargetMachine &machine);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_SPECIALIZE_H
