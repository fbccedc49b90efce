// Operations of the baker dialect.
//
// Verification against the symbols of the module (protocols, metadata,
// globals, channels) and inference of result types.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/Rings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/dialect/BakerOps.cpp.inc"

namespace karakal::ir {

using InferredTypes = SmallVectorImpl<Type>;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

LogicalResult ProtocolOp::verify() {
  llvm::StringSet<> seen;
  for (auto field : getFields().getAsRange<ProtocolFieldAttr>())
    if (!seen.insert(field.getName()).second)
      return emitOpError() << "field \"" << field.getName()
                           << "\" is declared twice";
  return success();
}

ProtocolFieldAttr ProtocolOp::field(StringRef name) {
  for (auto field : getFields().getAsRange<ProtocolFieldAttr>())
    if (field.getName() == name)
      return field;
  return {};
}

LogicalResult MetadataOp::verify() {
  if (builtinMetadataType(getContext(), getSymName()))
    return emitOpError() << "'" << getSymName() << "' is built in";
  auto type = dyn_cast<IntegerType>(getType());
  if (type && type.getWidth() >= 1 && type.getWidth() <= 64)
    return success();
  return emitOpError() << "type must be an integer of 1 to 64 bits";
}

LogicalResult GlobalOp::verify() {
  Type type = getType();
  if (!type.isSignlessInteger() && !isa<StructType, ArrayType>(type))
    return emitOpError() << "cannot have type " << type;
  auto init = getInit();
  if (init && init->size() != scalarCount(type))
    return emitOpError() << "has " << scalarCount(type) << " scalars but "
                         << init->size() << " initial values";
  return success();
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (goesToTx())
    return success();
  auto consumer = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(
      *this, getConsumerAttr());
  if (!consumer || !isPpf(consumer))
    return emitOpError() << "consumer @" << getConsumer()
                         << " is not a PPF body";
  auto packet = dyn_cast<PacketType>(consumer.getFunctionType().getInput(0));
  if (packet && packet.getProtocol() == getProtocol())
    return success();
  return emitOpError() << "carries \"" << getProtocol() << "\" but @"
                       << getConsumer() << " takes "
                       << consumer.getFunctionType().getInput(0);
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

static LogicalResult verifyPacketField(Operation *op, PacketType packet,
                                       StringRef name, Value index, Type type,
                                       SymbolTableCollection &symbolTable) {
  auto protocol = symbolTable.lookupNearestSymbolFrom<ProtocolOp>(
      op, StringAttr::get(op->getContext(), packet.getProtocol()));
  if (!protocol)
    return op->emitOpError()
           << "there is no protocol @" << packet.getProtocol();
  auto field = protocol.field(name);
  if (!field)
    return op->emitOpError() << "protocol @" << packet.getProtocol()
                             << " has no field \"" << name << '"';
  if (!type.isSignlessInteger(field.getWidth()))
    return op->emitOpError() << "field \"" << name << "\" has "
                             << field.getWidth() << " bits, not " << type;
  if (field.getCount() > 1 && !index)
    return op->emitOpError()
           << "field \"" << name << "\" is an array and needs an index";
  if (field.getCount() == 1 && index)
    return op->emitOpError() << "field \"" << name << "\" is not an array";
  return success();
}

LogicalResult
PacketReadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyPacketField(*this, getPacket().getType(), getField(), getIndex(),
                           getValue().getType(), symbolTable);
}

LogicalResult
PacketWriteOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyPacketField(*this, getPacket().getType(), getField(), getIndex(),
                           getValue().getType(), symbolTable);
}

static LogicalResult verifyProtocol(Operation *op, PacketType packet,
                                    SymbolTableCollection &symbolTable) {
  if (symbolTable.lookupNearestSymbolFrom<ProtocolOp>(
          op, StringAttr::get(op->getContext(), packet.getProtocol())))
    return success();
  return op->emitOpError() << "there is no protocol @" << packet.getProtocol();
}

