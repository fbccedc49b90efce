// The choice of commands that serve the accesses of a packet.
//
// A read needs the bits of its field that are not written on every path. A
// flush writes all bytes of which a bit may be written. It needs the old value
// of bits that are written only on some paths, of the other bits of these
// bytes, and of the bytes between them (up to whole quadwords): one write of
// known bytes saves the read that a partial write would cost.
//
// The needs are clustered. Two clusters are merged if that costs less:
//
//   cost(cluster) = frequency of its block × (command + quadwords)
//
// The costs of DRAM are from target-ixp/. The load of a cluster is before its
// first access, or at the end of the block that dominates all accesses; outside
// of loops; and before any write of the same bytes. So a load serves several
// branches if enough packets take them. A load never traps: it stays within the
// buffer, whatever the packet's length.
//
// Section 5.3.1 of the paper.

#include "passes/pac/PacPlan.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include <optional>

using namespace mlir;

namespace karakal::passes::pac {

namespace {

/// The limits and the cost of a command for the bytes of an anchor.
struct Command {
  int32_t bytesMax;     ///< of one command
  int32_t partBytesMax; ///< of a write that leaves some bytes
  int32_t gapMax;       ///< a write spans gaps of fewer bytes

  Command(const Anchor &anchor, const target::ChipParameters &chip)
      : bytesMax(anchor.bytes == Bytes::Descriptor ? descriptorBytesMax
                 : anchor.writesWhole()            ? alignedBytesMax
                                                   : packetBytesMax),
        partBytesMax(std::min(bytesMax, packetBytesMax)),
        gapMax(anchor.bytes == Bytes::Data ? packetGapMax : descriptorGapMax),
        bytes(anchor.bytes), chip(chip) {}

  /// Cycles for which it occupies its unit.
  double cost(int32_t count) const {
    if (bytes == Bytes::Descriptor)
      return double(chip.sramOpCycles + (count / 4 - 1) * chip.sramWordCycles);
    uint64_t quads = (count + 7) / 8;
    uint64_t bursts = (quads + chip.dramBurstQuads - 1) / chip.dramBurstQuads;
    return double(chip.dramBankCycles +
                  bursts * chip.dramBurstQuads * chip.dramQuadCycles);
  }

private:
  /// The limits of `packet_load` and `packet_store`, and of `meta_load` and
  /// `meta_store`.
  static constexpr int32_t packetBytesMax = 56, alignedBytesMax = 64;
  static constexpr int32_t descriptorBytesMax = 32;
  static constexpr int32_t packetGapMax = 32, descriptorGapMax = 12;

  Bytes bytes;
  target::ChipParameters chip;
};

/// The buffer has at least this many bytes after the head of a packet.
constexpr int32_t sureBytes =
    target::BufferBytes - (target::BufferHeadroom + target::FrameBytesMax);

struct Need {
  Operation *op;
  int32_t begin, end;
};

struct Cluster {
  std::vector<Need> needs;
  int32_t begin, end;
  Operation *before = nullptr;
  double cost = 0;
};

class Planner {
public:
  Planner(const Anchor &anchor, DominanceInfo &dominance,
          const Frequencies &frequencies)
      : anchor(anchor), dominance(dominance), frequencies(frequencies),
        command(
            anchor,
            ir::chipOf(Value(anchor.value).getParentRegion()->getParentOp())),
        flow(anchor, dominance) {}

  Plan run();

private:
  void findNeeds();
  int lastInReach(const llvm::BitVector &dirty, int first, int32_t limit) const;
  bool isWrittenWhole(int32_t begin, int32_t end) const;
  void planStores(const Event &event);
  int32_t startOf(int32_t byte) const;
  int32_t endOf(int32_t begin, int32_t end) const;
  void addNeeds(Operation *op, const llvm::BitVector &bytes);

  Value handleBefore(Operation *op) const {
    return pac::handleBefore(anchor, dominance, op);
  }
  int32_t deltaOf(Value handle) const { return anchor.delta.lookup(handle); }
  Operation *firstAfterAnchor() const;
  bool canLoadAt(Operation *op, int32_t begin, int32_t end) const;
  /// Sets the position, range and cost of a cluster. Returns null, or the
  /// reason why that is impossible.
  const char *settle(Cluster &cluster) const;
  bool merge(size_t i, size_t j);
  bool cluster();
  void emit(const Cluster &cluster);

