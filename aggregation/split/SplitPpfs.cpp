// PPFs that are too large for an engine.
//
// A PPF whose code is larger than a control store becomes several that fit,
// with channels between them: stages of a pipeline (section 5.1 of the paper).
// It is cut where that costs least (PpfCut.h).
//
//   @m.f.in_cc(%ph)              @m.f.in_cc(%ph)
//     %a = …; %b = …               %a = …; %b = …
//     … %a …                  →    baker.meta_write %a, %ph @split.0
//                                  baker.channel_put @m.f.2, %ph
//                                @m.f-2.in_cc(%ph)
//                                  %a = baker.meta_read %ph @split.0
//                                  … %a …
//
// All cuts reuse the fields: each is read before the next cut writes it.
// Constants and references to globals are created again in the second part.
//
// Requires: nothing; `baker.profile` helps. Ensures: a PPF has at most
// `words-max` words by the estimate, or an explanation why it cannot be cut.

#include "aggregation/Passes.h"
#include "aggregation/model/PpfCost.h"
#include "aggregation/split/PpfCut.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace karakal::agg {

#define GEN_PASS_DEF_SPLITPPFS
#include "aggregation/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral explainName = "aggregation";
constexpr llvm::StringLiteral slotPrefix = "split.";
/// The part of a control store that a piece may fill by the estimate, and the
/// least size of a piece relative to an equal share.
constexpr double fillMax = 0.9, leastShare = 0.6;
constexpr uint32_t metadataWords =
    target::DescriptorWords - target::DescriptorMetadata;

/// Returns the words of the descriptor that the program's metadata leaves free.
unsigned freeSlots(ModuleOp program) {
  uint32_t used = 0;
  for (auto field : program.getOps<ir::MetadataOp>())
    if (!field.getSymName().starts_with(slotPrefix))
      used += ir::metadataWordCount(field.getType());
  return metadataWords - std::min(used, metadataWords);
}

/// Makes one cut.
class Splitter {
public:
  Splitter(ModuleOp program, func::FuncOp ppf, unsigned number)
      : program(program), ppf(ppf), number(number), builder(ppf.getContext()) {}

  /// Returns the second part, or null if packets would cross the cut in
  /// different ways. In that case at most one block has been cut in two.
  func::FuncOp split(const PpfCut &cut);

private:
  void divide(const PpfCut &cut);
  bool isCrossing(Block *from, Block *to) const {
    return !second.contains(from) && second.contains(to);
  }
  Value findPacket();
  bool isUsedFrom(Block *block, Value packet) const;
  bool canCross(Block *target, DominanceInfo &dominance) const;
  void makePart();
  void makeExit(Block *target, unsigned entry);
  void fillEntry();
  std::string slot(unsigned index);
  void writeSlots(OpBuilder &at, Value value, unsigned &index);
  Value readSlots(OpBuilder &at, Type type, unsigned &index);

  ModuleOp program;
  func::FuncOp ppf;
  unsigned number;
  OpBuilder builder;
  llvm::SetVector<Block *> second;   ///< blocks of the second part
  llvm::SetVector<Block *> targets;  ///< those that the first part branches to
  llvm::SetVector<Value> travelling; ///< values that cross besides the packet
  llvm::SetVector<Value> recreated;
  Value packet;
  func::FuncOp part;
  ir::ChannelOp channel;
  double crossing = 0; ///< packets per packet that enters the PPF
};

void Splitter::divide(const PpfCut &cut) {
  Block *block = cut.first->getBlock();
  if (&block->front() != cut.first) {
    Block *rest = block->splitBlock(cut.first);
    OpBuilder::atBlockEnd(block).create<cf::BranchOp>(ppf.getLoc(), rest);
    block = rest;
  }
  llvm::ReversePostOrderTraversal<Block *> order(&ppf.getBody().front());
  bool isSecond = false;
  for (Block *each : order) {
    isSecond |= each == block;
    if (isSecond)
      second.insert(each);
  }
  for (Block *each : second)
    for (Block *before : each->getPredecessors())
      if (isCrossing(before, each))
        targets.insert(each);
}

