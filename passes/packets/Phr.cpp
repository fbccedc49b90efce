// Packet handling removal.
//
// The pass tracks each packet of a microengine's function from the message that
// brings it to the message that sends it. The contents of the descriptor become
// values: the head, the length, both ports and the metadata:
//
//   %ph = baker.packet_take %m0, %m1 from_rx
//   %ih = baker.packet_decap %ph, %c14
//   baker.meta_write %hop, %ih @next_hop
//   %h = baker.meta_read %ih @next_hop
//   %n = baker.packet_length %ih
//   baker.packet_send %ih ring 1 id 0
//
// becomes
//
//   %ph = baker.packet_take %m0, %m1 from_rx
//   %length = %m1 & 0xffff                        head: 128
//   %ih = baker.packet_view %ph head 142          %n: %length - 14
//   baker.packet_send %ih ring 1 id 0 port 0 head_length 142 << 16 | %n
//
// Head, length and receive port never change for one value of packet type, so
// they are values that belong to it. A block argument of packet type has them
// as further block arguments. Transmit port and metadata change in place: they
// are stack slots, which MLIR's mem2reg turns into values. A message from Rx
// has everything; for a packet from another ring the descriptor is read once.
// Only a packet that leaves for another engine or the XScale core has changed
// words of its descriptor written. A message of the context to itself brings
// the words as values.
//
// Section 5.3.3 of the paper. Requires: baker-inline; no call takes a packet.
// Ensures: no packet_decap, packet_encap, packet_add_tail, packet_remove_tail,
// packet_length, packet_headroom, packet_copy, packet_create; metadata
// operations only where a packet comes from or goes to a ring that is not Rx's
// or Tx's.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "passes/Passes.h"
#include "passes/packets/ContextMessages.h"
#include "passes/packets/PacketState.h"
#include "support/Assert.h"
#include "target-ixp/chip/Order.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "mlir/Transforms/RegionUtils.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_PHR
#include "passes/Passes.h.inc"

namespace {

bool isPacket(Value value) { return isa<ir::PacketType>(value.getType()); }

bool isToTx(ir::PacketSendOp send) { return send.getRing() == target::RingTx; }

/// Returns the reason why `op` makes packets impossible to track, or an empty
/// string.
std::string refusalOf(Operation *op) {
  if (isa<func::CallOp>(op))
    return "a call takes the packet";
  if (isa<ir::PacketTakeOp, ir::PacketViewOp, ir::PacketReadOp,
          ir::PacketWriteOp, ir::PacketLoadOp, ir::PacketStoreOp,
          ir::PacketDecapOp, ir::PacketEncapOp, ir::PacketAddTailOp,
          ir::PacketRemoveTailOp, ir::PacketCopyOp, ir::PacketCreateOp,
          ir::PacketDropOp, ir::PacketLengthOp, ir::PacketHeadroomOp,
          ir::PacketSendOp, ir::PacketKeepOp, ir::PacketHeldOp, ir::MetaReadOp,
          ir::MetaWriteOp, ir::MetaLoadOp, ir::MetaStoreOp>(op))
    return "";
  if (isa<BranchOpInterface>(op))
    return "";
  return "an operation that the pass does not support takes the packet";
}

class Phr : public impl::PhrBase<Phr> {
public:
  using PhrBase::PhrBase;

private:
  void runOnOperation() override;
  void track(func::FuncOp entry, PacketStates &itsStates);
  bool isTrackable(func::FuncOp entry);
  bool isAliased(func::FuncOp entry);

  void addBlockArguments(Block &block);
  void visit(Operation *op);
  void passStates(Operation *branch);

