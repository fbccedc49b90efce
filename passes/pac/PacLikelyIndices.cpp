// Reads of header arrays at a variable but likely index.
//
// Data after a header of variable size is read at an index computed from that
// size. Most headers have the smallest size; for example, most IPv4 headers
// have no options. If conditions before a read bound the index from below, the
// bound is the index of the smallest header. It gets a path of its own:
//
//   %w = baker.packet_read %ih "rest"[%i]
//   →  if %i == 3: baker.packet_read %ih "rest"[%c3]
//      else:       baker.packet_read %ih "rest"[%i]
//
// The read at a constant index can be combined with others. The likely index
// affects only the number of commands, never the result.

#include "passes/pac/PacLikelyIndices.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Baker.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"

#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

#include <optional>

using namespace mlir;

namespace karakal::passes::pac {

namespace {

constexpr unsigned depthMax = 8;
/// Packets with the smallest header per packet with a larger one.
constexpr int64_t smallestHeaders = 99;

std::optional<uint64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getZExtValue();
  return std::nullopt;
}

/// Lower bounds of values under the conditions that hold at a block.
class Bounds {
public:
  Bounds(Block *block, DominanceInfo &dominance)
      : block(block), dominance(dominance) {}

  /// Returns the lower bound of `value`, if a condition gives one.
  std::optional<uint64_t> least(Value value, unsigned depth = 0) const;

private:
  std::optional<uint64_t> fromOperation(Value value, unsigned depth) const;
  std::optional<uint64_t> fromConditions(Value value) const;
  std::optional<uint64_t> fromCompare(arith::CmpIOp compare) const;

  Block *block;
  DominanceInfo &dominance;
};

/// Returns the lower bound that a comparison with a constant gives its left
/// side at the block, if a branch on it dominates the block.
std::optional<uint64_t> Bounds::fromCompare(arith::CmpIOp compare) const {
  std::optional<uint64_t> bound = constantOf(compare.getRhs());
  if (!bound)
    return std::nullopt;
  bool holdsIfFalse = compare.getPredicate() == arith::CmpIPredicate::ult;
  bool holdsIfTrue = compare.getPredicate() == arith::CmpIPredicate::uge;
  if (compare.getPredicate() == arith::CmpIPredicate::ugt) {
    holdsIfTrue = true;
    ++*bound;
  } else if (compare.getPredicate() == arith::CmpIPredicate::ule) {
    holdsIfFalse = true;
    ++*bound;
  }
  for (Operation *user : compare.getResult().getUsers()) {
    auto branch = dyn_cast<cf::CondBranchOp>(user);
    if (!branch)
      continue;
    for (auto [target, holds] :
         {std::pair(branch.getTrueDest(), holdsIfTrue),
          std::pair(branch.getFalseDest(), holdsIfFalse)})
      if (holds && target->getSinglePredecessor() &&
          dominance.dominates(target, block))
        return bound;
  }
  return std::nullopt;
}

std::optional<uint64_t> Bounds::fromConditions(Value value) const {
  for (Operation *user : value.getUsers()) {
    if (auto compare = dyn_cast<arith::CmpIOp>(user))
      if (compare.getLhs() == value)
        if (std::optional<uint64_t> bound = fromCompare(compare))
          return bound;
    // The condition may compare a multiple of the value.
    auto scaled = dyn_cast<arith::ShLIOp>(user);
    if (!scaled || scaled.getLhs() != value)
      continue;
    std::optional<uint64_t> by = constantOf(scaled.getRhs());
    std::optional<uint64_t> bound = fromConditions(scaled.getResult());
    if (by && *by < 32 && bound)
      return (*bound + (uint64_t(1) << *by) - 1) >> *by;
  }
  return std::nullopt;
}

std::optional<uint64_t> Bounds::fromOperation(Value value,
                                              unsigned depth) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  std::optional<uint64_t> left, right;
  if (isa<arith::ExtUIOp>(op))
    return least(op->getOperand(0), depth + 1);
  if (op->getNumOperands() != 2 || !(right = constantOf(op->getOperand(1))) ||
      !(left = least(op->getOperand(0), depth + 1)))
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return uint32_t(*left + *right);
  if (isa<arith::SubIOp>(op))
    return uint32_t(*left - *right);
  if (isa<arith::MinUIOp>(op))
    return std::min(*left, *right);
  if (isa<arith::ShRUIOp>(op) && *right < 32)
    return *left >> *right;
  if (isa<arith::ShLIOp>(op) && *right < 32)
    return uint32_t(*left << *right);
  return std::nullopt;
}

std::optional<uint64_t> Bounds::least(Value value, unsigned depth) const {
  if (depth > depthMax)
    return std::nullopt;
  if (std::optional<uint64_t> bound = fromConditions(value))
    return bound;
  return fromOperation(value, depth);
}

/// Splits a read into one at the constant `likely` and one at other indices.
void split(ir::PacketReadOp read, uint32_t likely) {
  KARAKAL_ASSERT(read.getIndex() && !constantOf(read.getIndex()),
                 "a read at a variable index");
  Location loc = read.getLoc();
  Block *before = read->getBlock();
  Block *after = before->splitBlock(read->getNextNode());
  Value value = after->addArgument(read.getValue().getType(), read.getLoc());
  OpBuilder builder(read);
  Value constant = builder.create<arith::ConstantIntOp>(loc, likely, 32);
  Value isLikely = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                 read.getIndex(), constant);
  Block *likelyBlock = builder.createBlock(after);
  auto fixed = cast<ir::PacketReadOp>(builder.clone(*read));
  fixed.getIndexMutable().assign(constant);
  builder.create<cf::BranchOp>(loc, after, fixed.getValue());
  Block *other = builder.createBlock(after);
  read.getValue().replaceAllUsesWith(value);
  read->moveBefore(other, other->end());
  builder.setInsertionPointToEnd(other);
  builder.create<cf::BranchOp>(loc, after, read.getValue());
  builder.setInsertionPointToEnd(before);
  auto branch =
      builder.create<cf::CondBranchOp>(loc, isLikely, likelyBlock, other);
  ir::setBranchCounts(branch, {smallestHeaders, 1});
}

} // namespace

unsigned splitLikelyIndices(func::FuncOp function) {
  std::vector<std::pair<ir::PacketReadOp, uint32_t>> found;
  DominanceInfo dominance(function);
  function.walk([&](ir::PacketReadOp read) {
    if (!read.getIndex() || constantOf(read.getIndex()))
      return;
    Bounds bounds(read->getBlock(), dominance);
    std::optional<uint64_t> likely = bounds.least(read.getIndex());
    ir::ProtocolFieldAttr field =
        ir::lookupField(read, read.getPacket().getType(), read.getField());
    if (!likely || *likely >= field.getCount()) {
      ir::explain(read, "pac")
          << "not combined: the index is not constant, and no condition "
             "bounds it from below";
      return;
    }
    found.push_back({read, uint32_t(*likely)});
  });
  for (auto [read, likely] : found) {
    ir::explain(read, "pac") << "a path of its own for index " << likely
                             << ", that of the smallest header";
    split(read, likely);
  }
  return found.size();
}

} // namespace karakal::passes::pac
