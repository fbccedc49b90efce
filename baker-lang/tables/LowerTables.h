// The pass that gives declared tables their structures.

#ifndef KARAKAL_BAKER_LANG_TABLES_LOWERTABLES_H
#define KARAKAL_BAKER_LANG_TABLES_LOWERTABLES_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <string>

namespace karakal::lang {

/// Sets the folder of the templates for passes that are not told one.
void setTableTemplates(std::string folder);

#define GEN_PASS_DECL
#include "baker-lang/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "baker-lang/Passes.h.inc"

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_LOWERTABLES_H
