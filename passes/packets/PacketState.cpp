#include "passes/packets/PacketState.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "passes/packets/CoreFunctions.h"
#include "support/Assert.h"
#include "target-ixp/chip/Order.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <set>

using namespace mlir;

namespace karakal::passes {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value Words::constant(uint32_t value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(value)));
}
Value Words::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value Words::subtract(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value Words::maskWith(Value value, uint32_t mask) {
  return builder.createOrFold<arith::AndIOp>(loc, value, constant(mask));
}
Value Words::bitOr(Value a, Value b) {
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}
Value Words::left(Value value, uint32_t amount) {
  return builder.createOrFold<arith::ShLIOp>(loc, value, constant(amount));
}
Value Words::right(Value value, uint32_t amount) {
  return builder.createOrFold<arith::ShRUIOp>(loc, value, constant(amount));
}
Value Words::join(Value high, Value low) {
  Type i64 = builder.getI64Type();
  Value amount =
      builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(32));
  Value placed = builder.create<arith::ShLIOp>(loc, resize(high, i64), amount);
  return builder.create<arith::OrIOp>(loc, placed, resize(low, i64));
}
Value Words::high(Value wide) {
  Type i64 = builder.getI64Type();
  Value amount =
      builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(32));
  Value shifted =
      builder.create<arith::ShRUIOp>(loc, resize(wide, i64), amount);
  return resize(shifted, builder.getI32Type());
}
Value Words::resize(Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return builder.createOrFold<arith::ExtUIOp>(loc, type, value);
  if (from > to)
    return builder.createOrFold<arith::TruncIOp>(loc, type, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Uses of descriptors
//===----------------------------------------------------------------------===//

static bool isPacket(Value value) {
  return isa<ir::PacketType>(value.getType());
}

/// Calls `visit(operand, argument)` for each packet that a branch of `entry`
/// passes to a block argument.
static void
forEachPassed(func::FuncOp entry,
              llvm::function_ref<void(Value, BlockArgument)> visit) {
  entry.walk([&](BranchOpInterface branch) {
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      for (unsigned k = 0; k < operands.size(); ++k)
        if (operands[k] && isPacket(operands[k]))
          visit(operands[k], branch->getSuccessor(i)->getArgument(k));
    }
  });
}

PacketStates::PacketStates(func::FuncOp entry)
    : entry(entry),
      hasTicket(ir::keepsOrder(entry->getParentOfType<ModuleOp>())) {
  findSequence();
  findWords();
  findChanges();
}

void PacketStates::shareWords(PacketStates &other) {
  std::set<uint32_t> words(metadataWords.begin(), metadataWords.end());
  words.insert(other.metadataWords.begin(), other.metadataWords.end());
  for (PacketStates *each : {this, &other}) {
    each->metadataWords.assign(words.begin(), words.end());
    each->isMemoryOld =
        each->entry.getSymName() == target::runtime::ContextEntry;
    each->findChanges();
  }
}

uint32_t PacketStates::wordOf(Operation *op, StringRef field) const {
  auto metadata =
      op->getParentOfType<ModuleOp>().lookupSymbol<ir::MetadataOp>(field);
  std::optional<uint32_t> number =
      metadata ? ir::numberOf(metadata, ir::wordAttrName) : std::nullopt;
  KARAKAL_ASSERT(number, "metadata has its words before packets are tracked");
  return target::DescriptorMetadata + *number;
}

/// Finds the packets whose sequence number or whole descriptor may be read.
void PacketStates::findSequence() {
  entry.walk([&](Operation *op) {
    auto send = dyn_cast<ir::PacketSendOp>(op);
    auto read = dyn_cast<ir::MetaReadOp>(op);
    if (send && send.getRing() != target::RingTx)
      sequenceSeen.insert(send.getPacket());
    else if (auto keep = dyn_cast<ir::PacketKeepOp>(op))
      sequenceSeen.insert(keep.getPacket());
    else if (read && read.getField() == ir::sequenceName)
      sequenceSeen.insert(read.getPacket());
    else if (auto load = dyn_cast<ir::MetaLoadOp>(op))
      sequenceSeen.insert(load.getPacket());
  });
  for (size_t before = ~size_t(0); before != sequenceSeen.size();) {
    before = sequenceSeen.size();
    entry.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isPacket(op->getResult(0)) &&
          sequenceSeen.contains(op->getResult(0)))
        for (Value operand : op->getOperands())
          if (isPacket(operand))
            sequenceSeen.insert(operand);
    });
    forEachPassed(entry, [&](Value operand, BlockArgument argument) {
      if (sequenceSeen.contains(argument))
        sequenceSeen.insert(operand);
    });
  }
}

