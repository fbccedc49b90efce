// Packet accesses by their offset from an anchor.
//
// Finds the anchors of handles (PacPackets.h) and the events of each: reads and
// writes of constant bits, and flushes, where memory must be up to date (the
// packet leaves, is copied, or continues under another anchor).
//
// Accesses with a variable index are not combined, nor are those of the bytes
// that such a write may touch. Such a read is a flush if some of its bytes are
// written.

#include "passes/pac/PacPackets.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "target-ixp/chip/MemoryMap.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace karakal::passes::pac {

namespace {

/// Whether packets leave the function at `op`: it puts them on a channel or
/// ring, makes a message of them, or passes them to another PPF.
bool isRelease(Operation *op) {
  if (isa<ir::ChannelPutOp, ir::PacketSendOp, ir::PacketKeepOp, func::ReturnOp,
          UnrealizedConversionCastOp>(op))
    return true;
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return false;
  auto callee = op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      call.getCallee());
  return callee && ir::isPpf(callee);
}

bool isPacket(Value value) { return isa<ir::PacketType>(value.getType()); }

std::optional<int32_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return int32_t(constant.getSExtValue());
}

/// Returns the operand that `terminator` passes for `argument` to successor
/// `index`, or null if it is not a branch.
Value passedTo(BlockArgument argument, Operation *terminator, unsigned index) {
  auto branch = dyn_cast<BranchOpInterface>(terminator);
  if (!branch)
    return {};
  return branch.getSuccessorOperands(index)[argument.getArgNumber()];
}

} // namespace

Value handleBefore(const Anchor &anchor, DominanceInfo &dominance,
                   Operation *op) {
  Value last = anchor.value;
  for (Value handle : anchor.handles)
    if (dominance.properlyDominates(handle, op) &&
        (handle.getDefiningOp()
             ? dominance.properlyDominates(last, handle.getDefiningOp())
             : dominance.dominates(last.getParentBlock(),
                                   handle.getParentBlock())))
      last = handle;
  return last;
}

