// The key of a look-up in LLVM IR, as rules see it (Rules.h).

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_KEYCODE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_KEYCODE_H

#include "codegen-x86/specialize/Rules.h"
#include "llvm/IR/IRBuilder.h"
#include <vector>

namespace karakal::x86 {

class KeyCode {
public:
  KeyCode() = default;
  /// Makes the words of the key from the arguments of a look-up in `table`.
  KeyCode(llvm::IRBuilder<> &builder, const TableShape &table,
          const std::vector<llvm::Value *> &arguments);

  llvm::Value *operator[](unsigned word) const { return words[word]; }
  /// Whether `rule` matches.
  llvm::Value *matches(llvm::IRBuilder<> &builder, const Rule &rule) const;
  static llvm::Value *isWithin(llvm::IRBuilder<> &builder, llvm::Value *value,
                               llvm::Value *first, llvm::Value *last);

private:
  std::vector<llvm::Value *> words;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_KEYCODE_H
