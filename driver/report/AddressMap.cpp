// Where the compiler puts global data.
//
// Runs the passes over the whole program that bakerc runs, up to the places,
// and reads their attributes: what an editor shows of a variable.

#include "driver/report/AddressMap.h"

#include "baker-lang/lower/LowerToIr.h"
#include "driver/pipeline/Pipeline.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::driver {

using namespace mlir;

static std::string lineOf(ir::GlobalOp global) {
  auto place = ir::placeOf(global);
  if (!place)
    return "";
  std::string text = place->memory;
  if (place->memory != "local")
    text += " at 0x" + llvm::utohexstr(place->address, /*LowerCase=*/true);
  auto reason = global->getAttrOfType<StringAttr>(ir::placeReasonAttrName);
  return reason ? text + ": " + reason.str() : text;
}

std::map<std::string, std::string> placesOf(const lang::Program &program,
                                            const SourceManager &sources) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto module = lang::lowerToIr(program, sources, context);
  PassManager passes(&context);
  addProgramPasses(passes, PipelineOptions());
  std::map<std::string, std::string> places;
  if (!module || failed(passes.run(*module)))
    return places;
  for (auto global : module->getOps<ir::GlobalOp>())
    if (std::string line = lineOf(global); !line.empty())
      places[global.getSymName().str()] = line;
  return places;
}

} // namespace karakal::driver
