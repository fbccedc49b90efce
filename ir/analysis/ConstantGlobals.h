// Globals that keep their initial value.
//
// A global that no function of the program writes is a constant. The functions
// of one core are not enough to decide that, so the attribute is set while the
// module still holds the whole program:
//
//   on baker.global     baker.cache.constant (unit)

#ifndef KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H
#define KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H

#include "ir/dialect/Baker.h"

namespace karakal::ir {

inline constexpr llvm::StringLiteral constantAttrName = "baker.cache.constant";

/// Marks the globals that no function writes. `module` is a whole program.
void markConstantGlobals(mlir::ModuleOp module);

inline bool isConstantGlobal(GlobalOp global) {
  return global->hasAttr(constantAttrName);
}

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H
