// Karakal's mlir-opt.
//
// Reads a module as text, runs the passes named on the command line, and prints
// the module. Registers the baker dialect, the upstream dialects that the
// compiler uses, and every pass of the compiler, so that each stage can be
// tried on a text file.

#include "driver/pipeline/RegisterAllPasses.h"
#include "ir/dialect/Baker.h"
#include "ir/interp/PassCheck.h"
#include "support/CommandLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace {

llvm::cl::list<std::string> explained(
    "explain", llvm::cl::CommaSeparated, llvm::cl::value_desc("pass"),
    llvm::cl::desc("Print the decisions of these passes (without \"baker-\") "
                   "and their reasons; all is every pass"));

/// Runs when the dialect is loaded, which is after the command line is parsed.
void askForExplanations(mlir::MLIRContext *, karakal::ir::BakerDialect *baker) {
  for (const std::string &pass : explained)
    baker->explainedPasses.insert(pass);
}

llvm::cl::opt<unsigned> checkedPackets(
    "check-passes", llvm::cl::init(0), llvm::cl::value_desc("packets"),
    llvm::cl::desc("Run the module on this many random packets before and "
                   "after each pass, and compare"));
llvm::cl::opt<uint64_t> checkSeed("check-seed", llvm::cl::init(1),
                                  llvm::cl::desc("Seed of --check-passes"));

/// Like MlirOptMain's driver, with the pass check if `--check-passes` is given.
mlir::LogicalResult optimize(llvm::StringRef input, llvm::StringRef output,
                             mlir::DialectRegistry &registry) {
  std::string problem;
  auto from = mlir::openInputFile(input, &problem);
  auto to = mlir::openOutputFile(output, &problem);
  if (!from || !to) {
    llvm::errs() << problem << "\n";
    return mlir::failure();
  }
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  auto parsed = config;
  config.setPassPipelineSetupFn([parsed](mlir::PassManager &passes) {
    if (checkedPackets != 0) {
      karakal::ir::PassCheckOptions check;
      check.packetCount = checkedPackets;
      check.seed = checkSeed;
      check.isVerbose = true;
      passes.addInstrumentation(karakal::ir::createPassCheck(check));
    }
    return parsed.setupPassPipeline(passes);
  });
  if (mlir::failed(
          mlir::MlirOptMain(to->os(), std::move(from), registry, config)))
    return mlir::failure();
  to->keep();
  return mlir::success();
}

} // namespace

int main(int argc, char **argv) {
  if (auto empty = karakal::findEmptyArgument(argc, argv); !empty.empty()) {
    llvm::errs() << "baker-opt: error: " << empty << "\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<karakal::ir::BakerDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect>();
  mlir::func::registerInlinerExtension(registry);
  registry.addExtension(askForExplanations);
  mlir::registerTransformsPasses();
  karakal::driver::registerAllPasses();
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &out) {
    out << karakal::versionOf("baker-opt") << "\n";
  });
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Karakal's mlir-opt: runs passes over a module\n", registry);
  return mlir::asMainReturnCode(optimize(input, output, registry));
}
