// Parts of double words.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H
#define KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H

#include "llvm/IR/PassManager.h"

namespace karakal::driver {

/// A use of a funnel shift that sees bits of one of its two operands alone
/// becomes a use of that operand, shifted:
///
///   %f = fshl(%a, %b, 16)
///   %x = shl %f, 16          →    %x = shl (lshr %b, 16), 16
///
/// A field of 48 bits that is copied to another place is made of such pieces,
/// which LLVM's instcombine then finds to be words as they were.
class NarrowFunnels : public llvm::PassInfoMixin<NarrowFunnels> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace karakal::driver

#endif // KARAKAL_CODEGEN_ME_PREPARE_NARROWFUNNELS_H