Value Splitter::findPacket() {
  Value found;
  auto note = [&](Value value) {
    if (!second.contains(value.getParentBlock())) {
      if (isRecreated(value))
        recreated.insert(value);
      else if (isa<ir::PacketType>(value.getType()))
        found = value;
      else
        travelling.insert(value);
    }
  };
  for (Block *block : second)
    for (Operation &op : *block)
      llvm::for_each(op.getOperands(), note);
  return found;
}

/// Whether a path from `block` on uses the packet.
bool Splitter::isUsedFrom(Block *block, Value packet) const {
  llvm::SetVector<Block *> seen;
  seen.insert(block);
  for (size_t i = 0; i < seen.size(); ++i) {
    for (Operation &op : *seen[i])
      if (llvm::is_contained(op.getOperands(), packet))
        return true;
    seen.insert(seen[i]->succ_begin(), seen[i]->succ_end());
  }
  return false;
}

bool Splitter::canCross(Block *target, DominanceInfo &dominance) const {
  if (isOnlyReturn(target))
    return true;
  for (Block *before : target->getPredecessors())
    if (isCrossing(before, target) &&
        !dominance.dominates(packet, before->getTerminator()))
      return false;
  return isUsedFrom(target, packet);
}

std::string Splitter::slot(unsigned index) {
  std::string name = slotPrefix.str() + std::to_string(index);
  if (!program.lookupSymbol(name)) {
    auto at = OpBuilder::atBlockBegin(program.getBody());
    at.create<ir::MetadataOp>(ppf.getLoc(), name, at.getI32Type());
  }
  return name;
}

void Splitter::writeSlots(OpBuilder &at, Value value, unsigned &index) {
  Location loc = ppf.getLoc();
  Type i32 = at.getI32Type();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  auto write = [&](Value word) {
    at.create<ir::MetaWriteOp>(loc, word, packet, slot(index++));
  };
  if (width < 32)
    value = at.create<arith::ExtUIOp>(loc, i32, value);
  if (width <= 32)
    return write(value);
  Type i64 = at.getI64Type();
  if (width < 64)
    value = at.create<arith::ExtUIOp>(loc, i64, value);
  Value by = at.create<arith::ConstantOp>(loc, at.getI64IntegerAttr(32));
  Value high = at.create<arith::ShRUIOp>(loc, value, by);
  write(at.create<arith::TruncIOp>(loc, i32, high));
  write(at.create<arith::TruncIOp>(loc, i32, value));
}

Value Splitter::readSlots(OpBuilder &at, Type type, unsigned &index) {
  Location loc = ppf.getLoc();
  Type i32 = at.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Value from = part.getArgument(0);
  auto read = [&]() -> Value {
    return at.create<ir::MetaReadOp>(loc, i32, from, slot(index++));
  };
  Value value = read();
  if (width > 32) {
    Type i64 = at.getI64Type();
    Value by = at.create<arith::ConstantOp>(loc, at.getI64IntegerAttr(32));
    Value high = at.create<arith::ShLIOp>(
        loc, at.create<arith::ExtUIOp>(loc, i64, value), by);
    Value low = at.create<arith::ExtUIOp>(loc, i64, read());
    value = at.create<arith::OrIOp>(loc, high, low);
  }
  if (value.getType() == type)
    return value;
  return at.create<arith::TruncIOp>(loc, type, value);
}

/// Creates the PPF of the second part and the channel to it.
void Splitter::makePart() {
  StringRef symbol = ppf.getSymName();
  auto [name, endpoint] = symbol.rsplit('.');
  std::string suffix = std::to_string(number);
  std::string newName = (name + "-" + suffix).str();
  builder.setInsertionPointAfter(ppf);
  part = builder.create<func::FuncOp>(
      ppf.getLoc(), newName + "." + endpoint.str(),
      builder.getFunctionType(packet.getType(), {}));
  part->setAttrs(ppf->getAttrs());
  part.setSymName(newName + "." + endpoint.str());
  part.setFunctionType(builder.getFunctionType(packet.getType(), {}));
  auto entering = ir::profileOf(ppf);
  if (entering) {
    ir::FunctionProfile profile;
    profile.packets = uint64_t(
        std::llround(double(entering->packets) * std::min(crossing, 1.0)));
    ir::setProfile(part, profile);
  }
  builder.setInsertionPointToStart(program.getBody());
  channel = builder.create<ir::ChannelOp>(
      ppf.getLoc(), (name + ".rest" + suffix).str(),
      cast<ir::PacketType>(packet.getType()).getProtocol(), name.str(),
      part.getSymName());
  if (entering)
    ir::setProfile(channel, ir::profileOf(part)->packets);
}