/// Finds the metadata words whose values the function needs. A copied or
/// created packet that may leave for another core needs all declared words.
void PacketStates::findWords() {
  std::set<uint32_t> words;
  auto addField = [&](ir::MetadataOp field) {
    uint32_t first = wordOf(field, field.getSymName());
    for (uint32_t i = 0; i < ir::metadataWordCount(field.getType()); ++i)
      words.insert(first + i);
  };
  auto module = entry->getParentOfType<ModuleOp>();
  auto addName = [&](StringRef name) {
    if (auto field = module.lookupSymbol<ir::MetadataOp>(name))
      addField(field);
  };
  auto addRun = [&](uint32_t first, size_t count) {
    for (uint32_t word = first; word < first + count; ++word)
      if (word >= target::DescriptorMetadata)
        words.insert(word);
  };
  entry.walk([&](Operation *op) {
    if (auto read = dyn_cast<ir::MetaReadOp>(op))
      addName(read.getField());
    else if (auto write = dyn_cast<ir::MetaWriteOp>(op))
      addName(write.getField());
    else if (auto load = dyn_cast<ir::MetaLoadOp>(op))
      addRun(load.getWord(), load.getWords().size());
    else if (auto store = dyn_cast<ir::MetaStoreOp>(op))
      addRun(store.getWord(), store.getWords().size());
    else if (isa<ir::PacketCopyOp, ir::PacketCreateOp>(op))
      if (isSequenceSeen(op->getResult(0)))
        for (auto field : module.getOps<ir::MetadataOp>())
          addField(field);
  });
  metadataWords.assign(words.begin(), words.end());
}

/// Finds the words of the descriptor that may be out of date in memory at any
/// use of each packet value.
void PacketStates::findChanges() {
  constexpr uint32_t headBit = 1u << target::DescriptorHeadLength;
  constexpr uint32_t portBit = 1u << target::DescriptorPorts;
  uint32_t all = headBit | portBit;
  for (uint32_t word : metadataWords)
    all |= 1u << word;
  auto add = [&](Value packet, uint32_t words) {
    uint32_t &mask = changed[packet];
    bool changes = (mask | words) != mask;
    mask |= words;
    return changes;
  };
  for (bool changes = true; changes;) {
    changes = false;
    entry.walk([&](Operation *op) {
      if (isa<ir::PacketCopyOp, ir::PacketCreateOp>(op) ||
          (isMemoryOld && isa<ir::PacketTakeOp>(op))) {
        changes |= add(op->getResult(0), all);
      } else if (isa<ir::PacketDecapOp, ir::PacketEncapOp, ir::PacketAddTailOp,
                     ir::PacketRemoveTailOp>(op)) {
        changes |= add(op->getResult(0), changed[op->getOperand(0)] | headBit);
      } else if (auto view = dyn_cast<ir::PacketViewOp>(op)) {
        changes |= add(view.getView(), changed[view.getPacket()] | headBit);
      } else if (auto write = dyn_cast<ir::MetaWriteOp>(op)) {
        uint32_t words = portBit;
        if (write.getField() != ir::txPortName)
          words = (write.getValue().getType().getIntOrFloatBitWidth() > 32 ? 3u
                                                                           : 1u)
                  << wordOf(op, write.getField());
        changes |= add(write.getPacket(), words);
      } else if (auto store = dyn_cast<ir::MetaStoreOp>(op)) {
        uint32_t words = (1u << store.getWords().size()) - 1;
        changes |= add(store.getPacket(), words << store.getWord());
      }
    });
    forEachPassed(entry, [&](Value operand, BlockArgument argument) {
      changes |= add(argument, changed[operand]);
    });
  }
}

//===----------------------------------------------------------------------===//
// Packet values
//===----------------------------------------------------------------------===//

