// Narrows funnel shifts of which only one operand is used.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H
#define KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H

#include "llvm/IR/PassManager.h"

namespace karakal::codegen {

/// A use of a funnel shift that needs bits of only one operand becomes a use of
/// that operand, shifted:
///
///   %f = fshl(%a, %b, 16)
///   %x = shl %f, 16          →    %x = shl (lshr %b, 16), 16
///
/// A 48-bit field that is copied consists of such pieces. LLVM's instcombine
/// then recognizes the original words.
class NarrowFunnels : public llvm::PassInfoMixin<NarrowFunnels> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H
