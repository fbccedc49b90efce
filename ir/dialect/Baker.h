// The baker dialect's C++ classes.
//
// One header for the dialect's types, attributes and operations, all of them
// generated from the .td files of this folder.

#ifndef KARAKAL_IR_DIALECT_BAKER_H
#define KARAKAL_IR_DIALECT_BAKER_H

#include "ir/dialect/Enums.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

#include "ir/dialect/BakerDialect.h.inc"

namespace karakal::ir {

/// The bytes of packets.
struct PacketDataResource
    : mlir::SideEffects::Resource::Base<PacketDataResource> {
  llvm::StringRef getName() final { return "PacketData"; }
};
/// The head, length and lifetime of packets.
struct PacketHeadResource
    : mlir::SideEffects::Resource::Base<PacketHeadResource> {
  llvm::StringRef getName() final { return "PacketHead"; }
};
/// The metadata of packets.
struct MetadataResource : mlir::SideEffects::Resource::Base<MetadataResource> {
  llvm::StringRef getName() final { return "Metadata"; }
};
/// The global data of the program.
struct GlobalDataResource
    : mlir::SideEffects::Resource::Base<GlobalDataResource> {
  llvm::StringRef getName() final { return "GlobalData"; }
};

} // namespace karakal::ir

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/BakerAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/dialect/BakerTypes.h.inc"

#define GET_OP_CLASSES
#include "ir/dialect/BakerOps.h.inc"

#endif // KARAKAL_IR_DIALECT_BAKER_H
