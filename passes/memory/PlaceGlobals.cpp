// The placement of global data.
//
// Translates a program into the problem of Placement.h, and the solution into
// `baker.placement`. Counts the accesses of PPFs on engines and of the
// functions that they call, but not those of control and init functions, which
// run when few packets wait. Globals without accesses in the profile are placed
// in a second step, by the accesses in the code. So are all without a profile,
// where each PPF gets its part of the packets (PacketShares.h).
//
// Other commands also load the units (UnitLoads.h).

#include "passes/memory/PlaceGlobals.h"

#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "passes/memory/PacketShares.h"
#include "passes/memory/Placement.h"
#include "passes/memory/UnitLoads.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LineRate.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr uint64_t bytesPerWord = 4, bytesPerQuadword = 8;
constexpr StringLiteral passName = "assign-memory";

/// The free bytes after the globals of a memory that engines can cache, for its
/// version word.
constexpr uint64_t versionBytes = bytesPerWord;

/// A set of memories: bit `indexOf(memory)`, the memory's index in the problem.
using MemorySet = uint32_t;

/// The range of a memory in which globals lie.
struct MemoryRange {
  target::Memory memory;
  uint64_t begin, end, alignment;
  const char *name() const { return target::memoryName(memory); }
};

/// The memories of a chip that can hold globals, in the order of the problem.
class MemoryRanges {
public:
  explicit MemoryRanges(const target::ChipParameters &chip) {
    for (target::Memory memory : target::sharedMemories(chip)) {
      target::GlobalsRange range = target::globalsRange(memory, chip);
      uint64_t version = memory == target::Memory::Dram ? 0 : versionBytes;
      ranges.push_back(
          {memory, range.begin, range.end - version, range.alignment});
    }
  }
  const MemoryRange &operator[](unsigned index) const { return ranges[index]; }
  unsigned size() const { return unsigned(ranges.size()); }
  /// Returns the index of a memory, or nothing if it holds no globals.
  std::optional<unsigned> indexOf(target::Memory memory) const {
    for (unsigned m = 0; m < size(); ++m)
      if (ranges[m].memory == memory)
        return m;
    return std::nullopt;
  }
  /// Returns the set of one memory; empty if the chip does not have it.
  MemorySet only(target::Memory memory) const {
    std::optional<unsigned> index = indexOf(memory);
    return index ? 1u << *index : 0;
  }
  MemorySet all() const { return (1u << size()) - 1; }
  MemorySet anySram() const {
    MemorySet set = 0;
    for (const MemoryRange &range : ranges)
      set |= target::isSram(range.memory) ? only(range.memory) : 0;
    return set;
  }

private:
  SmallVector<MemoryRange> ranges;
};

uint64_t bytesOf(ir::GlobalOp global) {
  return ir::wordCount(global.getType()) * bytesPerWord;
}

/// The accesses of a global by engines, per packet.
struct Use {
  double accesses = 0, words = 0;
  /// If the profile has none: those of a packet on another path.
  double unseenAccesses = 0, unseenWords = 0;
  bool isWritten = false;
  bool isCounter = false; ///< has atomic additions, which DRAM cannot do
};

/// Adds the accesses of `function`, each counted once per packet that comes.
void countAccesses(func::FuncOp function, double packets,
                   DenseMap<Operation *, Use> &uses) {
  function.walk([&](Operation *op) {
    auto load = dyn_cast<ir::LoadOp>(op);
    auto store = dyn_cast<ir::StoreOp>(op);
    auto atomic = dyn_cast<ir::AtomicOp>(op);
    if (!load && !store && !atomic)
      return;
    Value ref = load ? load.getRef() : store ? store.getRef() : atomic.getRef();
    ir::GlobalOp global = ir::globalOf(ref);
    if (!global)
      return;
    Use &use = uses[global];
    use.accesses += packets;
    use.words += packets * double(ir::wordCount(ir::pointeeOf(ref)));
    use.isWritten |= !load;
  });
}

/// Replaces the accesses counted in the code by those of the profile.
void takeProfile(ModuleOp module, DenseMap<Operation *, Use> &uses) {
  std::optional<ir::ProgramProfile> program = ir::profileOf(module);
  if (!program || program->received == 0)
    return;
  double packets = double(program->received);
  for (auto global : module.getOps<ir::GlobalOp>())
    if (std::optional<ir::GlobalProfile> profile = ir::profileOf(global)) {
      Use &use = uses[global];
      double accesses = double(profile->reads + profile->writes) / packets;
      if (accesses == 0) {
        use.unseenAccesses = use.accesses;
        use.unseenWords = use.words;
      }
      use.accesses = accesses;
      use.words = double(profile->readWords + profile->writeWords) / packets;
    }
}