std::optional<int32_t> headOf(Value handle) {
  auto take = handle.getDefiningOp<ir::PacketTakeOp>();
  if ((take && take.getFromRx()) || handle.getDefiningOp<ir::PacketCreateOp>())
    return int32_t(target::BufferHeadroom);
  ir::HeadAttr head =
      take ? take->getAttrOfType<ir::HeadAttr>(ir::headAttrName) : nullptr;
  if (head && head.isExact())
    return int32_t(head.getValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

bool AnchorOffsets::set(Value handle, AnchorOffset offset) {
  auto [found, isNew] = offsets.try_emplace(handle, offset);
  if (isNew) {
    order.push_back(handle);
    return true;
  }
  // A handle that is an anchor stays one, so the iteration ends.
  if (found->second == offset || found->second.anchor == handle)
    return false;
  found->second = offset;
  return true;
}

/// The dataflow meet: the offset on which all known edges agree, the argument
/// as an anchor if they differ, or nothing if no edge is known yet.
std::optional<AnchorOffset> AnchorOffsets::incoming(BlockArgument argument) {
  Block *block = argument.getOwner();
  std::optional<AnchorOffset> met;
  for (auto pred = block->pred_begin(); pred != block->pred_end(); ++pred) {
    Value passed =
        passedTo(argument, (*pred)->getTerminator(), pred.getSuccessorIndex());
    if (!passed)
      return AnchorOffset{argument, 0};
    auto offset = offsets.find(passed);
    if (offset == offsets.end())
      continue;
    if (met && !(*met == offset->second))
      return AnchorOffset{argument, 0};
    met = offset->second;
  }
  return met;
}

bool AnchorOffsets::visit(Block &block) {
  bool changed = false;
  for (BlockArgument argument : block.getArguments()) {
    if (!isPacket(argument))
      continue;
    std::optional<AnchorOffset> offset =
        block.isEntryBlock() ? AnchorOffset{argument, 0} : incoming(argument);
    if (offset)
      changed |= set(argument, *offset);
  }
  auto move = [&](Value from, Value bytes, Value to, int32_t sign) {
    std::optional<int32_t> constant = constantOf(bytes);
    auto source = offsets.find(from);
    if (source == offsets.end())
      return;
    AnchorOffset offset{to, 0};
    if (this->bytes == Bytes::Descriptor)
      offset = {source->second.anchor, 0};
    else if (constant)
      offset = {source->second.anchor, source->second.delta + sign * *constant};
    changed |= set(to, offset);
  };
  // Appended bytes are written, so the data continues under another anchor.
  auto resize = [&](Operation &op) {
    bool isWritten = isa<ir::PacketAddTailOp>(op) && bytes == Bytes::Data;
    auto source = offsets.find(op.getOperand(0));
    if (isWritten)
      changed |= set(op.getResult(0), AnchorOffset{op.getResult(0), 0});
    else if (source != offsets.end())
      changed |= set(op.getResult(0), source->second);
  };
  for (Operation &op : block) {
    if (auto decap = dyn_cast<ir::PacketDecapOp>(op))
      move(decap.getPacket(), decap.getBytes(), decap.getInner(), 1);
    else if (auto encap = dyn_cast<ir::PacketEncapOp>(op))
      move(encap.getPacket(), encap.getBytes(), encap.getOuter(), -1);
    else if (isa<ir::PacketAddTailOp, ir::PacketRemoveTailOp>(op))
      resize(op);
    else
      for (Value result : op.getResults())
        if (isPacket(result))
          changed |= set(result, AnchorOffset{result, 0});
  }
  return changed;
}

AnchorOffsets::AnchorOffsets(func::FuncOp function, Bytes bytes)
    : bytes(bytes) {
  llvm::ReversePostOrderTraversal<Region *> blocks(&function.getBody());
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block *block : blocks)
      changed |= visit(*block);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void splitEdges(func::FuncOp function, Bytes bytes) {
  AnchorOffsets offsets(function, bytes);
  for (Block &block : llvm::make_early_inc_range(function.getBody())) {
    auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
    if (!branch || branch->getNumSuccessors() < 2)
      continue;
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      Block *target = branch->getSuccessor(i);
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      auto changes = [&](BlockArgument argument) {
        Value passed = operands[argument.getArgNumber()];
        return isPacket(argument) && passed &&
               offsets.of(argument).anchor == argument;
      };
      if (llvm::none_of(target->getArguments(), changes))
        continue;
      OpBuilder builder(branch->getContext());
      Block *edge = builder.createBlock(target);
      SmallVector<Value> passed;
      for (unsigned n = 0; n < operands.size(); ++n)
        passed.push_back(operands[n]);
      builder.create<cf::BranchOp>(branch.getLoc(), target, passed);
      operands.erase(0, operands.size());
      branch->setSuccessor(edge, i);
    }
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {

/// A range of bytes whose accesses are not combined.
struct Excluded {
  int32_t begin, end;
  Operation *op;
  Value handle;
  bool isWrite;

  bool overlaps(const Event &event) const {
    return event.isAccess() && event.byteBegin() < end &&
           begin < event.byteEnd();
  }
};

class Collector {
public:
  Collector(const AnchorOffsets &offsets, Anchor &anchor)
      : offsets(offsets), anchor(anchor) {}

  void collect(Value handle);
  /// Removes events that overlap excluded ranges, and sets the window.
  void finish(func::FuncOp function, DominanceInfo &dominance,
              const CFGLoopInfo *loops);

private:
  template <typename Op>
  void access(Op op, Value value, Value index, Event::Kind kind);
  template <typename Op> void excludeWords(Op op, int32_t delta, bool isWrite);
  void branch(BranchOpInterface op, Value handle);
  void use(Operation *op, Value handle);
  void useData(Operation *op, Value handle);
  void useDescriptor(Operation *op, Value handle);
  void field(Operation *op, StringRef name, Type type, Event::Kind kind);
  void add(Event event) { found.push_back(event); }
  void flush(Operation *op, Value handle, const char *why) {
    add({Event::Flush, op, handle, 0, 0, why});
  }
  bool excludeOverlaps();
  void flushBeforeReads(DominanceInfo &dominance, const CFGLoopInfo *loops);
  void setWindow();

  const AnchorOffsets &offsets;
  Anchor &anchor;
  std::vector<Event> found;
  std::vector<Excluded> excluded;
};

template <typename Op>
void Collector::access(Op op, Value value, Value index, Event::Kind kind) {
  ir::ProtocolFieldAttr field =
      ir::lookupField(op, op.getPacket().getType(), op.getField());
  int32_t delta = offsets.of(op.getPacket()).delta;
  int32_t bit = 8 * delta + int32_t(field.getOffset());
  std::optional<int32_t> constant = index ? constantOf(index) : 0;
  if (constant) {
    bit += *constant * int32_t(field.getWidth());
    add({kind, op, op.getPacket(), bit, field.getWidth(), nullptr});
    return;
  }
  int32_t end = bit + int32_t(field.getWidth() * field.getCount());
  excluded.push_back(
      {bit >> 3, (end + 7) >> 3, op, op.getPacket(), kind == Event::Write});
}

template <typename Op>
void Collector::excludeWords(Op op, int32_t delta, bool isWrite) {
  int32_t begin = delta + op.getAt();
  int32_t end = begin + int32_t(4 * op.getWords().size());
  excluded.push_back({begin, end, op, op.getPacket(), isWrite});
}

void Collector::branch(BranchOpInterface op, Value handle) {
  // An argument that is an anchor is a new object in each iteration.
  for (unsigned i = 0; i < op->getNumSuccessors(); ++i) {
    SuccessorOperands operands = op.getSuccessorOperands(i);
    for (BlockArgument argument : op->getSuccessor(i)->getArguments())
      if (operands[argument.getArgNumber()] == handle &&
          offsets.of(argument).anchor == argument)
        return flush(op, handle, "handles of different headers meet");
  }
}

/// Adds the event of a use; the kinds of bytes differ in the rest.
void Collector::use(Operation *op, Value handle) {
  if (isa<ir::PacketCopyOp>(op))
    return flush(op, handle, "the copy");
  if (isRelease(op))
    return flush(op, handle, "the packet leaves");
  if (isa<ir::PacketDropOp>(op))
    return add({Event::Drop, op, handle, 0, 0, nullptr});
  if (auto terminator = dyn_cast<BranchOpInterface>(op))
    return branch(terminator, handle);
  if (anchor.bytes == Bytes::Data)
    useData(op, handle);
  else
    useDescriptor(op, handle);
}

/// Adds the access of a metadata field, which is whole words except for ports.
void Collector::field(Operation *op, StringRef name, Type type,
                      Event::Kind kind) {
  Event event{kind, op, op->getOperand(kind == Event::Write), 0, 32, nullptr};
  uint32_t word = target::DescriptorPorts;
  if (name == ir::rxPortName || name == ir::txPortName) {
    event.width = 8;
    event.bit = name == ir::txPortName ? 8 : 0;
  } else if (name == ir::sequenceName) {
    word = target::DescriptorSequence;
  } else {
    auto declared =
        op->getParentOfType<ModuleOp>().lookupSymbol<ir::MetadataOp>(name);
    std::optional<uint32_t> number = ir::numberOf(declared, ir::wordAttrName);
    if (!number) {
      anchor.blocker = op;
      return;
    }
    word = target::DescriptorMetadata + *number;
    event.width = 32 * ir::metadataWordCount(type);
  }
  event.bit += int32_t(32 * word);
  add(event);
}

void Collector::useDescriptor(Operation *op, Value handle) {
  if (auto read = dyn_cast<ir::MetaReadOp>(op))
    return field(op, read.getField(), read.getValue().getType(), Event::Read);
  if (auto write = dyn_cast<ir::MetaWriteOp>(op))
    return field(op, write.getField(), write.getValue().getType(),
                 Event::Write);
  // These use the word of head and length, which is not combined.
  if (isa<ir::PacketReadOp, ir::PacketWriteOp, ir::PacketLoadOp,
          ir::PacketStoreOp, ir::PacketDecapOp, ir::PacketEncapOp,
          ir::PacketAddTailOp, ir::PacketRemoveTailOp, ir::PacketHeadroomOp,
          ir::PacketLengthOp>(op))
    return;
  anchor.blocker = op;
}

void Collector::useData(Operation *op, Value handle) {
  auto changesAnchor = [&](Value result) {
    return offsets.of(result).anchor != anchor.value;
  };
  int32_t delta = offsets.of(handle).delta;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ir::PacketReadOp read) {
        access(read, read.getValue(), read.getIndex(), Event::Read);
      })
      .Case([&](ir::PacketWriteOp write) {
        access(write, write.getValue(), write.getIndex(), Event::Write);
      })
      .Case([&](ir::PacketLoadOp load) { excludeWords(load, delta, false); })
      .Case([&](ir::PacketStoreOp store) { excludeWords(store, delta, true); })
      .Case([&](ir::PacketDecapOp decap) {
        if (changesAnchor(decap.getInner()))
          flush(op, handle, "the size of the header is not constant");
      })
      .Case([&](ir::PacketEncapOp encap) {
        if (changesAnchor(encap.getOuter()))
          flush(op, handle, "the size of the header is not constant");
      })
      .Case(
          [&](ir::PacketAddTailOp) { flush(op, handle, "bytes are appended"); })
      .Case<ir::PacketLengthOp, ir::PacketHeadroomOp, ir::PacketRemoveTailOp,
            ir::MetaReadOp, ir::MetaWriteOp, ir::MetaLoadOp, ir::MetaStoreOp>(
          [](Operation *) {})
      .Default([&](Operation *other) {
        if (!anchor.blocker)
          anchor.blocker = other;
      });
}

void Collector::collect(Value handle) {
  anchor.handles.push_back(handle);
  anchor.delta[handle] = offsets.of(handle).delta;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *user : handle.getUsers())
    if (seen.insert(user).second)
      use(user, handle);
}

/// Removes accesses that overlap excluded writes and excludes their bytes, too.
/// Returns whether there were any.
bool Collector::excludeOverlaps() {
  bool changed = false;
  for (size_t i = 0; i < found.size();) {
    Event event = found[i];
    auto overlap = llvm::find_if(excluded, [&](const Excluded &other) {
      return other.isWrite && other.overlaps(event);
    });
    if (overlap == excluded.end()) {
      ++i;
      continue;
    }
    ir::explain(event.op, "pac")
        << "not combined: the access at " << overlap->op->getLoc()
        << " is not combined and may touch the same bytes";
    excluded.push_back({event.byteBegin(), event.byteEnd(), event.op,
                        event.handle, event.kind == Event::Write});
    found.erase(found.begin() + i);
    changed = true;
  }
  return changed;
}

/// Before an excluded read, memory must hold what is written. A read in a loop
/// that does not write the bytes finds them written before the loop.
void Collector::flushBeforeReads(DominanceInfo &dominance,
                                 const CFGLoopInfo *loops) {
  auto isWritten = [&](const Excluded &range, const CFGLoop *loop) {
    return llvm::any_of(found, [&](const Event &event) {
      return event.kind == Event::Write && range.overlaps(event) &&
             (!loop || loop->contains(event.op->getBlock()));
    });
  };
  const char *why = "these bytes are read by a command alone";
  for (const Excluded &range : excluded) {
    if (range.isWrite || !isWritten(range, nullptr))
      continue;
    const CFGLoop *outside = nullptr;
    for (const CFGLoop *loop = loops ? loops->getLoopFor(range.op->getBlock())
                                     : nullptr;
         loop && !loop->contains(Value(anchor.value).getParentBlock()) &&
         !isWritten(range, loop);
         loop = loop->getParentLoop())
      outside = loop;
    if (!outside) {
      flush(range.op, range.handle, why);
      continue;
    }
    for (Block *block : outside->getHeader()->getPredecessors())
      if (Operation *end = block->getTerminator(); !outside->contains(block))
        flush(end, handleBefore(anchor, dominance, end), why);
  }
}

void Collector::setWindow() {
  Window &window = anchor.window;
  bool isFirst = true;
  for (const Event &event : found) {
    if (!event.isAccess())
      continue;
    window.low =
        isFirst ? event.byteBegin() : std::min(window.low, event.byteBegin());
    window.high =
        isFirst ? event.byteEnd() : std::max(window.high, event.byteEnd());
    isFirst = false;
  }
  if (anchor.grain == 1)
    anchor.phase = window.low & 3;
  window.low = anchor.floorTo(window.low, 8);
  window.high = anchor.ceilTo(window.high, 8);
}

void Collector::finish(func::FuncOp function, DominanceInfo &dominance,
                       const CFGLoopInfo *loops) {
  while (excludeOverlaps()) {
  }
  flushBeforeReads(dominance, loops);
  setWindow();
  for (const Excluded &range : excluded)
    if (range.isWrite)
      anchor.volatileRanges.emplace_back(range.begin, range.end);
  // A function that borrows a packet returns it to the caller at its end.
  bool isBorrowed = isa<BlockArgument>(anchor.value) &&
                    cast<BlockArgument>(anchor.value).getOwner() ==
                        &function.getBody().front();
  if (isBorrowed)
    function.walk([&](func::ReturnOp end) {
      flush(end, anchor.value, "the caller may read the packet");
    });
  llvm::DenseMap<Block *, std::vector<Event>> byBlock;
  for (const Event &event : found)
    byBlock[event.op->getBlock()].push_back(event);
  for (Block &block : function.getBody()) {
    auto events = byBlock.find(&block);
    if (events == byBlock.end())
      continue;
    llvm::stable_sort(events->second, [](const Event &a, const Event &b) {
      return a.op != b.op && a.op->isBeforeInBlock(b.op);
    });
    anchor.events[&block] = std::move(events->second);
  }
}

/// Sets what is known of the head of an anchor.
void setAlignment(Anchor &anchor) {
  if (anchor.bytes == Bytes::Descriptor) {
    anchor.grain = 4;
    return;
  }
  anchor.isZero = bool(anchor.value.getDefiningOp<ir::PacketCreateOp>());
  anchor.head = headOf(anchor.value);
  if (!anchor.head)
    return;
  anchor.grain = 8;
  anchor.phase = -*anchor.head & 7;
}

} // namespace

std::vector<Anchor> findAnchors(func::FuncOp function, Bytes bytes) {
  AnchorOffsets offsets(function, bytes);
  std::vector<Anchor> anchors;
  llvm::DenseMap<Value, size_t> indexOf;
  for (Value handle : offsets.handles()) {
    Value value = offsets.of(handle).anchor;
    KARAKAL_ASSERT(offsets.of(value).anchor == value, "an anchor is its own");
    if (value != handle)
      continue;
    indexOf[value] = anchors.size();
    anchors.emplace_back();
    anchors.back().bytes = bytes;
    anchors.back().value = value;
    setAlignment(anchors.back());
  }
  std::vector<Collector> collectors;
  for (Anchor &anchor : anchors)
    collectors.emplace_back(offsets, anchor);
  for (Value handle : offsets.handles())
    collectors[indexOf[offsets.of(handle).anchor]].collect(handle);
  DominanceInfo dominance(function);
  std::optional<CFGLoopInfo> loops;
  if (Region &body = function.getBody(); !body.hasOneBlock())
    loops.emplace(dominance.getDomTree(&body));
  for (Collector &collector : collectors)
    collector.finish(function, dominance, loops ? &*loops : nullptr);
  return anchors;
}

} // namespace karakal::passes::pac
