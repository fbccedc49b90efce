// A module of the dialect from text: the ground of tests of passes and
// analyses.

#ifndef KARAKAL_TESTS_IR_MODULETEXT_H
#define KARAKAL_TESTS_IR_MODULETEXT_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace karakal::ir {

/// A test whose modules are in the dialects that the front end makes.
class ModuleText : public testing::Test {
protected:
  ModuleText() {
    context
        .loadDialect<BakerDialect, mlir::arith::ArithDialect,
                     mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
  }

  /// Reads `module`; text that does not parse fails the test.
  void parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace karakal::ir

#endif // KARAKAL_TESTS_IR_MODULETEXT_H
