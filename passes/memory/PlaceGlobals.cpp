// Places for global data.
//
// Translates a program into the problem of Placement.h and its solution into
// `baker.place`. Accesses are those of PPFs and of what they call, on engines:
// control and init functions run when few packets wait.
//
// What others load the units with, in cycles a packet: rings and their
// polling in scratch; in SRAM channel 0 the free list, and the descriptor that
// Rx writes and Tx reads; in DRAM the frame in and out and the header between.

#include "passes/memory/PlaceGlobals.h"

#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "passes/memory/Placement.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr uint64_t bytesPerWord = 4;
constexpr StringLiteral passName = "assign-memory";

/// Packets a second of 64 bytes at 2.5 Gbit/s, the chip's design point.
constexpr double designPackets = 2.5e9 / (64 * 8);

enum MemoryIndex : unsigned { Scratch, Sram0, Sram1, Dram, MemoryCount };
constexpr uint32_t maskOf(unsigned memory) { return 1u << memory; }
constexpr uint32_t anyMemory = (1u << MemoryCount) - 1;

/// Where in each memory globals lie, and how DRAM's pairs align them.
struct Room {
  StringLiteral name;
  uint64_t begin, end, alignment;
};
using Rooms = std::array<Room, MemoryCount>;

/// What stays free behind the globals of a memory whose words engines may
/// cache: their version word.
constexpr uint64_t versionBytes = bytesPerWord;

/// `sramBytes`: of a channel. Stacks lie at the end of channel 0.
Rooms roomsOf(uint64_t sramBytes) {
  return {{{"scratch", target::ScratchGlobalsBase,
            target::ScratchGlobalsEnd - versionBytes, 4},
           {"sram0", target::Sram0GlobalsBase,
            sramBytes - target::StackSramBytes - versionBytes, 4},
           {"sram1", target::Sram1GlobalsBase, sramBytes - versionBytes, 4},
           {"dram", target::DramGlobalsBase, target::XScaleBase, 8}}};
}

uint64_t bytesOf(ir::GlobalOp global) {
  return ir::wordCount(global.getType()) * bytesPerWord;
}

/// What the engines do with a global, a packet.
struct Use {
  double accesses = 0, words = 0;
  bool isWritten = false;
  bool isCounter = false; ///< added to atomically, which DRAM cannot
};

/// Adds the accesses of `function`, each counted once a packet.
void countAccesses(func::FuncOp function, DenseMap<Operation *, Use> &uses) {
  function.walk([&](Operation *op) {
    auto load = dyn_cast<ir::LoadOp>(op);
    auto store = dyn_cast<ir::StoreOp>(op);
    auto add = dyn_cast<ir::AtomicAddOp>(op);
    if (!load && !store && !add)
      return;
    Value ref = load ? load.getRef() : store ? store.getRef() : add.getRef();
    ir::GlobalOp global = ir::globalOf(ref);
    if (!global)
      return;
    Use &use = uses[global];
    use.accesses += 1;
    use.words += double(ir::wordCount(ir::pointeeOf(ref)));
    use.isWritten |= !load;
  });
}

/// Puts what the profile counted in place of what the text shows.
void takeProfile(ModuleOp module, DenseMap<Operation *, Use> &uses) {
  std::optional<ir::ProgramProfile> program = ir::profileOf(module);
  if (!program || program->received == 0)
    return;
  double packets = double(program->received);
  for (auto global : module.getOps<ir::GlobalOp>())
    if (std::optional<ir::GlobalProfile> profile = ir::profileOf(global)) {
      Use &use = uses[global];
      use.accesses = double(profile->reads + profile->writes) / packets;
      use.words = double(profile->readWords + profile->writeWords) / packets;
    }
}

/// Uses of all globals by code that may run on engines.
DenseMap<Operation *, Use> countUses(ModuleOp module) {
  SmallVector<func::FuncOp> ppfs;
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::isPpf(function) && !function->hasAttr(ir::coldAttrName))
      ppfs.push_back(function);
  DenseMap<Operation *, Use> uses;
  for (func::FuncOp function : ir::reachableFrom(ppfs))
    countAccesses(function, uses);
  takeProfile(module, uses);
  return uses;
}