  void take(ir::PacketTakeOp op);
  void move(Operation *op, Value packet, Value bytes, bool isDecap);
  void resize(Operation *op, Value bytes, bool isLonger);
  void copy(ir::PacketCopyOp op);
  void create(ir::PacketCreateOp op);
  void storeSequence(OpBuilder &builder, Value packet, Value sequence);
  void send(ir::PacketSendOp op);
  void keep(ir::PacketKeepOp op);
  void readMetadata(ir::MetaReadOp op);
  void writeMetadata(ir::MetaWriteOp op);
  void loadWords(ir::MetaLoadOp op);
  void storeWords(ir::MetaStoreOp op);

  PacketStates *states = nullptr;
  /// Null if messages of the context bring no words.
  ContextMessages *messages = nullptr;
};

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// Whether two values of one packet are live at a time. A write through one
/// would not be visible through the other.
bool Phr::isAliased(func::FuncOp entry) {
  Liveness liveness(entry);
  bool isFound = false;
  entry.walk([&](BranchOpInterface branch) {
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      const LivenessBlockInfo *target =
          liveness.getLiveness(branch->getSuccessor(i));
      llvm::DenseSet<Value> passed;
      for (Value operand :
           branch.getSuccessorOperands(i).getForwardedOperands()) {
        if (!isPacket(operand))
          continue;
        if (!target->isLiveIn(operand) && passed.insert(operand).second)
          continue;
        ir::explain(branch, "phr")
            << "nothing removed: one packet has two names from here on";
        isFound = true;
      }
    }
  });
  return isFound;
}

bool Phr::isTrackable(func::FuncOp entry) {
  bool isGood = true;
  entry.walk([&](Operation *op) {
    if (llvm::none_of(op->getOperands(), isPacket) &&
        llvm::none_of(op->getResults(), isPacket))
      return;
    std::string refusal = refusalOf(op);
    if (refusal.empty())
      return;
    ir::explain(op, "phr") << "nothing removed: " << refusal;
    isGood = false;
  });
  return isGood && !isAliased(entry);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Adds arguments for the state of each packet that is a block argument.
void Phr::addBlockArguments(Block &block) {
  SmallVector<BlockArgument> packets;
  for (BlockArgument argument : block.getArguments())
    if (isPacket(argument))
      packets.push_back(argument);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument packet : packets) {
    auto next = [&] {
      return Value(block.addArgument(builder.getI32Type(), packet.getLoc()));
    };
    PacketState &state = states->make(builder, packet, packet);
    state.head = next();
    state.length = next();
    state.rxPort = next();
    if (states->hasTickets())
      state.place = next();
    for (Value slot : state.slots)
      states->writeSlot(builder, packet.getLoc(), slot, next());
    states->replaceByView(builder, packet, state.head);
  }
}

void Phr::passStates(Operation *op) {
  auto branch = cast<BranchOpInterface>(op);
  OpBuilder builder(op);
  for (unsigned i = 0; i < op->getNumSuccessors(); ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    SmallVector<Value> added;
    for (Value operand : operands.getForwardedOperands()) {
      if (!isPacket(operand))
        continue;
      PacketState &state = states->of(operand);
      added.append({state.head, state.length, state.rxPort});
      if (states->hasTickets())
        added.push_back(state.place);
      for (Value slot : state.slots)
        added.push_back(states->readSlot(builder, op->getLoc(), slot));
    }
    operands.append(added);
  }
}

//===----------------------------------------------------------------------===//
// Messages, copies and new packets
//===----------------------------------------------------------------------===//

void Phr::take(ir::PacketTakeOp op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Words words(builder, op.getLoc());
  PacketState &state = states->make(builder, op.getPacket(), op.getPacket());
  if (op.getFromRx()) {
    states->fillFromRx(builder, op.getLoc(), op.getPacket(), op.getSecond());
    state.rxPort = words.right(op.getFirst(), target::RingPortShift);
    for (Value slot : state.slots)
      states->writeSlot(builder, op.getLoc(), slot, words.constant(0));
  } else if (messages && !messages->wordsOf(op.getFirst()).empty()) {
    states->fill(builder, op.getLoc(), op.getPacket(),
                 messages->wordsOf(op.getFirst()));
  } else {
    states->readDescriptor(builder, op.getLoc(), op.getPacket());
  }
  states->replaceByView(builder, op.getPacket(), state.head);
}

