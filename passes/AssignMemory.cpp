//===- AssignMemory.cpp - places for globals, metadata, channels ----------===//
//
// Globals go to the two SRAM channels, the largest first, each to the channel
// with the most room left: simple, and it spreads tables, and with them the
// look-ups of a packet, over both channels. Metadata fields take the user
// words of the packet descriptor in order of declaration; channels are
// numbered in order, from 1.
//
// Requires: nothing. Ensures: every global has `baker.place`, every metadata
// field `baker.word`, every channel `baker.id`, or an error tells what does
// not fit. Cost: linear, and a sort of the globals.
//
//===----------------------------------------------------------------------===//

#include "ir/Attributes.h"
#include "ir/Layout.h"
#include "passes/Passes.h"
#include "target-ixp/MemoryMap.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_ASSIGNMEMORY
#include "passes/Passes.h.inc"

namespace {

constexpr uint64_t bytesPerWord = 4;
constexpr uint32_t metadataWordsMax =
    target::DescriptorWords - target::DescriptorMetadata;
/// A message has 8 bits for the channel.
constexpr uint32_t channelIdMax = 255;

/// A memory that globals may go to; filled from `next` to `end`.
struct Memory {
  StringRef name;
  uint64_t begin, end, next;

  uint64_t bytesFree() const { return end - next; }
};

uint64_t bytesOf(ir::GlobalOp global) {
  return ir::wordCount(global.getType()) * bytesPerWord;
}

class AssignMemory : public impl::AssignMemoryBase<AssignMemory> {
  void runOnOperation() override;

  LogicalResult placeGlobals();
  LogicalResult numberMetadata();
  LogicalResult numberChannels();
  LogicalResult checkDropReasons();
};

/// Sorts by size; globals of one size keep the order of declaration.
void sortLargestFirst(SmallVectorImpl<ir::GlobalOp> &globals) {
  SmallVector<std::pair<uint64_t, size_t>> keys;
  for (auto [index, global] : llvm::enumerate(globals))
    keys.push_back({~bytesOf(global), index});
  llvm::sort(keys);
  SmallVector<ir::GlobalOp> sorted;
  for (auto [size, index] : keys)
    sorted.push_back(globals[index]);
  globals.assign(sorted);
}

/// Keeps what is placed already out of the room for the rest.
void reserve(MutableArrayRef<Memory> memories, ir::GlobalOp global,
             const ir::Place &place) {
  for (Memory &memory : memories)
    if (memory.name == place.memory)
      memory.next =
          std::max<uint64_t>(memory.next, place.address + bytesOf(global));
}

/// Says what was needed, what there was, and who took it.
LogicalResult reportNoRoom(ir::GlobalOp global, ArrayRef<Memory> memories,
                           ArrayRef<ir::GlobalOp> largestFirst) {
  InFlightDiagnostic diagnostic = global.emitError()
                                  << "global @" << global.getSymName()
                                  << " does not fit: " << bytesOf(global)
                                  << " bytes needed";
  for (const Memory &memory : memories) {
    uint64_t left = memory.next < memory.end ? memory.bytesFree() : 0;
    diagnostic << ", " << left << " of " << memory.end - memory.begin
               << " left in " << memory.name;
  }
  for (ir::GlobalOp other : largestFirst.take_front(5))
    diagnostic.attachNote(other.getLoc())
        << "@" << other.getSymName() << " takes " << bytesOf(other) << " bytes";
  return diagnostic;
}

LogicalResult AssignMemory::placeGlobals() {
  Memory memories[] = {
      {"sram0", target::Sram0GlobalsBase, target::StackSramBase,
       target::Sram0GlobalsBase},
      {"sram1", target::Sram1GlobalsBase, target::SramChannelBytes,
       target::Sram1GlobalsBase},
  };
  SmallVector<ir::GlobalOp> globals;
  for (auto global : getOperation().getOps<ir::GlobalOp>()) {
    byteCount += bytesOf(global);
    ++globalCount;
    if (std::optional<ir::Place> place = ir::placeOf(global))
      reserve(memories, global, *place);
    else
      globals.push_back(global);
  }
  sortLargestFirst(globals);
  for (ir::GlobalOp global : globals) {
    Memory *roomiest =
        llvm::max_element(memories, [](const Memory &a, const Memory &b) {
          return int64_t(a.bytesFree()) < int64_t(b.bytesFree());
        });
    if (int64_t(roomiest->bytesFree()) < int64_t(bytesOf(global)))
      return reportNoRoom(global, memories, globals);
    ir::setPlace(global, {roomiest->name.str(), uint32_t(roomiest->next)});
    roomiest->next += bytesOf(global);
  }
  return success();
}

LogicalResult AssignMemory::numberMetadata() {
  uint32_t next = 0;
  for (auto field : getOperation().getOps<ir::MetadataOp>()) {
    uint32_t count = ir::metadataWordCount(field.getType());
    if (next + count > metadataWordsMax)
      return field.emitError()
             << "metadata field @" << field.getSymName()
             << " does not fit: " << count << " words needed, "
             << metadataWordsMax - next << " of " << metadataWordsMax
             << " left in the packet's descriptor";
    ir::setNumber(field, ir::wordAttrName, next);
    next += count;
  }
  metadataWordCount += next;
  return success();
}

LogicalResult AssignMemory::numberChannels() {
  uint32_t next = 1;
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (next > channelIdMax)
      return channel.emitError() << "channel @" << channel.getSymName()
                                 << " does not fit: a program has at most "
                                 << channelIdMax << " channels";
    ir::setNumber(channel, ir::idAttrName, next++);
  }
  return success();
}

LogicalResult AssignMemory::checkDropReasons() {
  size_t count = ir::dropReasonsOf(getOperation()).size();
  if (count <= target::DropCounterCount)
    return success();
  return getOperation().emitError()
         << "the drop reasons do not fit: " << count << " counters needed, "
         << target::DropCounterCount << " available";
}

void AssignMemory::runOnOperation() {
  if (failed(placeGlobals()) || failed(numberMetadata()) ||
      failed(numberChannels()) || failed(checkDropReasons()))
    signalPassFailure();
}

} // namespace

} // namespace karakal::passes
