// Locks, counters, hashes, time and random numbers.

#include "ir/dialect/Services.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ir/dialect/BakerServices.cpp.inc"

using namespace mlir;

namespace karakal::ir {

uint32_t dropReasonNumber(DropCountOp read) {
  auto reasons = dropReasonsOf(read->getParentOfType<ModuleOp>());
  return llvm::find(reasons, read.getReason()) - reasons.begin();
}

LogicalResult AtomicOp::verify() {
  using Kind = arith::AtomicRMWKind;
  if (llvm::is_contained({Kind::addi, Kind::ori, Kind::andi, Kind::assign},
                         getKind()))
    return success();
  return emitOpError("is 'addi', 'ori', 'andi' or 'assign'");
}

bool isRuntimeReason(llvm::StringRef name) {
  return name == unspecifiedReasonName || name == truncatedReasonName ||
         name == noPortReasonName;
}

LogicalResult
DropCountOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto reason = getReasonAttr();
  if (isRuntimeReason(reason.getValue()) ||
      symbolTable.lookupNearestSymbolFrom<DropReasonOp>(*this, reason))
    return success();
  return emitOpError() << "there is no drop reason @" << reason.getValue();
}

} // namespace karakal::ir
