// Programs for bakersw.

#include "driver/SwitchProgram.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "driver/Compile.h"
#include "driver/ReadProgram.h"
#include "driver/RunOnHost.h"
#include "host/live/LiveHostProgram.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"
#include "ir/dialect/Tables.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "target-ixp/table/HashSecret.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include <set>

namespace karakal::driver {

/// The tables that PPFs and timers change, themselves or by functions that they
/// call. Requires a program whose tables are not lowered.
static std::vector<std::string> changedTablesOf(mlir::ModuleOp baker) {
  llvm::SetVector<mlir::func::FuncOp> reached;
  for (auto function : baker.getOps<mlir::func::FuncOp>())
    if (ir::kindOf(function) == ir::FunctionKind::Ppf ||
        function->hasAttr(ir::intervalAttrName))
      reached.insert(function);
  std::set<std::string> changed;
  for (size_t i = 0; i < reached.size(); ++i) {
    mlir::func::FuncOp function = reached[i];
    function.walk([&](mlir::Operation *op) {
      if (auto update = llvm::dyn_cast<ir::TableUpdateOp>(op);
          update && update.getVerb() != "count")
        changed.insert(update.getTable().str());
      if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
        if (auto callee =
                baker.lookupSymbol<mlir::func::FuncOp>(call.getCallee()))
          reached.insert(callee);
    });
  }
  return {changed.begin(), changed.end()};
}

Result<std::unique_ptr<x86::LiveProgram>>
makeSwitchProgram(const SwitchRequest &request) {
  KARAKAL_ASSERT(!request.sources.empty(), "a program has a source");
  Options options;
  options.inputs = request.sources;
  options.importFolders = request.importFolders;
  options.hashKey = request.hashKey.empty()
                        ? target::hexDigitsOf(target::randomHashSecret())
                        : request.hashKey;
  options.run = true;
  options.warnings = *lang::warningPolicy({});
  // Look-ups return slots, for code that is made again while it runs.
  if (request.subBatch == 1)
    options.specialize = host::SpecializeWhen::AtOnce;
  mlir::MLIRContext context;
  std::vector<Remark> remarks;
  prepareContext(context, options, remarks);
  auto read = readProgram(options, context);
  if (!read)
    return read.error();
  mlir::ModuleOp baker = **read;
  // Each core has packets of its own, which no other can take out of a queue.
  static_assert(std::string_view(ir::waitingName.data()) ==
                target::WaitingCountName);
  if (request.cores > 1 && baker.lookupSymbol(ir::waitingName))
    return makeError("E-driver-049",
                     "the program has queues of packets, which cannot be "
                     "shared by several cores; use --cores=1");
  std::vector<std::string> changedTables = changedTablesOf(baker);
  if (Status laid = layOutData(baker, options); !laid)
    return laid.error();
  uint64_t engineHz = ir::chipOf(baker).meClockHz;
  X86Code code;
  code.withThreads = request.cores > 1;
  code.withBatches = request.subBatch > 1;
  auto program = lowerForX86(baker, code);
  if (!program)
    return program.error();
  program->changedTables = std::move(changedTables);
  host::SpecializeOptions special;
  special.when = request.specialize;
  special.sample = request.sample;
  auto live = host::makeLiveProgram(std::move(*program), engineHz,
                                    request.cores, special, request.subBatch);
  if (Status ready = live->init(); !ready)
    return ready.error();
  return live;
}

} // namespace karakal::driver
