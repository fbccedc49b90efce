// What keeps its initial value.
//
// A global that no function of the program writes is a constant. The functions
// of one core do not show that, so it is said while all are there:
//
//   on baker.global     baker.cache.constant (unit)

#ifndef KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H
#define KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H

#include "ir/dialect/Baker.h"

namespace karakal::ir {

inline constexpr llvm::StringLiteral constantAttrName = "baker.cache.constant";

/// Says so on each global of a whole program that nothing writes.
void markConstantGlobals(mlir::ModuleOp module);

inline bool isConstantGlobal(GlobalOp global) {
  return global->hasAttr(constantAttrName);
}

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_CONSTANTGLOBALS_H
