// The baker dialect.
//
// Registration, the verification of discardable attributes, and the short
// names of struct types in printed modules (`!next_hop`).

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Tables.h"

using namespace mlir;

#include "ir/dialect/BakerDialect.cpp.inc"

namespace karakal::ir {

namespace {
struct BakerAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Type type, raw_ostream &os) const final {
    auto record = dyn_cast<StructType>(type);
    if (!record)
      return AliasResult::NoAlias;
    os << record.getName();
    return AliasResult::FinalAlias;
  }
};
} // namespace

void BakerDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ir/dialect/BakerOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "ir/dialect/BakerServices.cpp.inc"
      ,
#define GET_OP_LIST
#include "ir/dialect/BakerTables.cpp.inc"
      ,
#define GET_OP_LIST
#include "ir/dialect/BakerBatches.cpp.inc"
      >();
  addInterfaces<BakerAsmInterface>();
}

LogicalResult BakerDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  return verifyDecision(op, attribute);
}

static LogicalResult verifySignature(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != nameAttrName && name != typeAttrName)
    return op->emitOpError() << "unknown attribute '" << name << "'";
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' must be a string";
  return success();
}

LogicalResult BakerDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attribute) {
  return verifySignature(op, attribute);
}

LogicalResult
BakerDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                          NamedAttribute attribute) {
  return verifySignature(op, attribute);
}

} // namespace karakal::ir
