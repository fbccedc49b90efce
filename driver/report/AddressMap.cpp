// The address of each global variable.
//
// Runs the program passes of bakerc and reads the addresses that they assign.
// An editor shows them with a variable.

#include "driver/report/AddressMap.h"

#include "baker-lang/lower/LowerToIr.h"
#include "driver/pipeline/Pipeline.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"
#include "swcache/GlobalUses.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::driver {

using namespace mlir;

static std::optional<lang::GlobalPlacement>
describePlacement(ir::GlobalOp global) {
  auto placement = ir::placementOf(global);
  if (!placement)
    return std::nullopt;
  lang::GlobalPlacement result;
  result.place = target::memoryName(placement->memory);
  if (placement->memory != target::Memory::Local)
    result.place +=
        " at 0x" + llvm::utohexstr(placement->address, /*LowerCase=*/true);
  auto reason = global->getAttrOfType<StringAttr>(ir::placementReasonAttrName);
  result.reason = reason ? reason.str() : "";
  result.readCycles = unsigned(swcache::GlobalUses::latencyOf(global));
  return result;
}

std::map<std::string, lang::GlobalPlacement>
addressMapOf(const lang::Program &program, const SourceManager &sources) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto module = lang::lowerToIr(program, sources, context);
  PassManager passes(&context);
  addProgramPasses(passes, PipelineOptions());
  std::map<std::string, lang::GlobalPlacement> placements;
  if (!module || failed(passes.run(*module)))
    return placements;
  for (auto global : module->getOps<ir::GlobalOp>())
    if (auto placement = describePlacement(global))
      placements[global.getSymName().str()] = *placement;
  return placements;
}

} // namespace karakal::driver
