// From input files to the baker dialect.

#include "driver/ReadProgram.h"
#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/lower/CountRounds.h"
#include "baker-lang/lower/LowerToIr.h"
#include "baker-lang/tree/AstDump.h"
#include "driver/PassErrors.h"
#include "driver/pipeline/LlvmStage.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Baker.h"
#include "ir/dialect/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "support/DiagnosticPrinter.h"
#include "target-ixp/table/HashMultiplier.h"
#include "target-ixp/table/HashSecret.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <sstream>

using namespace mlir;

namespace karakal::driver {

namespace {

/// Adds an explanation unless it is there already: passes over several cores,
/// or over several variants of code, can give the same one. Returns whether it
/// is new.
bool keepRemark(std::vector<Remark> &remarks, Remark remark) {
  auto isSame = [&](const Remark &other) {
    return other.location == remark.location && other.pass == remark.pass &&
           other.text == remark.text;
  };
  if (llvm::any_of(remarks, isSame))
    return false;
  remarks.push_back(std::move(remark));
  return true;
}

bool isDialectText(const std::string &path) {
  return StringRef(path).ends_with(".mlir");
}

Result<OwningOpRef<ModuleOp>> parseDialectText(const std::string &path,
                                               MLIRContext &context) {
  if (!llvm::sys::fs::exists(path))
    return makeFileError("E-driver-003", path, "there is no such file");
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return makeError("E-driver-002", "");
  return module;
}

} // namespace

target::ChipParameters chipOf(const Options &options) {
  return *target::parseChip(options.target.empty() ? ir::defaultTargetName.str()
                                                   : options.target);
}

namespace {

/// Parses and checks the sources, and prints their errors and warnings.
Result<std::unique_ptr<lang::Program>> parseSources(const Options &options,
                                                    Diagnostics &diagnostics) {
  diagnostics.setWarningPolicy(options.warnings);
  lang::ParseOptions parseOptions;
  parseOptions.importFolders = options.importFolders;
  parseOptions.importFolders.push_back(runtimeDirectory());
  parseOptions.constantOverrides = {
      {"chip.SRAM_SIZE", chipOf(options).sramBytes}};
  auto program = lang::parseAndCheck(options.inputs, diagnostics, parseOptions);
  if (options.jsonDiagnostics)
    printDiagnosticsAsJson(diagnostics, std::cerr);
  else
    printDiagnostics(diagnostics, std::cerr, standardErrorHasColour());
  if (diagnostics.hasErrors())
    return makeError("E-driver-002", "");
  return program;
}

Result<OwningOpRef<ModuleOp>> lowerSources(const Options &options,
                                           MLIRContext &context) {
  Diagnostics diagnostics;
  auto program = parseSources(options, diagnostics);
  if (!program)
    return program.error();
  auto module = lang::lowerToIr(**program, diagnostics.sources(), context,
                                {options.printTraces, options.keepVariables});
  lang::countRounds(*module, options.maxRounds);
  return module;
}

} // namespace

void prepareContext(MLIRContext &context, const Options &options,
                    std::vector<Remark> &remarks) {
  context.loadDialect<ir::BakerDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      LLVM::LLVMDialect>();
  context.disableMultithreading(); // keeps messages in order
  context.printOpOnDiagnostic(false);
  bool isJson = options.jsonDiagnostics;
  std::vector<std::string> printed = options.explained;
  ir::askForExplanations(context, printed);
  if (!options.report.empty())
    ir::askForExplanations(context, {ir::explainAll.str()});
  context.getDiagEngine().registerHandler([=, &remarks](
                                              mlir::Diagnostic &diagnostic) {
    if (auto said = ir::explanationOf(diagnostic)) {
      bool isNew = keepRemark(remarks, {locationText(diagnostic.getLocation()),
                                        said->pass.str(), said->text});
      bool isPrinted = llvm::is_contained(printed, said->pass) ||
                       llvm::is_contained(printed, ir::explainAll);
      if (!isNew || !isPrinted)
        return mlir::success();
    }
    printPassDiagnostic(diagnostic, isJson);
    return mlir::success();
  });
}

Result<OwningOpRef<ModuleOp>> readProgram(const Options &options,
                                          MLIRContext &context) {
  const std::string &first = options.inputs.front();
  bool isText = isDialectText(first);
  if (isText && options.inputs.size() != 1)
    return makeFileError("E-driver-003", options.inputs[1],
                         "a module of the dialect is a whole program and must "
                         "be the only input");
  auto program = isText ? parseDialectText(first, context)
                        : lowerSources(options, context);
  if (!program)
    return program;
  if (!(*program)->getName())
    (*program)->setName(llvm::sys::path::stem(first));
  if (!options.target.empty())
    ir::setTarget(**program, options.target);
  if (!options.hashKey.empty())
    ir::setHashMultiplier(
        **program,
        target::multiplierOf(*target::readHashSecret(options.hashKey)));
  return program;
}

Result<std::string> readSyntaxTree(const Options &options) {
  if (isDialectText(options.inputs.front()))
    return makeFileError("E-driver-004", options.inputs.front(),
                         "a module of the dialect has no syntax tree");
  Diagnostics diagnostics;
  auto program = parseSources(options, diagnostics);
  if (!program)
    return program.error();
  std::ostringstream text;
  lang::dumpAst(**program, diagnostics.sources(), text);
  return text.str();
}

} // namespace karakal::driver
