// The program of one core as LLVM IR.

#include "driver/pipeline/CoreProgram.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/dialect/Attributes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;

namespace karakal::driver {

/// Returns the check that `--check-passes` asks for. It applies only to the
/// passes over the microengines' program.
static std::optional<ir::PassCheckOptions>
checkOf(ir::Core core, const PipelineOptions &options) {
  if (core != ir::Core::Me || options.checkedPackets == 0)
    return std::nullopt;
  ir::PassCheckOptions check;
  check.packetCount = options.checkedPackets;
  check.inputs = options.checkInputs;
  check.inputs.aggregate = options.aggregate;
  check.isVerbose = true;
  return check;
}

Result<OwningOpRef<ModuleOp>> lowerToLlvm(ModuleOp program, ir::Core core,
                                          const PipelineOptions &options) {
  Status ordered = checkOrder(passFlags(core, options));
  KARAKAL_ASSERT(bool(ordered), ordered.error().message);
  beginPassDump(options.aggregate.empty() ? ir::stringifyCore(core).str()
                                          : options.aggregate);
  OwningOpRef<ModuleOp> copy = program.clone();
  Status lowered = runPasses(
      *copy,
      [&](OpPassManager &passes) { addCorePasses(passes, core, options); },
      checkOf(core, options), program);
  if (!lowered)
    return lowered.error();
  return copy;
}

Result<CoreProgram> makeCoreProgram(ModuleOp program, ir::Core core,
                                    const PipelineOptions &options) {
  auto lowered = lowerToLlvm(program, core, options);
  if (!lowered)
    return lowered.error();
  registerBuiltinDialectTranslation(*program.getContext());
  registerLLVMDialectTranslation(*program.getContext());
  CoreProgram result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.module = translateModuleToLLVMIR(**lowered, *result.context,
                                          ir::stringifyCore(core));
  result.uncopied =
      ir::numberOf(lowered->get(), ir::uncopiedAttrName).value_or(0);
  KARAKAL_ASSERT(result.module, "the LLVM dialect translates to LLVM IR");
  return result;
}

} // namespace karakal::driver