/// Returns the uses of all globals by code that may run on engines.
DenseMap<Operation *, Use> countUses(ModuleOp module) {
  SmallVector<func::FuncOp> ppfs;
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::isPpf(function) && !function->hasAttr(ir::coldAttrName))
      ppfs.push_back(function);
  DenseMap<Operation *, Use> uses;
  if (ir::profileOf(module)) {
    for (func::FuncOp function : ir::reachableFrom(ppfs))
      countAccesses(function, 1, uses);
    takeProfile(module, uses);
    return uses;
  }
  PacketShares shares = packetShares(module);
  for (func::FuncOp ppf : ppfs)
    for (func::FuncOp function : ir::reachableFrom(ppf))
      countAccesses(function, shares.lookup(ppf), uses);
  return uses;
}

/// Returns a memory of the chip.
PlacementMemory memoryOf(const MemoryRange &range,
                         const target::ChipParameters &chip) {
  PlacementMemory memory;
  memory.name = range.name();
  memory.bytes = range.end - range.begin;
  switch (range.memory) {
  case target::Memory::Scratch:
    memory.latencyCycles = double(chip.scratchLatency);
    memory.opCycles = double(chip.scratchOpCycles);
    memory.wordCycles = double(chip.scratchWordCycles);
    break;
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3:
    memory.latencyCycles = double(chip.sramLatency);
    memory.opCycles = double(chip.sramOpCycles);
    memory.wordCycles = double(chip.sramWordCycles);
    break;
  case target::Memory::Dram:
    memory.latencyCycles = double(chip.dramLatency);
    memory.opCycles = double(chip.dramQuadCycles * chip.dramBurstQuads) /
                      double(chip.dramChannels);
    break;
  case target::Memory::Local:
    KARAKAL_UNREACHABLE("each engine has its own local memory");
  }
  return memory;
}

/// Returns the memories that satisfy a request of the source.
MemorySet memoriesOf(ir::MemoryRequest request, const MemoryRanges &ranges) {
  switch (request) {
  case ir::MemoryRequest::Scratch:
    return ranges.only(target::Memory::Scratch);
  case ir::MemoryRequest::Sram:
    return ranges.anySram();
  case ir::MemoryRequest::Sram0:
    return ranges.only(target::Memory::Sram0);
  case ir::MemoryRequest::Sram1:
    return ranges.only(target::Memory::Sram1);
  case ir::MemoryRequest::Sram2:
    return ranges.only(target::Memory::Sram2);
  case ir::MemoryRequest::Sram3:
    return ranges.only(target::Memory::Sram3);
  case ir::MemoryRequest::Dram:
    return ranges.only(target::Memory::Dram);
  }
  KARAKAL_UNREACHABLE("no such request");
}

/// Places the globals of one program.
class Placer {
public:
  Placer(ModuleOp module, const PlacementOptions &options)
      : module(module), copyWords(options.copyWords), ranges(options.chip),
        uses(countUses(module)) {
    problem.packetsPerCycle =
        target::lineRate(options.chip) / double(options.chip.meClockHz);
    std::map<target::Memory, double> loads =
        unitLoads(module, options.chip, options.usesDescriptors);
    for (unsigned m = 0; m < ranges.size(); ++m) {
      problem.memories.push_back(memoryOf(ranges[m], options.chip));
      problem.memories.back().busyCycles = loads[ranges[m].memory];
      next.push_back(ranges[m].begin);
    }
    module.walk([&](ir::AtomicOp atomic) {
      if (ir::GlobalOp global = ir::globalOf(atomic.getRef()))
        uses[global].isCounter = true;
    });
  }

  LogicalResult run();

private:
  void keepPlaced(ir::GlobalOp global, const ir::Placement &placement);
  LogicalResult add(ir::GlobalOp global);
  PlacementResult placeUnseen(PlacementResult result) const;
  LogicalResult reportMisfit();
  void setPlacements(const PlacementResult &result);
  uint64_t leftIn(unsigned memory, const PlacementResult &result) const;
  std::string reasonFor(size_t item, const PlacementResult &result) const;

  ModuleOp module;
  unsigned copyWords;
  const MemoryRanges ranges;
  DenseMap<Operation *, Use> uses;
  PlacementProblem problem;
  std::vector<ir::GlobalOp> globals; ///< of the problem's items
  SmallVector<uint64_t> next;        ///< free byte of each memory
};

