// Functions of the dialect from text, for tests of analyses.

#ifndef KARAKAL_TESTS_PASSES_FUNCTIONTEXT_H
#define KARAKAL_TESTS_PASSES_FUNCTIONTEXT_H

#include "ir/dialect/Baker.h"
#include "tests/ir/ModuleText.h"

#include <gtest/gtest.h>

namespace karakal::passes {

/// A module from text. Operations are found by their attribute `t.n`, values
/// by that of the operation that makes them.
class FunctionText : public ir::ModuleText {
protected:
  FunctionText() { context.allowUnregisteredDialects(); }

  mlir::func::FuncOp function(llvm::StringRef name = "f") {
    return module->lookupSymbol<mlir::func::FuncOp>(name);
  }

  mlir::Operation *op(unsigned number) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *each) {
      auto tag = each->getAttrOfType<mlir::IntegerAttr>("t.n");
      if (tag && tag.getInt() == number)
        found = each;
    });
    EXPECT_TRUE(found) << number;
    return found;
  }

  mlir::Value value(unsigned number) { return op(number)->getResult(0); }
};

} // namespace karakal::passes

#endif // KARAKAL_TESTS_PASSES_FUNCTIONTEXT_H