/// Creates the block of the first part that replaces the block `target` of the
/// second.
void Splitter::makeExit(Block *target, unsigned entry) {
  Block *exit = builder.createBlock(&ppf.getBody(), ppf.getBody().end());
  for (BlockArgument argument : target->getArguments())
    exit->addArgument(argument.getType(), argument.getLoc());
  SmallVector<Block *> before(target->getPredecessors());
  DominanceInfo dominance(ppf);
  llvm::SetVector<Value> known;
  for (Value value : travelling)
    if (llvm::all_of(before, [&](Block *from) {
          return !isCrossing(from, target) ||
                 dominance.dominates(value, from->getTerminator());
        }))
      known.insert(value);
  for (Block *from : before)
    if (isCrossing(from, target))
      for (unsigned i = 0; i < from->getNumSuccessors(); ++i)
        if (from->getSuccessor(i) == target)
          from->getTerminator()->setSuccessor(exit, i);
  builder.setInsertionPointToEnd(exit);
  if (!isOnlyReturn(target)) {
    unsigned index = 0;
    if (targets.size() > 1)
      writeSlots(builder,
                 builder.create<arith::ConstantOp>(
                     ppf.getLoc(), builder.getI32IntegerAttr(int32_t(entry))),
                 index);
    for (Value value : travelling) {
      unsigned words = slotsOf(value.getType());
      if (known.contains(value))
        writeSlots(builder, value, index);
      else
        index += words;
    }
    for (Block *other : targets) {
      for (auto [i, argument] : llvm::enumerate(other->getArguments()))
        if (other == target)
          writeSlots(builder, exit->getArgument(i), index);
        else
          index += slotsOf(argument.getType());
    }
    builder.create<ir::ChannelPutOp>(ppf.getLoc(), channel.getSymName(),
                                     packet);
  }
  builder.create<func::ReturnOp>(ppf.getLoc());
}

/// Reads the values that crossed, and continues at the block that the first
/// part would have entered.
void Splitter::fillEntry() {
  Location loc = ppf.getLoc();
  Block *entry = part.addEntryBlock();
  for (Block *block : second)
    block->moveBefore(&part.getBody(), part.getBody().end());
  auto at = OpBuilder::atBlockBegin(entry);
  auto replace = [&](Value value, Value by) {
    value.replaceUsesWithIf(by, [&](OpOperand &use) {
      return second.contains(use.getOwner()->getBlock());
    });
  };
  unsigned index = 0;
  Value selector;
  if (targets.size() > 1)
    selector = readSlots(at, at.getI32Type(), index);
  for (Value value : travelling)
    replace(value, readSlots(at, value.getType(), index));
  for (Value value : recreated)
    replace(value, at.clone(*value.getDefiningOp())->getResult(0));
  replace(packet, part.getArgument(0));
  KARAKAL_ASSERT(index <= metadataWords,
                 "the values that cross fit the descriptor");
  SmallVector<SmallVector<Value>> operands;
  for (Block *target : targets) {
    operands.emplace_back();
    for (BlockArgument argument : target->getArguments())
      operands.back().push_back(readSlots(at, argument.getType(), index));
  }
  if (!selector) {
    at.create<cf::BranchOp>(loc, targets[0], operands[0]);
    return;
  }
  SmallVector<int32_t> values;
  SmallVector<Block *> blocks(targets.begin() + 1, targets.end());
  SmallVector<ValueRange> ranges;
  for (unsigned i = 1; i < targets.size(); ++i) {
    values.push_back(int32_t(i));
    ranges.push_back(operands[i]);
  }
  at.create<cf::SwitchOp>(loc, selector, targets[0], operands[0], values,
                          blocks, ranges);
}

