// Prepares LLVM IR for the back end.
//
// Selection inside LLVM cannot report errors to the user. So everything that
// the machine cannot do is found here first, and reported or rewritten.

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

/// Replaces vectors of parts of words by vectors of words, where elements with
/// constant indices are used.
void lowerPartVectors(llvm::Module &module);

/// Rewrites memory accesses into whole words and into calls that move bursts of
/// words. Errors: E-codegen-me-010..012 (accesses that are not whole words).
Status lowerMemory(llvm::Module &module);

/// Replaces division and remainder that selection cannot make cheap by calls
/// of routines, whose bodies it adds.
Status lowerDivision(llvm::Module &module);

/// Makes calls of @__ixp_words_from.<n> (PrepareUnaligned.cpp) branches and
/// byte_align.
void lowerUnaligned(llvm::Module &module);

/// Removes words at the ends of a store that would write back what a load has
/// read, and words at the ends of a load that have no use.
void trimBursts(llvm::Module &module);

/// Adds whole words where checksums add their halves (RFC 1071).
void formOnesAdds(llvm::Module &module);

/// Moves the sum of an address and a constant to each access, whose command
/// adds the two at no cost.
void sinkAddresses(llvm::Module &module);

/// All of the above.
Result<CallOrder> prepareModule(llvm::Module &module, const std::string &entry);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H