void Phr::move(Operation *op, Value packet, Value bytes, bool isDecap) {
  OpBuilder builder(op);
  Words words(builder, op->getLoc());
  PacketState state = states->of(packet);
  if (!isDecap)
    states->checkHeadroom(builder, op, state.head, bytes);
  Value head = isDecap ? words.add(state.head, bytes)
                       : words.subtract(state.head, bytes);
  Value length = isDecap ? words.subtract(state.length, bytes)
                         : words.add(state.length, bytes);
  Value result = op->getResult(0);
  Value view = builder.create<ir::PacketViewOp>(op->getLoc(), result.getType(),
                                                packet, head);
  PacketState &moved = states->moveTo(packet, result, view);
  moved.head = head;
  moved.length = length;
  if (states->hasTickets()) {
    Value both = words.subtract(words.left(bytes, 16), bytes);
    moved.place = isDecap ? words.add(state.place, both)
                          : words.subtract(state.place, both);
  }
  result.replaceAllUsesWith(view);
  op->erase();
}

/// `packet_add_tail` and `packet_remove_tail`: the head stays.
void Phr::resize(Operation *op, Value bytes, bool isLonger) {
  OpBuilder builder(op);
  Words words(builder, op->getLoc());
  Value packet = op->getOperand(0), result = op->getResult(0);
  PacketState state = states->of(packet);
  Value view = builder.create<ir::PacketViewOp>(op->getLoc(), result.getType(),
                                                packet, state.head);
  if (isLonger)
    builder.create<ir::PacketClearOp>(
        op->getLoc(), view, words.add(state.head, state.length), bytes);
  PacketState &resized = states->moveTo(packet, result, view);
  resized.length = isLonger ? words.add(state.length, bytes)
                            : words.subtract(state.length, bytes);
  if (states->hasTickets())
    resized.place = isLonger ? words.add(state.place, bytes)
                             : words.subtract(state.place, bytes);
  result.replaceAllUsesWith(view);
  op->erase();
}

/// Stores the sequence number of a packet whose descriptor is undefined.
void Phr::storeSequence(OpBuilder &builder, Value packet, Value sequence) {
  builder.create<ir::MetaStoreOp>(packet.getLoc(), ValueRange(sequence), packet,
                                  target::DescriptorSequence);
}

void Phr::create(ir::PacketCreateOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Words words(builder, loc);
  Value blank =
      builder.create<ir::PacketBlankOp>(loc, op.getType(), op.getBytes());
  PacketState &state = states->make(builder, blank, op.getPacket());
  Value zero = words.constant(0);
  state.head = words.constant(target::BufferHeadroom);
  state.length = op.getBytes();
  state.rxPort = zero;
  if (states->hasTickets())
    state.place = words.bitOr(words.left(state.head, 16), state.length);
  for (Value slot : state.slots)
    states->writeSlot(builder, loc, slot, zero);
  if (states->isSequenceSeen(op.getPacket()))
    storeSequence(builder, blank, zero);
  Value view =
      builder.create<ir::PacketViewOp>(loc, blank.getType(), blank, state.head);
  states->alias(blank, view);
  op.replaceAllUsesWith(view);
  op.erase();
}

