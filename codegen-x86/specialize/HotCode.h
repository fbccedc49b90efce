// Compares of hot entries before a look-up, and what they have folded.
//
//   %slot = call @T.find(%key)      br (versions of T are those), …, cold
//   %port = load T[%slot].port      br (%key & mask == value), hot, cold
//                               →   hot:   br found
//                                   cold:  %s = call @T.find(%key)
//                                          %p = load T[%s].port
//                                   found: %slot = phi [7, hot], [%s, cold]
//                                          %port = phi [3, hot], [%p, cold]
//
// So LLVM follows a hot entry's values to where they decide. Fields that
// packets write are read as before.
//
// Requires: no control function runs while packets do. Ensures: for all keys
// and states it finds what the look-up finds.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_HOTCODE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_HOTCODE_H

#include "codegen-x86/specialize/HotEntries.h"
#include "codegen-x86/specialize/Snapshot.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace karakal::x86 {

/// Numbers of versions, and the values that they had.
using VersionValues = std::vector<std::pair<unsigned, uint64_t>>;

/// Compares the entries of `hot` before each look-up of `table`, as long as the
/// versions of `guard` are those.
void writeHot(llvm::Module &module, const TableShape &table,
              const TableContent &content, const std::vector<Rule> &rules,
              const HotChoice &hot, const VersionValues &guard);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_HOTCODE_H
