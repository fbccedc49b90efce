// Declarations of the cache passes.

#ifndef KARAKAL_SWCACHE_PASSES_H
#define KARAKAL_SWCACHE_PASSES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace karakal::swcache {

#define GEN_PASS_DECL
#include "swcache/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "swcache/Passes.h.inc"

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_PASSES_H
