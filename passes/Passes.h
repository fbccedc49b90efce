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
#include "llvm/Support/CommandLine.h"

namespace karakal::passes {

/// The name of the init function that stores the initial values of globals.
inline constexpr llvm::StringLiteral globalsInitName = "karakal.globals";

/// Returns the cores as values of a pass option.
inline llvm::cl::ValuesClass coreNames() {
  auto value = [](ir::Core core, const char *what) {
    return llvm::cl::OptionEnumValue{ir::stringifyCore(core), int(core), what};
  };
  return llvm::cl::values(
      value(ir::Core::Me, "the microengines"),
      value(ir::Core::XScale, "the XScale core"),
      value(ir::Core::Host, "the profiler on this computer"));
}

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PASSES_H
