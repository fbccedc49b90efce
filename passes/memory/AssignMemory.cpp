// Assigns addresses to globals, words to metadata and numbers to channels.
//
// PlaceGlobals.cpp places the globals. Metadata fields take the user words of
// the packet descriptor in order of declaration. Channels are numbered from 1
// in order.
//
// Requires: nothing. Ensures: every global has `baker.placement` unless the
// program is for the host, every metadata field `baker.word`, every channel
// `baker.id`; otherwise an error names the object that does not fit. Cost:
// linear, except for the search of PlaceGlobals.cpp.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "passes/Passes.h"
#include "passes/memory/PlaceGlobals.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_ASSIGNMEMORY
#include "passes/Passes.h.inc"

namespace {

constexpr uint32_t metadataWordsMax =
    target::DescriptorWords - target::DescriptorMetadata;
/// A message has 8 bits for the channel.
constexpr uint32_t channelIdMax = 255;

class AssignMemory : public impl::AssignMemoryBase<AssignMemory> {
public:
  using AssignMemoryBase::AssignMemoryBase;

private:
  void runOnOperation() override;

  LogicalResult numberMetadata();
  LogicalResult numberChannels();
};

LogicalResult AssignMemory::numberMetadata() {
  uint32_t next = 0;
  for (auto field : getOperation().getOps<ir::MetadataOp>()) {
    uint32_t count = ir::metadataWordCount(field.getType());
    if (next + count > metadataWordsMax)
      return field.emitError()
             << "the metadata field '" << field.getSymName()
             << "' does not fit: " << count << " words needed, "
             << metadataWordsMax - next << " of " << metadataWordsMax
             << " left in the packet's descriptor [E-passes-004]";
    ir::setNumber(field, ir::wordAttrName, next);
    next += count;
  }
  return mlir::success();
}

LogicalResult AssignMemory::numberChannels() {
  uint32_t next = 1;
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (next > channelIdMax)
      return channel.emitError() << "the channel '" << channel.getSymName()
                                 << "' does not fit: a program has at most "
                                 << channelIdMax << " channels [E-passes-005]";
    ir::setNumber(channel, ir::idAttrName, next++);
  }
  return mlir::success();
}

void AssignMemory::runOnOperation() {
  PlacementOptions options{descriptors, copyWords, ir::chipOf(getOperation())};
  bool isHost = core == ir::Core::Host;
  if ((!isHost && failed(placeGlobals(getOperation(), options))) ||
      failed(numberMetadata()) || failed(numberChannels()) ||
      failed(ir::checkDropReasons(getOperation())))
    return signalPassFailure();
  for (auto field : getOperation().getOps<ir::MetadataOp>())
    KARAKAL_ASSERT(ir::numberOf(field, ir::wordAttrName),
                   "every metadata field has a word");
  for (auto channel : getOperation().getOps<ir::ChannelOp>())
    KARAKAL_ASSERT(ir::numberOf(channel, ir::idAttrName),
                   "every channel has a number");
}

} // namespace

} // namespace karakal::passes
