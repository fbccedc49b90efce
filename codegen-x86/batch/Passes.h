// Passes that make stages of a batch of packets for x86.

#ifndef KARAKAL_CODEGEN_X86_BATCH_PASSES_H
#define KARAKAL_CODEGEN_X86_BATCH_PASSES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace karakal::x86 {

#define GEN_PASS_DECL
#include "codegen-x86/batch/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen-x86/batch/Passes.h.inc"

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_BATCH_PASSES_H
