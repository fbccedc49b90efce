//===- baker-opt.cpp - the pass workbench ---------------------------------===//
//
// Reads a module as text, runs the passes named on the command line, and
// prints the module. It knows the baker dialect, the upstream dialects that
// the compiler uses, and every pass of the compiler, so that any stage can be
// tried from a text file, as with mlir-opt.
//
//===----------------------------------------------------------------------===//

#include "ir/Baker.h"
#ifdef KARAKAL_HAS_DRIVER
#include "driver/RegisterAllPasses.h"
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<karakal::ir::BakerDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::registerTransformsPasses();
#ifdef KARAKAL_HAS_DRIVER
  karakal::driver::registerAllPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Karakal's pass workbench\n", registry));
}