/// Reserves the bytes of a global that already has an address.
void Placer::keepPlaced(ir::GlobalOp global, const ir::Placement &placement) {
  if (std::optional<unsigned> m = ranges.indexOf(placement.memory))
    next[*m] =
        std::max<uint64_t>(next[*m], placement.address + bytesOf(global));
}

LogicalResult Placer::add(ir::GlobalOp global) {
  constexpr double leastAccesses = 1e-5; // prefers near memory for cold globals
  Use use = uses.lookup(global);
  PlacementItem item;
  item.bytes = llvm::alignTo(bytesOf(global), bytesPerQuadword);
  item.accesses = std::max(use.accesses, leastAccesses);
  item.words = std::max(use.words, leastAccesses);
  item.allowed = ranges.all();
  MemorySet dram = ranges.only(target::Memory::Dram);
  // An engine's copy will serve the packets, so its home need not be near.
  bool hasCopy = ir::profileOf(module) && use.accesses > 0 && !use.isWritten &&
                 !use.isCounter && item.bytes <= copyWords * bytesPerWord;
  if (hasCopy)
    item.allowed &= ~ranges.only(target::Memory::Scratch);
  if (std::optional<ir::MemoryRequest> request = ir::requestedMemoryOf(global))
    item.allowed = memoriesOf(*request, ranges);
  if (item.allowed == 0)
    return global.emitError()
           << "the variable '" << global.getSymName() << "' cannot go to "
           << ir::stringifyMemoryRequest(*ir::requestedMemoryOf(global))
           << ": the chip has no such memory [E-passes-002]";
  if (use.isWritten && item.allowed == dram)
    return global.emitError()
           << "the variable '" << global.getSymName()
           << "' cannot go to dram: engines write it, and DRAM has no "
              "single-word writes [E-passes-003]";
  if (use.isWritten || use.isCounter)
    item.allowed &= ~dram;
  globals.push_back(global);
  problem.items.push_back(item);
  return mlir::success();
}

/// Places again what the profile does not show, each global as if only its own
/// packets were on the chip: other traffic than the profile's uses few of the
/// globals, and loads the memories differently.
PlacementResult Placer::placeUnseen(PlacementResult result) const {
  PlacementProblem alone = problem;
  std::vector<size_t> unseen;
  for (size_t i = 0; i < globals.size(); ++i)
    if (uses.lookup(globals[i]).unseenAccesses != 0)
      unseen.push_back(i);
    else
      alone.memories[result.memoryOf[i]].bytes -= problem.items[i].bytes;
  llvm::stable_sort(unseen, [&](size_t a, size_t b) {
    return problem.items[a].bytes > problem.items[b].bytes;
  });
  std::vector<unsigned> memoryOf = result.memoryOf;
  for (size_t i : unseen) {
    Use use = uses.lookup(globals[i]);
    alone.items = {{problem.items[i].bytes, use.unseenAccesses, use.unseenWords,
                    problem.items[i].allowed}};
    PlacementResult made = place(alone);
    if (made.memoryOf.empty())
      return result;
    memoryOf[i] = made.memoryOf.front();
    alone.memories[memoryOf[i]].bytes -= problem.items[i].bytes;
  }
  result.memoryOf = memoryOf;
  result.waitCycles = waitCycles(problem, memoryOf);
  return result;
}

/// Reports the sizes needed and available, and the largest globals.
LogicalResult Placer::reportMisfit() {
  std::vector<size_t> largest(globals.size());
  for (size_t i = 0; i < largest.size(); ++i)
    largest[i] = i;
  llvm::stable_sort(largest, [&](size_t a, size_t b) {
    return problem.items[a].bytes > problem.items[b].bytes;
  });
  // Fill in that order and name the first global that does not fit.
  std::vector<uint64_t> left;
  for (const PlacementMemory &memory : problem.memories)
    left.push_back(memory.bytes);
  for (size_t item : largest) {
    const PlacementItem &needs = problem.items[item];
    unsigned emptiest = ranges.size();
    for (unsigned m = 0; m < ranges.size(); ++m)
      if ((needs.allowed >> m & 1) &&
          (emptiest == ranges.size() || left[m] > left[emptiest]))
        emptiest = m;
    if (left[emptiest] >= needs.bytes) {
      left[emptiest] -= needs.bytes;
      continue;
    }
    ir::GlobalOp global = globals[item];
    InFlightDiagnostic diagnostic = global.emitError()
                                    << "the variable '" << global.getSymName()
                                    << "' does not fit: " << needs.bytes
                                    << " bytes needed";
    for (unsigned m = 0; m < ranges.size(); ++m)
      if (needs.allowed >> m & 1)
        diagnostic << ", " << left[m] << " of "
                   << ranges[m].end - ranges[m].begin << " left in "
                   << ranges[m].name();
    diagnostic << " [E-passes-001]";
    for (size_t other : ArrayRef(largest).take_front(5))
      diagnostic.attachNote(globals[other].getLoc())
          << "'" << globals[other].getSymName() << "' takes "
          << bytesOf(globals[other]) << " bytes";
    return diagnostic;
  }
  return module.emitError() << "the global data do not fit the memories "
                               "[E-passes-006]";
}

