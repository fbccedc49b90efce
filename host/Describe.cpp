// The description of a program for the host.

#include "host/Describe.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"
#include "ir/dialect/Tables.h"
#include "ir/dialect/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "support/Error.h"
#include <algorithm>

namespace karakal::host {

using mlir::func::FuncOp;

/// The init function that the compiler adds to set initial values.
static const char *globalsInit = "init.karakal.globals";

/// The names of wrappers (baker-to-llvm).
static const std::string controlPrefix = "control.", initPrefix = "init.";

/// The signature as the source declares it. Names and types of the parameters
/// are attributes because integers in the IR have no sign.
static traces::ControlSignature signatureOf(FuncOp function) {
  traces::ControlSignature signature;
  signature.name = function.getName().str();
  signature.tableLimit = ir::tableLimitOf(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name =
        function.getArgAttrOfType<mlir::StringAttr>(i, ir::nameAttrName);
    auto type =
        function.getArgAttrOfType<mlir::StringAttr>(i, ir::typeAttrName);
    KARAKAL_ASSERT(name && type, "a control parameter has a name and a type");
    signature.params.push_back({name.str(), type.str()});
  }
  signature.returns = "void";
  if (function.getNumResults() != 0) {
    auto type =
        function.getResultAttrOfType<mlir::StringAttr>(0, ir::typeAttrName);
    KARAKAL_ASSERT(type, "a control function's result has a type");
    signature.returns = type.str();
  }
  return signature;
}

static void addFunction(HostProgram &program, FuncOp function) {
  std::string name = function.getName().str();
  switch (ir::kindOf(function)) {
  case ir::FunctionKind::Ppf:
    program.ppfs.push_back({name, ir::coreOf(function) == ir::Core::XScale});
    break;
  case ir::FunctionKind::Control:
    program.controls.push_back({controlPrefix + name, signatureOf(function)});
    if (auto interval =
            function->getAttrOfType<mlir::IntegerAttr>(ir::intervalAttrName))
      program.controls.back().intervalUs = uint64_t(interval.getInt());
    break;
  case ir::FunctionKind::Init:
    program.inits.push_back(initPrefix + name);
    break;
  case ir::FunctionKind::Function:
    break;
  }
}

HostProgram describe(mlir::ModuleOp baker) {
  HostProgram program;
  if (auto name = baker.getName())
    program.name = name->str();
  for (FuncOp function : baker.getOps<FuncOp>())
    addFunction(program, function);
  for (ir::ChannelOp channel : baker.getOps<ir::ChannelOp>()) {
    if (channel.comesFromRx())
      program.rxEntry = channel.getConsumer().str();
    auto id = ir::numberOf(channel, ir::idAttrName);
    if (id && *id != 0 && !channel.goesToTx())
      program.channels.push_back(
          {*id, channel.getSymName().str(), channel.getConsumer().str()});
  }
  program.dropReasons = ir::programDropReasons(baker);
  program.refusals = ir::refusalsOf(baker);
  program.hashMultiplier = ir::hashMultiplierOf(baker);
  KARAKAL_ASSERT(program.dropReasons.size() >= 2,
                 "'unspecified' and 'truncated' are always drop reasons");
  // Globals have their initial values before any other init function runs.
  auto globals =
      std::find(program.inits.begin(), program.inits.end(), globalsInit);
  if (globals != program.inits.end())
    std::rotate(program.inits.begin(), globals, globals + 1);
  return program;
}

FuncOp functionOf(mlir::ModuleOp baker, llvm::StringRef symbol) {
  if (auto ppf = baker.lookupSymbol<FuncOp>(symbol))
    return ppf;
  bool isWrapper =
      symbol.consume_front(controlPrefix) || symbol.consume_front(initPrefix);
  auto function = baker.lookupSymbol<FuncOp>(symbol);
  KARAKAL_ASSERT(isWrapper && function, "an entry point of the program");
  return function;
}

HostPart translate(mlir::ModuleOp lowered, llvm::StringRef name) {
  mlir::registerBuiltinDialectTranslation(*lowered.getContext());
  mlir::registerLLVMDialectTranslation(*lowered.getContext());
  HostPart part;
  part.context = std::make_unique<llvm::LLVMContext>();
  part.module = mlir::translateModuleToLLVMIR(lowered, *part.context, name);
  KARAKAL_ASSERT(part.module, "the LLVM dialect translates to LLVM IR");
  return part;
}

} // namespace karakal::host