void Phr::copy(ir::PacketCopyOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  PacketState from = states->of(op.getPacket());
  Words words(builder, loc);
  Value clone = builder.create<ir::PacketCloneOp>(loc, op.getPacket(),
                                                  from.head, from.length);
  PacketState &state = states->make(builder, clone, op.getCopy());
  state.head = from.head;
  state.length = from.length;
  state.rxPort = from.rxPort;
  if (states->hasTickets())
    state.place = words.maskWith(from.place, ~target::TicketMask);
  for (auto [to, source] : llvm::zip(state.slots, from.slots))
    states->writeSlot(builder, loc, to, states->readSlot(builder, loc, source));
  // The sequence number is read from the descriptor.
  SmallVector<Type> one{builder.getI32Type()};
  auto sequence = builder.create<ir::MetaLoadOp>(loc, one, op.getPacket(),
                                                 target::DescriptorSequence);
  if (states->isSequenceSeen(op.getCopy()))
    storeSequence(builder, clone, sequence.getWords()[0]);
  else
    sequence.erase();
  Value view =
      builder.create<ir::PacketViewOp>(loc, clone.getType(), clone, state.head);
  states->alias(clone, view);
  op.replaceAllUsesWith(view);
  op.erase();
}

void Phr::send(ir::PacketSendOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Words words(builder, loc);
  PacketState &state = states->of(op.getPacket());
  if (messages && op.getMessage()) {
    messages->send(op.getMessage(),
                   states->wordsOf(builder, loc, op.getPacket()));
    return;
  }
  if (!isToTx(op)) {
    states->writeDescriptor(builder, loc, op.getPacket());
    ir::explain(op, "phr") << "descriptor written: the packet goes to ring "
                           << op.getRing();
    return;
  }
  op.getPortMutable().assign(
      states->readSlot(builder, loc, state.slots.front()));
  op.getHeadLengthMutable().assign(
      states->hasTickets()
          ? state.place
          : words.bitOr(words.left(state.head, 16), state.length));
}

/// A packet in a queue has everything in its descriptor.
void Phr::keep(ir::PacketKeepOp op) {
  OpBuilder builder(op);
  states->writeDescriptor(builder, op.getLoc(), op.getPacket());
  ir::explain(op, "phr") << "descriptor written: the packet waits in a queue";
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

void Phr::readMetadata(ir::MetaReadOp op) {
  OpBuilder builder(op);
  Words words(builder, op.getLoc());
  if (op.getField() == ir::sequenceName)
    return;
  PacketState &state = states->of(op.getPacket());
  Value value;
  if (op.getField() == ir::rxPortName) {
    value = state.rxPort;
  } else if (op.getField() == ir::txPortName) {
    value = states->readSlot(builder, op.getLoc(), state.slots.front());
  } else {
    uint32_t word = states->wordOf(op, op.getField());
    value = states->readWord(builder, op.getLoc(), op.getPacket(), word);
    if (op.getType().getIntOrFloatBitWidth() > 32)
      value = words.join(value, states->readWord(builder, op.getLoc(),
                                                 op.getPacket(), word + 1));
  }
  op.replaceAllUsesWith(words.resize(value, op.getType()));
  op.erase();
}

void Phr::writeMetadata(ir::MetaWriteOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Words words(builder, loc);
  PacketState &state = states->of(op.getPacket());
  Value low = words.resize(op.getValue(), builder.getI32Type());
  if (op.getField() == ir::txPortName) {
    states->writeSlot(builder, loc, state.slots.front(), low);
  } else {
    uint32_t word = states->wordOf(op, op.getField());
    if (op.getValue().getType().getIntOrFloatBitWidth() > 32) {
      states->writeWord(builder, loc, op.getPacket(), word,
                        words.high(op.getValue()));
      ++word;
    }
    states->writeWord(builder, loc, op.getPacket(), word, low);
  }
  op.erase();
}

void Phr::loadWords(ir::MetaLoadOp op) {
  OpBuilder builder(op);
  for (auto [i, word] : llvm::enumerate(op.getWords()))
    word.replaceAllUsesWith(states->readWord(
        builder, op.getLoc(), op.getPacket(), op.getWord() + uint32_t(i)));
  op.erase();
}

void Phr::storeWords(ir::MetaStoreOp op) {
  OpBuilder builder(op);
  for (auto [i, word] : llvm::enumerate(op.getWords()))
    states->writeWord(builder, op.getLoc(), op.getPacket(),
                      op.getWord() + uint32_t(i), word);
  op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void Phr::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ir::PacketTakeOp op) { take(op); })
      .Case([&](ir::PacketDecapOp op) {
        move(op, op.getPacket(), op.getBytes(), true);
      })
      .Case([&](ir::PacketEncapOp op) {
        move(op, op.getPacket(), op.getBytes(), false);
      })
      .Case([&](ir::PacketAddTailOp op) { resize(op, op.getBytes(), true); })
      .Case(
          [&](ir::PacketRemoveTailOp op) { resize(op, op.getBytes(), false); })
      .Case([&](ir::PacketCopyOp op) { copy(op); })
      .Case([&](ir::PacketCreateOp op) { create(op); })
      .Case([&](ir::PacketHeadroomOp op) {
        op.replaceAllUsesWith(states->of(op.getPacket()).head);
        op.erase();
      })
      .Case([&](ir::PacketSendOp op) { send(op); })
      .Case([&](ir::PacketKeepOp op) { keep(op); })
      .Case([&](ir::PacketLengthOp op) {
        op.replaceAllUsesWith(states->of(op.getPacket()).length);
        op.erase();
      })
      .Case([&](ir::MetaReadOp op) { readMetadata(op); })
      .Case([&](ir::MetaWriteOp op) { writeMetadata(op); })
      .Case([&](ir::MetaLoadOp op) { loadWords(op); })
      .Case([&](ir::MetaStoreOp op) { storeWords(op); });
  // Branches are handled after all states are known.
}