  const Anchor &anchor;
  DominanceInfo &dominance;
  const Frequencies &frequencies;
  Command command;
  BitFlow flow;
  std::vector<Need> needs;
  std::vector<Cluster> clusters;
  Plan plan;
};

//===----------------------------------------------------------------------===//
// Needs and stores
//===----------------------------------------------------------------------===//

/// Adds a need for each range of `bytes`, cut where a gap costs as much as a
/// command.
void Planner::addNeeds(Operation *op, const llvm::BitVector &bytes) {
  int32_t low = anchor.window.low;
  for (int first = bytes.find_first(); first >= 0;) {
    int last = first;
    for (int next = bytes.find_next(last);
         next >= 0 && next - last < command.gapMax &&
         next - first < command.bytesMax - 8;
         next = bytes.find_next(next))
      last = next;
    needs.push_back({op, low + first, low + last + 1});
    first = bytes.find_next(last);
  }
}

/// Returns the last byte, below `limit`, of a write that begins at `first`.
int Planner::lastInReach(const llvm::BitVector &dirty, int first,
                         int32_t limit) const {
  int last = first;
  for (int next = dirty.find_next(last);
       next >= 0 && next - last < command.gapMax &&
       anchor.window.low + next < limit;
       next = dirty.find_next(next))
    last = next;
  return last;
}

/// Whether a write of the range may write all its bytes.
bool Planner::isWrittenWhole(int32_t begin, int32_t end) const {
  return anchor.writesWhole() && !anchor.isVolatile(begin, end);
}

/// Divides the bytes to write at a flush into commands. Quadwords are written
/// whole if their alignment is known.
void Planner::planStores(const Event &event) {
  BitState state = flow.before(event.op);
  const Window &window = anchor.window;
  const llvm::BitVector dirty = window.bytesOf(state.dirty);
  for (int first = dirty.find_first(); first >= 0;) {
    int32_t begin = startOf(window.low + first);
    int last = lastInReach(dirty, first, begin + command.bytesMax);
    int32_t end = endOf(begin, window.low + last + 1);
    if (end - begin > command.partBytesMax && !isWrittenWhole(begin, end)) {
      last = lastInReach(dirty, first, begin + command.partBytesMax);
      end = endOf(begin, window.low + last + 1);
    }
    PlannedStore store{event.op, event.handle, begin, end, window.none()};
    if (isWrittenWhole(begin, end))
      window.add(store.written, begin, end);
    else
      for (int byte = first; byte >= 0 && byte <= last;
           byte = dirty.find_next(byte))
        store.written.set(byte);
    llvm::BitVector missing = window.noBits();
    for (int byte : store.written.set_bits())
      missing.set(8 * byte, 8 * byte + 8);
    missing.reset(state.assigned);
    addNeeds(event.op, window.bytesOf(missing));
    plan.stores.push_back(store);
    plan.cost += frequencies.of(event.op->getBlock()) *
                 command.cost(store.end - store.begin);
    first = dirty.find_next(last);
  }
}

/// Returns the first byte of a command that contains `byte`, and the end of one
/// that begins at `begin`. Whole words or quadwords cost no more, so the range
/// is extended to these if the alignment is known.
int32_t Planner::startOf(int32_t byte) const {
  return anchor.grain == 1 ? byte : anchor.floorTo(byte, anchor.grain);
}

int32_t Planner::endOf(int32_t begin, int32_t end) const {
  return anchor.grain == 1 ? begin + (end - begin + 3) / 4 * 4
                           : anchor.ceilTo(end, anchor.grain);
}

void Planner::findNeeds() {
  for (auto &[block, events] : anchor.events) {
    for (const Event &event : events) {
      if (event.kind == Event::Flush)
        planStores(event);
      if (event.kind != Event::Read)
        continue;
      llvm::BitVector missing = anchor.window.noBits();
      anchor.window.addBits(missing, event.bit, event.bitEnd());
      missing.reset(flow.before(event.op).assigned);
      addNeeds(event.op, anchor.window.bytesOf(missing));
    }
  }
}

//===----------------------------------------------------------------------===//
// Positions of loads
//===----------------------------------------------------------------------===//

Operation *Planner::firstAfterAnchor() const {
  if (Operation *op = anchor.value.getDefiningOp())
    return op->getNextNode();
  return &Value(anchor.value).getParentBlock()->front();
}

/// Whether the range is within the buffer and no byte of it is written on some
/// paths only.
bool Planner::canLoadAt(Operation *op, int32_t begin, int32_t end) const {
  if (anchor.bytes == Bytes::Descriptor) {
    // A descriptor is always complete.
  } else if (anchor.head) {
    if (*anchor.head + begin < 0 ||
        *anchor.head + end > int32_t(target::BufferBytes))
      return false;
  } else if (begin < deltaOf(handleBefore(op)) || end > sureBytes) {
    return false;
  }
  BitState state = flow.before(op);
  state.dirty.reset(state.assigned);
  const llvm::BitVector unsure = anchor.window.bytesOf(state.dirty);
  for (int32_t byte = begin; byte < end; ++byte)
    if (anchor.window.contains(byte) && unsure.test(byte - anchor.window.low))
      return false;
  return true;
}

const char *Planner::settle(Cluster &cluster) const {
  KARAKAL_ASSERT(!cluster.needs.empty(), "a command serves some access");
  cluster.begin = cluster.needs.front().begin;
  cluster.end = cluster.needs.front().end;
  Block *block = cluster.needs.front().op->getBlock();
  for (const Need &need : cluster.needs) {
    cluster.begin = std::min(cluster.begin, need.begin);
    cluster.end = std::max(cluster.end, need.end);
    block = dominance.findNearestCommonDominator(block, need.op->getBlock());
  }
  int32_t begin = startOf(cluster.begin);
  int32_t end = endOf(begin, cluster.end);
  if (end - begin > command.bytesMax)
    return "more bytes than one command moves";
  // Hoist to the block that executes least often, but not above the anchor.
  Block *top = Value(anchor.value).getParentBlock(), *best = block;
  for (Block *up = block; up != top;) {
    up = dominance.getNode(up)->getIDom()->getBlock();
    if (frequencies.of(up) < frequencies.of(best))
      best = up;
  }
  // A word or quadword is inside the buffer if one of its bytes is.
  int32_t sureBegin = anchor.head ? begin : cluster.begin;
  cluster.before = best->getTerminator();
  for (const Need &need : cluster.needs)
    if (need.op->getBlock() == best && need.op != cluster.before &&
        need.op->isBeforeInBlock(cluster.before))
      cluster.before = need.op;
  if (!canLoadAt(cluster.before, sureBegin, end)) {
    cluster.before = firstAfterAnchor();
    if (!canLoadAt(cluster.before, sureBegin, end))
      return "the common point is before a header was put in front";
  }
  for (const Need &need : cluster.needs)
    KARAKAL_ASSERT(dominance.dominates(cluster.before, need.op),
                   "a command reads before every access that it serves");
  cluster.begin = begin;
  cluster.end = end;
  cluster.cost =
      frequencies.of(cluster.before->getBlock()) * command.cost(end - begin);
  return nullptr;
}

/// Merges `clusters[j]` into `clusters[i]` if that costs less.
bool Planner::merge(size_t i, size_t j) {
  Cluster both = clusters[i];
  llvm::append_range(both.needs, clusters[j].needs);
  const char *refusal = settle(both);
  if (!refusal && both.cost > clusters[i].cost + clusters[j].cost)
    refusal = "one command for both would execute too often";
  if (refusal) {
    plan.refusals.push_back(
        {clusters[i].needs.front().op, clusters[j].needs.front().op, refusal});
    return false;
  }
  clusters[i] = both;
  clusters.erase(clusters.begin() + j);
  return true;
}

/// Adds each need to a cluster, then merges clusters with each other.
bool Planner::cluster() {
  for (const Need &need : needs) {
    Cluster single;
    single.needs = {need};
    if (settle(single)) {
      plan.blocker = need.op;
      return false;
    }
    clusters.push_back(single);
    for (size_t i = 0; i + 1 < clusters.size(); ++i)
      if (merge(i, clusters.size() - 1))
        break;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    plan.refusals.clear();
    for (size_t i = 0; i < clusters.size(); ++i)
      for (size_t j = i + 1; j < clusters.size();)
        if (merge(i, j))
          changed = true;
        else
          ++j;
  }
  return true;
}

void Planner::emit(const Cluster &cluster) {
  KARAKAL_ASSERT(cluster.begin < cluster.end &&
                     cluster.end - cluster.begin <= command.bytesMax,
                 "one command moves all bytes of its accesses");
  PlannedLoad load{cluster.before,
                   handleBefore(cluster.before),
                   cluster.begin,
                   cluster.end,
                   flow.before(cluster.before).dirty,
                   unsigned(cluster.needs.size())};
  plan.loads.push_back(load);
  plan.cost += cluster.cost;
}

Plan Planner::run() {
  findNeeds();
  if (cluster())
    for (const Cluster &cluster : clusters)
      emit(cluster);
  return std::move(plan);
}

} // namespace

Plan makePlan(Anchor &anchor, DominanceInfo &dominance,
              const Frequencies &frequencies) {
  Plan best = Planner(anchor, dominance, frequencies).run();
  std::optional<BitFlow> flow(std::in_place, anchor, dominance);
  for (Block &block : *Value(anchor.value).getParentRegion()) {
    if (best.blocker || !flow->meetsUnwritten(&block))
      continue;
    Operation *end = block.getTerminator();
    Anchor trial = anchor;
    trial.events[&block].push_back({Event::Flush, end,
                                    handleBefore(anchor, dominance, end), 0, 0,
                                    "another path writes less"});
    Plan plan = Planner(trial, dominance, frequencies).run();
    if (plan.blocker || plan.cost >= best.cost)
      continue;
    best = std::move(plan);
    anchor = std::move(trial);
    flow.emplace(anchor, dominance);
  }
  return best;
}

} // namespace karakal::passes::pac