std::vector<PlacementMemory> chipMemories(const Rooms &rooms,
                                          double maxScratch) {
  target::ChipParameters chip;
  std::vector<PlacementMemory> memories(MemoryCount);
  for (unsigned m = 0; m < MemoryCount; ++m) {
    memories[m].name = rooms[m].name.str();
    memories[m].bytes = rooms[m].end - rooms[m].begin;
  }
  memories[Scratch].latencyCycles = double(chip.scratchLatency);
  memories[Scratch].opCycles = double(chip.scratchOpCycles);
  memories[Scratch].wordCycles = double(chip.scratchWordCycles);
  memories[Scratch].accessesMax = maxScratch;
  // Two rings, a put and a get each, and as many polls that find nothing.
  memories[Scratch].busyCycles = 8.0 * double(chip.scratchOpCycles);
  for (unsigned m : {Sram0, Sram1}) {
    memories[m].latencyCycles = double(chip.sramLatency);
    memories[m].opCycles = double(chip.sramOpCycles);
    memories[m].wordCycles = double(chip.sramWordCycles);
  }
  // Dequeue and enqueue; a descriptor's words written, read, written, read.
  memories[Sram0].busyCycles =
      2.0 * double(chip.sramQueueCycles) +
      4.0 * double(chip.sramOpCycles + 3 * chip.sramWordCycles);
  memories[Dram].latencyCycles = double(chip.dramLatency);
  memories[Dram].opCycles = double(chip.dramQuadCycles * chip.dramBurstQuads);
  // Frame in, header read and written, frame out: a burst and another each.
  memories[Dram].busyCycles = 8.0 * memories[Dram].opCycles;
  return memories;
}

/// The memories that the annotation asks for; all if there is none.
uint32_t wantedMemories(const Rooms &rooms, ir::GlobalOp global) {
  auto wanted = global->getAttrOfType<StringAttr>(ir::placeInAttrName);
  if (!wanted)
    return anyMemory;
  if (wanted == "sram")
    return maskOf(Sram0) | maskOf(Sram1);
  for (unsigned m = 0; m < MemoryCount; ++m)
    if (wanted == rooms[m].name)
      return maskOf(m);
  return anyMemory;
}

/// One run of the placement.
class Placer {
public:
  Placer(ModuleOp module, const PlacementOptions &options)
      : module(module), maxScratch(options.maxScratch),
        rooms(roomsOf(options.sramBytes)), uses(countUses(module)) {
    problem.memories = chipMemories(rooms, maxScratch);
    problem.packetsPerCycle =
        designPackets / double(target::ChipParameters().meClockHz);
    for (unsigned m = 0; m < MemoryCount; ++m)
      next[m] = rooms[m].begin;
    module.walk([&](ir::AtomicAddOp add) {
      if (ir::GlobalOp global = ir::globalOf(add.getRef()))
        uses[global].isCounter = true;
    });
  }

  LogicalResult run(PlacementStatistics &statistics);

private:
  void keepPlaced(ir::GlobalOp global, const ir::Place &place);
  LogicalResult add(ir::GlobalOp global);
  LogicalResult reportNoRoom();
  void setPlaces(const PlacementResult &result);
  std::string reasonFor(size_t item, const PlacementResult &result) const;

  ModuleOp module;
  double maxScratch;
  const Rooms rooms;
  DenseMap<Operation *, Use> uses;
  PlacementProblem problem;
  std::vector<ir::GlobalOp> globals; ///< of the problem's items
  uint64_t next[MemoryCount];
};

/// Keeps what is placed already out of the room for the rest.
void Placer::keepPlaced(ir::GlobalOp global, const ir::Place &place) {
  for (unsigned m = 0; m < MemoryCount; ++m)
    if (place.memory == rooms[m].name)
      next[m] = std::max<uint64_t>(next[m], place.address + bytesOf(global));
}

LogicalResult Placer::add(ir::GlobalOp global) {
  constexpr double leastAccesses = 1e-5; // the cold ones too rather lie near
  Use use = uses.lookup(global);
  PlacementItem item;
  item.bytes = llvm::alignTo(bytesOf(global), rooms[Dram].alignment);
  item.accesses = std::max(use.accesses, leastAccesses);
  item.words = std::max(use.words, leastAccesses);
  item.allowed = wantedMemories(rooms, global);
  if (use.isWritten && item.allowed == maskOf(Dram))
    return global.emitError()
           << "global @" << global.getSymName()
           << " cannot go to dram: engines write it, and DRAM has no writes of "
              "one word";
  if (use.isWritten || use.isCounter)
    item.allowed &= ~maskOf(Dram);
  // An annotation outranks the share of scratch that is kept for the rings.
  if (item.allowed == maskOf(Scratch))
    problem.memories[Scratch].accessesMax += item.accesses;
  globals.push_back(global);
  problem.items.push_back(item);
  return mlir::success();
}