/// The bytes of a memory that no global takes.
uint64_t Placer::leftIn(unsigned memory, const PlacementResult &result) const {
  uint64_t taken = 0;
  for (size_t i = 0; i < globals.size(); ++i)
    taken += result.memoryOf[i] == memory ? problem.items[i].bytes : 0;
  KARAKAL_ASSERT(taken <= problem.memories[memory].bytes,
                 "a memory holds its globals");
  return problem.memories[memory].bytes - taken;
}

std::string Placer::reasonFor(size_t item,
                              const PlacementResult &result) const {
  if (globals[item]->hasAttr(ir::placementInAttrName))
    return "requested in the source";
  const PlacementItem &needs = problem.items[item];
  std::string reason = llvm::formatv(
      "{0:f2} accesses per packet of {1:f2} words, {2} bytes", needs.accesses,
      needs.words / needs.accesses, bytesOf(globals[item]));
  auto mayMove = [&](unsigned m) {
    PlacementResult other = result;
    other.memoryOf[item] = m;
    return llvm::formatv("; in {0} a packet would wait {1:f2} more cycles",
                         ranges[m].name(),
                         waitCycles(problem, other.memoryOf) -
                             result.waitCycles)
        .str();
  };
  unsigned chosen = result.memoryOf[item];
  for (unsigned m = 0; m < ranges.size(); ++m) {
    bool isOffered =
        target::isSram(ranges[chosen].memory) ||
        ((needs.allowed >> m & 1) && needs.bytes <= leftIn(m, result));
    if (m != chosen && target::isSram(ranges[m].memory) && isOffered &&
        ranges[chosen].memory != target::Memory::Scratch)
      reason += mayMove(m);
  }
  unsigned scratch = *ranges.indexOf(target::Memory::Scratch);
  if (chosen != scratch && (needs.allowed >> scratch & 1)) {
    if (needs.bytes > problem.memories[scratch].bytes)
      reason += "; too large for scratch";
    else if (needs.bytes > leftIn(scratch, result))
      reason += "; scratch is full";
    else
      reason += mayMove(scratch);
  }
  return reason;
}

void Placer::setPlacements(const PlacementResult &result) {
  for (size_t item = 0; item < globals.size(); ++item) {
    unsigned memory = result.memoryOf[item];
    uint64_t address = llvm::alignTo(next[memory], ranges[memory].alignment);
    next[memory] = address + bytesOf(globals[item]);
    KARAKAL_ASSERT(next[memory] <= ranges[memory].end,
                   "a memory holds the globals that were assigned to it");
    ir::setPlacement(globals[item], {ranges[memory].memory, uint32_t(address)});
    std::string reason = reasonFor(item, result);
    globals[item]->setAttr(ir::placementReasonAttrName,
                           StringAttr::get(module.getContext(), reason));
    ir::explain(globals[item], passName)
        << "@" << globals[item].getSymName() << " in " << ranges[memory].name()
        << ": " << reason;
  }
}

LogicalResult Placer::run() {
  for (auto global : module.getOps<ir::GlobalOp>()) {
    if (ir::isLocal(global)) // baker-place-locals
      continue;
    if (std::optional<ir::Placement> placement = ir::placementOf(global))
      keepPlaced(global, *placement);
    else if (failed(add(global)))
      return failure();
  }
  for (unsigned m = 0; m < ranges.size(); ++m)
    problem.memories[m].bytes =
        next[m] < ranges[m].end ? ranges[m].end - next[m] : 0;
  PlacementResult result = place(problem);
  if (result.memoryOf.empty() && !globals.empty())
    return reportMisfit();
  setPlacements(placeUnseen(result));
  return mlir::success();
}

} // namespace

LogicalResult placeGlobals(ModuleOp module, const PlacementOptions &options) {
  return Placer(module, options).run();
}

} // namespace karakal::passes