func::FuncOp Splitter::split(const PpfCut &cut) {
  divide(cut);
  KARAKAL_ASSERT(!second.empty() && !targets.empty(),
                 "a cut has a second part that the first one reaches");
  packet = findPacket();
  DominanceInfo dominance(ppf);
  for (Block *target : targets)
    if (!packet || !canCross(target, dominance))
      return nullptr;
  auto times = blockFrequencies(ppf);
  for (Block *target : targets) {
    if (isOnlyReturn(target))
      continue;
    for (auto at = target->pred_begin(); at != target->pred_end(); ++at)
      if (isCrossing(*at, target))
        crossing +=
            times.lookup(*at) * ir::branchProbability((*at)->getTerminator(),
                                                      at.getSuccessorIndex());
  }
  makePart();
  SmallVector<Block *> all(targets.begin(), targets.end());
  targets.remove_if([](Block *target) { return isOnlyReturn(target); });
  unsigned entry = 0;
  for (Block *target : all)
    makeExit(target, isOnlyReturn(target) ? 0 : entry++);
  // Blocks that only return may have no path from the second part.
  for (Block *target : all)
    if (target->hasNoPredecessors() && isOnlyReturn(target)) {
      second.remove(target);
      target->erase();
    }
  fillEntry();
  return part;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class SplitPpfs : public impl::SplitPpfsBase<SplitPpfs> {
public:
  using SplitPpfsBase::SplitPpfsBase;

private:
  void runOnOperation() override;
  func::FuncOp splitOnce(func::FuncOp ppf, double words, unsigned number);
};

func::FuncOp SplitPpfs::splitOnce(func::FuncOp ppf, double words,
                                  unsigned number) {
  target::ChipParameters chip = ir::chipOf(getOperation());
  PpfCosts costs(getOperation(), chip);
  double room = fillMax * wordsMax / wordsScale;
  KARAKAL_ASSERT(words > room || words * wordsScale > wordsMax,
                 "only a PPF that is too large is cut");
  double least = leastShare * words / std::ceil(words / room);
  unsigned slots = freeSlots(getOperation());
  std::vector<PpfCut> cuts =
      findCuts(ppf, least, room, slots,
               [&](Operation *op) { return costs.wordsOf(op); });
  for (const PpfCut &cut : cuts)
    if (auto part = Splitter(getOperation(), ppf, number).split(cut)) {
      ir::explain(ppf, explainName)
          << "split " << ppf.getSymName().rsplit('.').first << ": "
          << llvm::formatv("{0:f0} words do not fit {1}; {2:f0} of them stay",
                           words * wordsScale, unsigned(wordsMax),
                           cut.words * wordsScale)
                 .str();
      return part;
    }
  ir::explain(ppf, explainName)
      << "refuse " << ppf.getSymName().rsplit('.').first << ": "
      << llvm::formatv(
             "not split: {0:f0} words do not fit {1}, but loops, "
             "critical sections or the values that would cross prevent it",
             words * wordsScale, unsigned(wordsMax))
             .str();
  return nullptr;
}

void SplitPpfs::runOnOperation() {
  target::ChipParameters chip = ir::chipOf(getOperation());
  if (wordsMax == 0)
    wordsMax = unsigned(chip.meControlStore);
  SmallVector<func::FuncOp> ppfs;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (ir::isPpf(function) && !function->hasAttr(ir::coldAttrName))
      ppfs.push_back(function);
  for (func::FuncOp ppf : ppfs) {
    unsigned number = 1;
    double before = std::numeric_limits<double>::infinity();
    for (func::FuncOp rest = ppf; rest;) {
      double words = PpfCosts(getOperation(), chip).of(rest).words;
      // The values that cross may take more words than the cut saves. A PPF in
      // more parts than there are engines fits no chip.
      if (words * wordsScale <= wordsMax || words >= before ||
          number == chip.meCount)
        break;
      before = words;
      rest = splitOnce(rest, words, ++number);
    }
  }
}

} // namespace

} // namespace karakal::agg
