// Look-ups made for what a table holds.
//
//   no entry                     return 0
//   few entries                  compared one after the other, as code
//   few sets of masks            a hash table for each set, as data: rules that
//                                use the same bits of the key differ in their
//                                values alone
//
// In all other cases the program's own look-up stays.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_FINDCODE_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_FINDCODE_H

#include "codegen-x86/specialize/Rules.h"
#include "llvm/IR/Module.h"
#include <string>

namespace karakal::x86 {

enum class FindForm {
  Own,      ///< the program's look-up
  Empty,    ///< no entry
  Compares, ///< code
  Indexed,  ///< hash tables
};

struct FindChoice {
  FindForm form = FindForm::Own;
  /// In words, for explanations.
  std::string reason;
};

/// Chooses the form of the look-up of `table` with `rules`.
FindChoice chooseFind(const TableShape &table, const std::vector<Rule> &rules,
                      const SpecializeLimits &limits);

/// Gives the function `T.find` of `module` the body that was chosen. Does
/// nothing for `Own`.
void writeFind(llvm::Module &module, const TableShape &table,
               const std::vector<Rule> &rules, FindForm form,
               const Traffic::OfTable &traffic = {});

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_FINDCODE_H