PacketState &PacketStates::of(Value packet) {
  PacketState *state = byName.lookup(packet);
  KARAKAL_ASSERT(state, "a packet has a state before its first use");
  return *state;
}

PacketState &PacketStates::make(OpBuilder &builder, Value packet,
                                Value original) {
  KARAKAL_ASSERT(!byName.contains(packet), "a packet has one state");
  states.push_back(std::make_unique<PacketState>());
  PacketState &state = *states.back();
  byName[packet] = &state;
  state.changedWords = changed.lookup(original);
  OpBuilder atStart = OpBuilder::atBlockBegin(&entry.front());
  auto type = MemRefType::get({}, builder.getI32Type());
  for (size_t i = 0; i <= metadataWords.size(); ++i)
    state.slots.push_back(
        atStart.create<memref::AllocaOp>(packet.getLoc(), type));
  return state;
}

PacketState &PacketStates::moveTo(Value before, Value after, Value view) {
  states.push_back(std::make_unique<PacketState>(of(before)));
  PacketState &state = *states.back();
  state.changedWords |= changed.lookup(after);
  byName[view] = &state;
  return state;
}

void PacketStates::alias(Value packet, Value view) {
  byName[view] = &of(packet);
}

void PacketStates::replaceByView(OpBuilder &builder, Value packet, Value head) {
  auto view = builder.create<ir::PacketViewOp>(packet.getLoc(),
                                               packet.getType(), packet, head);
  alias(packet, view);
  // Loads of its descriptor use the packet itself.
  packet.replaceUsesWithIf(view, [&](OpOperand &use) {
    return use.getOwner() != view && !isa<ir::MetaLoadOp>(use.getOwner());
  });
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Value PacketStates::readSlot(OpBuilder &builder, Location loc, Value slot) {
  return builder.create<memref::LoadOp>(loc, slot, ValueRange());
}

void PacketStates::writeSlot(OpBuilder &builder, Location loc, Value slot,
                             Value value) {
  builder.create<memref::StoreOp>(loc, value, slot, ValueRange());
}

/// Returns the slot of a metadata word, or null if the function does not use
/// it.
Value PacketStates::slotOf(PacketState &state, uint32_t word) {
  auto found = llvm::find(metadataWords, word);
  return found == metadataWords.end()
             ? Value()
             : state.slots[1 + (found - metadataWords.begin())];
}

Value PacketStates::readWord(OpBuilder &builder, Location loc, Value packet,
                             uint32_t word) {
  PacketState &state = of(packet);
  Words words(builder, loc);
  if (Value slot = slotOf(state, word))
    return readSlot(builder, loc, slot);
  if (word == target::DescriptorHeadLength)
    return words.bitOr(words.left(state.head, 16), state.length);
  if (word == target::DescriptorPorts) {
    Value ports = words.bitOr(
        words.left(state.rxPort, 24),
        words.left(readSlot(builder, loc, state.slots.front()), 16));
    if (!hasTicket)
      return ports;
    Value packed = words.bitOr(
        words.maskWith(state.place, target::TicketLowMask),
        words.maskWith(words.right(state.place, target::TicketPackShift),
                       target::TicketPackedHighMask));
    return words.bitOr(ports, packed);
  }
  SmallVector<Type> one{builder.getI32Type()};
  return builder.create<ir::MetaLoadOp>(loc, one, packet, word).getWords()[0];
}

void PacketStates::writeWord(OpBuilder &builder, Location loc, Value packet,
                             uint32_t word, Value value) {
  PacketState &state = of(packet);
  Words words(builder, loc);
  if (Value slot = slotOf(state, word))
    return writeSlot(builder, loc, slot, value);
  KARAKAL_ASSERT(word == target::DescriptorPorts,
                 "programs write only ports and metadata");
  writeSlot(builder, loc, state.slots.front(),
            words.maskWith(words.right(value, 16), 255));
}

void PacketStates::readDescriptor(OpBuilder &builder, Location loc,
                                  Value packet) {
  uint32_t end = metadataWords.empty() ? target::DescriptorPorts + 1
                                       : metadataWords.back() + 1;
  llvm::SmallVector<Value> loaded{Value()}; // word 0 is not needed
  constexpr uint32_t most = 8;
  for (uint32_t first = 1; first < end; first += most) {
    SmallVector<Type> types(std::min(most, end - first), builder.getI32Type());
    auto load = builder.create<ir::MetaLoadOp>(loc, types, packet, first);
    loaded.append(load.getWords().begin(), load.getWords().end());
  }
  SmallVector<Value> used{loaded[target::DescriptorHeadLength],
                          loaded[target::DescriptorPorts]};
  for (uint32_t word : metadataWords)
    used.push_back(loaded[word]);
  fill(builder, loc, packet, used);
}

void PacketStates::fillFromRx(OpBuilder &builder, Location loc, Value packet,
                              Value second) {
  PacketState &state = of(packet);
  Words words(builder, loc);
  state.head = words.constant(target::BufferHeadroom);
  state.length =
      words.maskWith(second, hasTicket ? target::PlaceLengthMask : 0xffff);
  state.place = second;
}

void PacketStates::fill(OpBuilder &builder, Location loc, Value packet,
                        ArrayRef<Value> used) {
  KARAKAL_ASSERT(used.size() == wordCount(), "all words of a state");
  PacketState &state = of(packet);
  Words words(builder, loc);
  state.head = words.right(used[0], 16);
  state.length = words.maskWith(used[0], 0xffff);
  state.rxPort = words.right(used[1], 24);
  if (hasTicket) {
    Value low = words.maskWith(used[1], target::TicketLowMask);
    Value high =
        words.left(words.maskWith(used[1], target::TicketPackedHighMask),
                   target::TicketPackShift);
    state.place = words.bitOr(used[0], words.bitOr(low, high));
  }
  writeSlot(builder, loc, state.slots.front(),
            words.maskWith(words.right(used[1], 16), 255));
  for (auto [word, value] : llvm::zip(metadataWords, used.drop_front(2)))
    writeSlot(builder, loc, slotOf(state, word), value);
}

SmallVector<Value> PacketStates::wordsOf(OpBuilder &builder, Location loc,
                                         Value packet) {
  SmallVector<Value> words{
      readWord(builder, loc, packet, target::DescriptorHeadLength),
      readWord(builder, loc, packet, target::DescriptorPorts)};
  for (uint32_t word : metadataWords)
    words.push_back(readWord(builder, loc, packet, word));
  return words;
}

void PacketStates::writeDescriptor(OpBuilder &builder, Location loc,
                                   Value packet) {
  uint32_t changedWords = of(packet).changedWords;
  constexpr uint32_t most = 8;
  for (uint32_t word = 1; word < target::DescriptorWords; ++word) {
    uint32_t first = word;
    SmallVector<Value> run;
    while (changedWords >> word & 1 && run.size() < most)
      run.push_back(readWord(builder, loc, packet, word++));
    if (run.empty())
      continue;
    builder.create<ir::MetaStoreOp>(loc, run, packet, first);
    --word;
  }
}

void PacketStates::checkHeadroom(OpBuilder &builder, Operation *encap,
                                 Value head, Value bytes) {
  auto known = encap->getAttrOfType<ir::HeadAttr>(ir::headAttrName);
  APInt amount, position;
  if (matchPattern(bytes, m_ConstantInt(&amount))) {
    if (known && known.isExact() && amount.ule(known.getValue()))
      return;
    if (matchPattern(head, m_ConstantInt(&position)) && amount.ule(position))
      return;
  }
  auto module = entry->getParentOfType<ModuleOp>();
  func::FuncOp function =
      runtimeFunction(module, target::runtime::PacketRoom, 2, 0);
  builder.create<func::CallOp>(encap->getLoc(), function,
                               ValueRange{head, bytes});
}

void PacketStates::promote() {
  SmallVector<PromotableAllocationOpInterface> slots;
  entry.walk([&](memref::AllocaOp slot) {
    slots.push_back(cast<PromotableAllocationOpInterface>(*slot));
  });
  if (slots.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.front());
  DominanceInfo dominance;
  const DataLayout &layout = DataLayout::closest(entry);
  LogicalResult promoted =
      tryToPromoteMemorySlots(slots, builder, layout, dominance);
  KARAKAL_ASSERT(succeeded(promoted), "slots become values");
}

} // namespace karakal::passes
