// The accesses of packets and of control functions to global data.
//
// A place is a constant and multiples of a step: `entries[n].v0` of slots of
// ten words is word 3, 13, 23, … So a field that packets write does not forbid
// folding another one.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_GLOBALACCESSES_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_GLOBALACCESSES_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace karakal::x86 {

using FunctionSet = llvm::SmallPtrSet<llvm::Function *, 32>;

/// The defined functions of `names` and those that they reach by calls.
FunctionSet reachableFrom(llvm::Module &module,
                          const std::vector<std::string> &names);

/// One load or store. It touches `bytes` bytes at `firstByte` plus any multiple
/// of `stepBytes`, or at `firstByte` alone if that is 0.
struct GlobalAccess {
  llvm::Instruction *at;
  uint64_t firstByte, stepBytes, bytes;
  bool isWrite;

  bool mayOverlap(const GlobalAccess &other) const;
};

/// How one set of functions uses a global.
struct GlobalAccesses {
  std::vector<GlobalAccess> all;
  /// Whether a pointer goes where it is not followed.
  bool escapes = false;

  bool writes() const;
};

using AccessMap = llvm::MapVector<llvm::GlobalVariable *, GlobalAccesses>;

/// The accesses of `functions` to `global`.
GlobalAccesses accessesOf(llvm::GlobalVariable &global,
                          const FunctionSet &functions);

/// The accesses of `functions` to each global that is defined in the module.
AccessMap accessesOf(llvm::Module &module, const FunctionSet &functions);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_GLOBALACCESSES_H
