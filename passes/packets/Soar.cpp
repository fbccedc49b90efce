// Static offset and alignment resolution.
//
// Where is the head of each packet when an operation uses it? In most programs
// on most paths the answer is a constant, and the access needs neither the
// head pointer nor variable shifts; on others at least its remainder modulo 8
// or 4 is known, and with it the shifts:
//
//   %ph = baker.packet_take %m0, %m1 from_rx             head: 128
//   %ih = baker.packet_decap %ph, %c14                   before it: 128
//   %t = baker.packet_read %ih "ttl"                     142
//   %in = baker.packet_decap %ih, %ihl_times_4           142
//   %p = baker.packet_read %in "src_port"                6 modulo 4: 2
//
// The answer is the attribute `baker.head`, which baker-to-llvm obeys.
//
// Section 5.3.2 of the paper, Figures 10 and 11. Requires: nothing; best after
// baker-inline. Ensures: `baker.head` on what uses packets, where it is known.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "passes/Passes.h"
#include "passes/packets/HeadAnalysis.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_SOAR
#define GEN_PASS_DEF_CHANNELHEADS
#include "passes/Passes.h.inc"

namespace {

/// The packet that `op`, an operation of the baker dialect, is about.
Value packetOf(Operation *op) {
  if (op->getDialect() && op->getDialect()->getNamespace() == "baker")
    for (Value operand : op->getOperands())
      if (isa<ir::PacketType>(operand.getType()))
        return operand;
  return {};
}

bool isAccess(Operation *op) {
  return isa<ir::PacketReadOp, ir::PacketWriteOp, ir::PacketLoadOp,
             ir::PacketStoreOp>(op);
}

/// Why the head of `packet` is not known, as far as one step tells.
std::string reasonOf(Value packet) {
  if (isa<BlockArgument>(packet))
    return "paths with different heads meet";
  Operation *from = packet.getDefiningOp();
  if (isa<ir::PacketTakeOp>(from))
    return "the message comes from a channel whose heads differ";
  if (isa<ir::PacketDecapOp, ir::PacketEncapOp>(from))
    return "the head is moved by a number that is not known";
  return "its origin says nothing of it";
}

class Soar : public impl::SoarBase<Soar> {
public:
  using SoarBase::SoarBase;

private:
  void runOnOperation() override {
    HeadAnalysis heads(getOperation());
    getOperation().walk([&](Operation *op) {
      if (Value packet = packetOf(op))
        annotate(op, packet, heads.of(packet));
    });
  }

  void annotate(Operation *op, Value packet, const Residue &head);
};

void Soar::annotate(Operation *op, Value packet, const Residue &head) {
  ir::HeadAttr attribute = head.attribute(&getContext());
  if (attribute)
    op->setAttr(ir::headAttrName, attribute);
  else
    op->removeAttr(ir::headAttrName);
  if (!isAccess(op))
    return;
  if (attribute && attribute.isExact()) {
    ++offsetCount;
    return;
  }
  ++(attribute ? alignmentCount : unknownCount);
  if (attribute)
    ir::explain(op, "soar")
        << "no fixed offset, alignment modulo " << attribute.getModulus()
        << " only: " << reasonOf(packet);
  else
    ir::explain(op, "soar")
        << "neither offset nor alignment: " << reasonOf(packet);
}

class ChannelHeads : public impl::ChannelHeadsBase<ChannelHeads> {
public:
  using ChannelHeadsBase::ChannelHeadsBase;

private:
  void runOnOperation() override {
    HeadAnalysis heads(getOperation());
    for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
      if (channel.goesToTx())
        continue;
      ir::HeadAttr head = heads.ofChannel(channel).attribute(&getContext());
      if (!head)
        continue;
      channel->setAttr(ir::headAttrName, head);
      ++channelCount;
    }
  }
};

} // namespace

} // namespace karakal::passes