/// Says what was needed, what there was, and who took most.
LogicalResult Placer::reportNoRoom() {
  std::vector<size_t> largest(globals.size());
  for (size_t i = 0; i < largest.size(); ++i)
    largest[i] = i;
  llvm::stable_sort(largest, [&](size_t a, size_t b) {
    return problem.items[a].bytes > problem.items[b].bytes;
  });
  // Fill in that order: the first without room is the one to name.
  std::vector<uint64_t> left;
  for (const PlacementMemory &memory : problem.memories)
    left.push_back(memory.bytes);
  for (size_t item : largest) {
    const PlacementItem &needs = problem.items[item];
    unsigned roomiest = MemoryCount;
    for (unsigned m = 0; m < MemoryCount; ++m)
      if ((needs.allowed >> m & 1) &&
          (roomiest == MemoryCount || left[m] > left[roomiest]))
        roomiest = m;
    if (left[roomiest] >= needs.bytes) {
      left[roomiest] -= needs.bytes;
      continue;
    }
    ir::GlobalOp global = globals[item];
    InFlightDiagnostic diagnostic = global.emitError()
                                    << "global @" << global.getSymName()
                                    << " does not fit: " << bytesOf(global)
                                    << " bytes needed";
    for (unsigned m = 0; m < MemoryCount; ++m)
      if (needs.allowed >> m & 1)
        diagnostic << ", " << left[m] << " of " << rooms[m].end - rooms[m].begin
                   << " left in " << rooms[m].name;
    for (size_t other : ArrayRef(largest).take_front(5))
      diagnostic.attachNote(globals[other].getLoc())
          << "@" << globals[other].getSymName() << " takes "
          << bytesOf(globals[other]) << " bytes";
    return diagnostic;
  }
  return module.emitError() << "the globals fit no memory together";
}

std::string Placer::reasonFor(size_t item,
                              const PlacementResult &result) const {
  if (globals[item]->hasAttr(ir::placeInAttrName))
    return "the source says so";
  const PlacementItem &needs = problem.items[item];
  std::string reason = llvm::formatv(
      "{0:f2} accesses a packet of {1:f2} words, {2} bytes", needs.accesses,
      needs.words / needs.accesses, bytesOf(globals[item]));
  auto mayMove = [&](unsigned m) {
    PlacementResult other = result;
    other.memoryOf[item] = m;
    return llvm::formatv(
               "; in {0} a packet would wait {1:f2} cycles more", rooms[m].name,
               waitCycles(problem, other.memoryOf) - result.waitCycles)
        .str();
  };
  unsigned chosen = result.memoryOf[item];
  if (chosen == Sram0 || chosen == Sram1)
    reason += mayMove(chosen == Sram0 ? Sram1 : Sram0);
  if (chosen != Scratch && (needs.allowed & maskOf(Scratch))) {
    if (needs.bytes > problem.memories[Scratch].bytes)
      reason += "; too large for scratch";
    else if (needs.accesses > maxScratch)
      reason +=
          llvm::formatv("; scratch takes {0:f2} accesses a packet", maxScratch);
  }
  return reason;
}

void Placer::setPlaces(const PlacementResult &result) {
  for (size_t item = 0; item < globals.size(); ++item) {
    unsigned memory = result.memoryOf[item];
    uint64_t address = llvm::alignTo(next[memory], rooms[memory].alignment);
    next[memory] = address + bytesOf(globals[item]);
    KARAKAL_ASSERT(next[memory] <= rooms[memory].end,
                   "a memory holds the globals that were assigned to it");
    ir::setPlace(globals[item], {rooms[memory].name.str(), uint32_t(address)});
    std::string reason = reasonFor(item, result);
    globals[item]->setAttr(ir::placeReasonAttrName,
                           StringAttr::get(module.getContext(), reason));
    ir::explain(globals[item], passName)
        << "@" << globals[item].getSymName() << " in " << rooms[memory].name
        << ": " << reason;
  }
}

LogicalResult Placer::run(PlacementStatistics &statistics) {
  for (auto global : module.getOps<ir::GlobalOp>()) {
    ++statistics.globals;
    statistics.bytes += bytesOf(global);
    if (std::optional<ir::Place> place = ir::placeOf(global))
      keepPlaced(global, *place);
    else if (failed(add(global)))
      return failure();
  }
  for (unsigned m = 0; m < MemoryCount; ++m)
    problem.memories[m].bytes =
        next[m] < rooms[m].end ? rooms[m].end - next[m] : 0;
  PlacementResult result = place(problem);
  statistics.nodes += result.nodeCount;
  if (result.memoryOf.empty() && !globals.empty())
    return reportNoRoom();
  setPlaces(result);
  return mlir::success();
}

} // namespace

LogicalResult placeGlobals(ModuleOp module, const PlacementOptions &options,
                           PlacementStatistics &statistics) {
  return Placer(module, options).run(statistics);
}

} // namespace karakal::passes