LogicalResult
PacketDecapOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyProtocol(*this, getInner().getType(), symbolTable);
}

LogicalResult
PacketEncapOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyProtocol(*this, getOuter().getType(), symbolTable);
}

LogicalResult
PacketCreateOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyProtocol(*this, getPacket().getType(), symbolTable);
}

template <typename Adaptor>
static LogicalResult inferSamePacket(Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getPacket().getType());
  return success();
}

LogicalResult PacketAddTailOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                InferredTypes &types) {
  return inferSamePacket(adaptor, types);
}

LogicalResult PacketRemoveTailOp::inferReturnTypes(MLIRContext *,
                                                   std::optional<Location>,
                                                   Adaptor adaptor,
                                                   InferredTypes &types) {
  return inferSamePacket(adaptor, types);
}

LogicalResult PacketCopyOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             InferredTypes &types) {
  return inferSamePacket(adaptor, types);
}

LogicalResult
PacketDropOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto reason = getReasonAttr();
  if (!reason || isRuntimeReason(reason.getValue()) ||
      symbolTable.lookupNearestSymbolFrom<DropReasonOp>(*this, reason))
    return success();
  return emitOpError() << "there is no drop reason @" << reason.getValue();
}

//===----------------------------------------------------------------------===//
// Metadata and channels
//===----------------------------------------------------------------------===//

static LogicalResult verifyMetadata(Operation *op, FlatSymbolRefAttr field,
                                    Type type,
                                    SymbolTableCollection &symbolTable) {
  Type declared = builtinMetadataType(op->getContext(), field.getValue());
  if (!declared)
    if (auto metadata =
            symbolTable.lookupNearestSymbolFrom<MetadataOp>(op, field))
      declared = metadata.getType();
  if (!declared)
    return op->emitOpError()
           << "there is no metadata field @" << field.getValue();
  if (declared == type)
    return success();
  return op->emitOpError() << "metadata field @" << field.getValue()
                           << " has type " << declared << ", not " << type;
}

LogicalResult MetaReadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyMetadata(*this, getFieldAttr(), getValue().getType(),
                        symbolTable);
}

LogicalResult
MetaWriteOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (getField() == rxPortName || getField() == sequenceName)
    return emitOpError() << "@" << getField() << " cannot be written";
  return verifyMetadata(*this, getFieldAttr(), getValue().getType(),
                        symbolTable);
}

LogicalResult
ChannelPutOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto channel =
      symbolTable.lookupNearestSymbolFrom<ChannelOp>(*this, getChannelAttr());
  if (!channel)
    return emitOpError() << "there is no channel @" << getChannel();
  PacketType packet = getPacket().getType();
  if (packet.getProtocol() == channel.getProtocol())
    return success();
  return emitOpError() << "channel @" << getChannel() << " carries \""
                       << channel.getProtocol() << "\", not " << packet;
}

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

LogicalResult
GlobalRefOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto global =
      symbolTable.lookupNearestSymbolFrom<GlobalOp>(*this, getGlobalAttr());
  if (!global)
    return emitOpError() << "there is no global @" << getGlobal();
  if (getRef().getType().getPointee() == global.getType())
    return success();
  return emitOpError() << "global @" << getGlobal() << " has type "
                       << global.getType();
}

LogicalResult ElementOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          InferredTypes &types) {
  auto ref = dyn_cast<RefType>(adaptor.getArray().getType());
  auto array = ref ? dyn_cast<ArrayType>(ref.getPointee()) : ArrayType();
  if (!array)
    return failure();
  types.push_back(RefType::get(context, array.getElementType()));
  return success();
}

LogicalResult FieldOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor, InferredTypes &types) {
  auto ref = dyn_cast<RefType>(adaptor.getRecord().getType());
  auto record = ref ? dyn_cast<StructType>(ref.getPointee()) : StructType();
  if (!record)
    return failure();
  Type type = record.fieldType(adaptor.getField());
  if (!type)
    return emitOptionalError(location, "struct \"", record.getName(),
                             "\" has no field \"", adaptor.getField(), "\"");
  types.push_back(RefType::get(context, type));
  return success();
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor, InferredTypes &types) {
  auto ref = dyn_cast<RefType>(adaptor.getRef().getType());
  if (!ref)
    return failure();
  types.push_back(ref.getPointee());
  return success();
}

