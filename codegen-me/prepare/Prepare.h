// What the back end asks of LLVM IR.
//
// Selection inside LLVM has no way to refuse an input politely. So everything
// that the machine cannot do is found, reported or rewritten here, before.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H
#define KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H

#include "support/Error.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace karakal::codegen {

/// The functions reachable from `entry`, callers before callees.
using CallOrder = std::vector<llvm::Function *>;

/// Checks that what `entry` reaches can be compiled (E-codegen-me-001..009),
/// and removes the rest of the module.
Result<CallOrder> checkModule(llvm::Module &module, const std::string &entry);

/// Makes vectors of words out of those of parts of words, where constant
/// elements of them are used.
void lowerPartVectors(llvm::Module &module);

/// Rewrites memory accesses into whole words and into calls that move runs of
/// words; refuses what is no whole word (E-codegen-me-010..012).
Status lowerMemory(llvm::Module &module);

/// Replaces division and remainder that selection cannot make cheap by calls
/// of routines, whose bodies it adds.
Status lowerDivision(llvm::Module &module);

/// Makes calls of @__ixp_words_from.<n> (PrepareUnaligned.cpp) branches and
/// byte_align.
void lowerUnaligned(llvm::Module &module);

/// Leaves out the words at the ends of a run that a store would write as a load
/// has read them, and those at the ends of a load that nothing uses.
void trimRuns(llvm::Module &module);

/// Adds whole words where checksums add their halves (RFC 1071).
void formOnesAdds(llvm::Module &module);

/// Computes addresses that are a value and a constant in front of each access,
/// whose command adds the two for nothing.
void sinkAddresses(llvm::Module &module);

/// All of the above.
Result<CallOrder> prepareModule(llvm::Module &module, const std::string &entry);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H