void Phr::runOnOperation() {
  auto entry =
      getOperation().lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  if (!entry) {
    getOperation().emitError()
        << "baker-phr: there is no @" << target::runtime::EngineEntry
        << ": run baker-inline";
    return signalPassFailure();
  }
  auto takes =
      getOperation().lookupSymbol<func::FuncOp>(target::runtime::ContextEntry);
  IRRewriter rewriter(&getContext());
  SmallVector<func::FuncOp> tracked;
  SmallVector<std::unique_ptr<PacketStates>> all;
  for (func::FuncOp function : {entry, takes}) {
    if (!function)
      continue;
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    if (!isTrackable(function))
      continue;
    tracked.push_back(function);
    all.push_back(std::make_unique<PacketStates>(function));
  }
  bool areBothTracked = tracked.size() == 2;
  if (areBothTracked)
    all[0]->shareWords(*all[1]);
  for (size_t i = 0; i < tracked.size(); ++i) {
    std::optional<ContextMessages> words;
    if (areBothTracked)
      words.emplace(tracked[i], all[i]->wordCount());
    messages = words ? &*words : nullptr;
    track(tracked[i], *all[i]);
  }
  messages = nullptr;
}

/// Replaces the descriptors of the packets in `entry` by values.
void Phr::track(func::FuncOp entry, PacketStates &itsStates) {
  states = &itsStates;
  SmallVector<Operation *> operations;
  llvm::ReversePostOrderTraversal<Block *> order(&entry.front());
  for (Block *block : order)
    for (Operation &op : *block)
      operations.push_back(&op);
  for (Block *block : order)
    addBlockArguments(*block);
  SmallVector<Operation *> branches;
  for (Operation *op : operations) {
    if (isa<BranchOpInterface>(op))
      branches.push_back(op);
    else
      visit(op);
  }
  for (Operation *branch : branches)
    passStates(branch);
  if (messages)
    messages->pass();
  entry.walk([](Operation *op) {
    KARAKAL_ASSERT((!isa<ir::PacketDecapOp, ir::PacketEncapOp,
                         ir::PacketLengthOp, ir::PacketCopyOp>(op)),
                   "packet handling that remains");
  });
  states->promote();
  states = nullptr;
}

} // namespace

} // namespace karakal::passes
