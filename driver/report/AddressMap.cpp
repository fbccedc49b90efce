// The address of each global variable.
//
// Runs the program passes of bakerc and reads the addresses that they assign.
// An editor shows them with a variable.

#include "driver/report/AddressMap.h"

#include "baker-lang/lower/LowerToIr.h"
#include "driver/pipeline/Pipeline.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::driver {

using namespace mlir;

/// Returns "scratch at 0x3000: reason".
static std::string lineOf(ir::GlobalOp global) {
  auto placement = ir::placementOf(global);
  if (!placement)
    return "";
  std::string text = target::memoryName(placement->memory);
  if (placement->memory != target::Memory::Local)
    text += " at 0x" + llvm::utohexstr(placement->address, /*LowerCase=*/true);
  auto reason = global->getAttrOfType<StringAttr>(ir::placementReasonAttrName);
  return reason ? text + ": " + reason.str() : text;
}

std::map<std::string, std::string> addressMapOf(const lang::Program &program,
                                                const SourceManager &sources) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto module = lang::lowerToIr(program, sources, context);
  PassManager passes(&context);
  addProgramPasses(passes, PipelineOptions());
  std::map<std::string, std::string> lines;
  if (!module || failed(passes.run(*module)))
    return lines;
  for (auto global : module->getOps<ir::GlobalOp>())
    if (std::string line = lineOf(global); !line.empty())
      lines[global.getSymName().str()] = line;
  return lines;
}

} // namespace karakal::driver
