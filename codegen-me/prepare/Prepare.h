// Prepares LLVM IR for the back end.
//
// Instruction selection inside LLVM cannot report errors to the user. So this
// stage first finds everything that the machine cannot do, and reports or
// rewrites it.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H
#define KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H

#include "support/Error.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace karakal::codegen {

/// The functions reachable from `entry`, callers before callees.
using CallOrder = std::vector<llvm::Function *>;

/// Checks that everything that `entry` reaches can be compiled
/// (E-codegen-me-001..009), and removes the rest of the module.
Result<CallOrder> checkModule(llvm::Module &module, const std::string &entry);

/// Replaces vectors of bytes or halfwords by vectors of words where elements
/// with constant indices are used.
void lowerPartVectors(llvm::Module &module);

/// Rewrites memory accesses into whole words and into calls that move bursts of
/// words. Errors: E-codegen-me-010..012 (accesses that are not whole words).
Status lowerMemory(llvm::Module &module);

/// Replaces division and remainder that selection cannot make cheap by calls
/// of routines, and adds the routines.
Status lowerDivision(llvm::Module &module);

/// Expands calls of @__ixp_words_from.<n> and @__ixp_words_into.<n>
/// (PrepareUnaligned.cpp) into branches and byte_align.
void lowerUnaligned(llvm::Module &module);

/// Shortens bursts at both ends: a store by words that still hold the loaded
/// value, a load by words that have no use.
void trimBursts(llvm::Module &module);

/// Replaces sums of halfwords in checksums by sums of words (RFC 1071),
/// and their folds by rotations.
void formOnesAdds(llvm::Module &module);

/// Combines fields of neighbouring words before they are aligned.
void combineFunnels(llvm::Module &module);

/// Widens masks to whole bytes where the bits added are 0.
void widenMasks(llvm::Module &module);

/// Changes whole bytes of a word before other fields are joined to it.
void changeBytesFirst(llvm::Module &module);

/// Moves the addition of a constant to an address to each access, because the
/// command adds the two at no cost.
void sinkAddresses(llvm::Module &module);

/// All of the above.
Result<CallOrder> prepareModule(llvm::Module &module, const std::string &entry);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_PREPARE_H
