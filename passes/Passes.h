// Passes over the baker dialect.

#ifndef KARAKAL_PASSES_PASSES_H
#define KARAKAL_PASSES_PASSES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace karakal::passes {

/// Name of the init function that stores initial values of globals.
inline constexpr llvm::StringLiteral globalsInitName = "karakal.globals";

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PASSES_H