//===----------------------------------------------------------------------===//
// Bursts
//===----------------------------------------------------------------------===//

/// The most words of a `packet_load` or `packet_store`. A DRAM command moves 64
/// bytes in quadwords: 16 aligned words, or 14 words at any alignment.
constexpr size_t packetWordsMax = 14, alignedWordsMax = 16;
/// The most words of an SRAM command with an immediate count.
constexpr size_t sramWordsMax = 8;
/// The words of the one longer read; its count is an indirect reference.
constexpr size_t wideReadWords = 15;

static LogicalResult verifyWordCount(Operation *op, size_t count, size_t most) {
  if (count >= 1 && count <= most)
    return success();
  return op->emitOpError() << "has " << count << " words instead of 1 to "
                           << most;
}

template <typename Burst> static LogicalResult verifyPacketBurst(Burst op) {
  constexpr int32_t bytes = target::BufferBytes;
  int32_t at = op.getAt();
  if (at < -bytes || at >= bytes)
    return op.emitOpError() << "offset " << at << " is outside of the buffer";
  if (op.getAligned() && op.getWords().size() % 2 != 0)
    return op.emitOpError()
           << "an aligned burst is whole quadwords: an even number "
              "of words and no mask";
  return verifyWordCount(op, op.getWords().size(),
                         op.getAligned() ? alignedWordsMax : packetWordsMax);
}

LogicalResult PacketLoadOp::verify() { return verifyPacketBurst(*this); }

LogicalResult PacketStoreOp::verify() {
  if (failed(verifyPacketBurst(*this)))
    return failure();
  uint64_t all = ~uint64_t(0) >> (64 - 4 * getWords().size());
  if (getMask() && (*getMask() == 0 || (uint64_t(*getMask()) & ~all)))
    return emitOpError() << "mask has bits for " << 4 * getWords().size()
                         << " bytes, at least one of them set";
  if (getAligned() && getMask())
    return emitOpError()
           << "an aligned burst is whole quadwords: an even number of "
              "words and no mask";
  return success();
}

static LogicalResult verifyDescriptorBurst(Operation *op, size_t count,
                                           uint32_t word) {
  if (word >= target::DescriptorWords || word + count > target::DescriptorWords)
    return op->emitOpError()
           << "a descriptor has " << target::DescriptorWords << " words";
  return verifyWordCount(op, count, sramWordsMax);
}

LogicalResult PacketSendOp::verify() {
  if ((getRing() == target::RingContext) == bool(getMessage()))
    return success();
  return emitOpError() << "has a result on ring " << target::RingContext
                       << ", and only there";
}

LogicalResult MetaLoadOp::verify() {
  return verifyDescriptorBurst(*this, getWords().size(), getWord());
}

LogicalResult MetaStoreOp::verify() {
  return verifyDescriptorBurst(*this, getWords().size(), getWord());
}

static LogicalResult verifyObjectBurst(Operation *op, size_t count, uint32_t at,
                                       RefType ref,
                                       size_t most = sramWordsMax) {
  uint64_t words = wordCount(ref.getPointee());
  if (at >= words || at + count > words)
    return op->emitOpError() << "the object has " << words << " words";
  return verifyWordCount(op, count, most);
}

LogicalResult LoadWordsOp::verify() {
  size_t count = getWords().size();
  return verifyObjectBurst(*this, count, getAt(), getRef().getType(),
                           count == wideReadWords ? count : sramWordsMax);
}

LogicalResult StoreWordsOp::verify() {
  return verifyObjectBurst(*this, getWords().size(), getAt(),
                           getRef().getType());
}

} // namespace karakal::ir
