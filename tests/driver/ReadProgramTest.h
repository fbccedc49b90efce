// A fixture that reads a program as the driver does.

#ifndef KARAKAL_TESTS_DRIVER_READPROGRAMTEST_H
#define KARAKAL_TESTS_DRIVER_READPROGRAMTEST_H

#include "driver/ReadProgram.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

namespace karakal::driver {

class ReadProgramTest : public testing::Test {
protected:
  /// `file`: a path in the source folder.
  void read(const std::string &file) {
    options.inputs = {std::string(KARAKAL_SOURCE_DIR) + "/" + file};
    prepareContext(context, options, remarks);
    auto made = readProgram(options, context);
    ASSERT_TRUE(bool(made)) << made.error().str();
    program = std::move(*made);
  }

  /// Counts what is reported while `body` runs.
  template <typename Body> unsigned countReports(Body body) {
    unsigned count = 0;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
      ++count;
      return mlir::success();
    });
    body();
    return count;
  }

  /// A plan like `planned` whose code is another.
  static mlir::OwningOpRef<mlir::ModuleOp>
  withGlobalsElsewhere(mlir::ModuleOp planned) {
    mlir::OwningOpRef<mlir::ModuleOp> other = planned.clone();
    for (auto global : other->getOps<ir::GlobalOp>()) {
      ir::Placement placement = *ir::placementOf(global);
      placement.address += 64;
      ir::setPlacement(global, placement);
    }
    return other;
  }

  mlir::MLIRContext context;
  Options options;
  std::vector<Remark> remarks;
  mlir::OwningOpRef<mlir::ModuleOp> program;
};

} // namespace karakal::driver

#endif // KARAKAL_TESTS_DRIVER_READPROGRAMTEST_H
