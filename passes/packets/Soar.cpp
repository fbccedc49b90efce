// Static offset and alignment resolution.
//
// The pass finds the head of each packet at each operation that uses it. In
// most programs it is constant on most paths, so that an access needs neither
// the head pointer nor variable shifts. Otherwise its remainder modulo 8 or 4
// may be known, which makes the shifts constant:
//
//   %ph = baker.packet_take %m0, %m1 from_rx             head: 128
//   %ih = baker.packet_decap %ph, %c14                   before it: 128
//   %t = baker.packet_read %ih "ttl"                     142
//   %in = baker.packet_decap %ih, %ihl_times_4           142
//   %p = baker.packet_read %in "src_port"                6 modulo 4: 2
//
// The result is the attribute `baker.head`, which baker-to-llvm uses.
//
// Section 5.3.2 of the paper, Figures 10 and 11. Requires: nothing; best after
// baker-inline. Ensures: `baker.head` on each operation that uses a packet with
// a known head.

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

/// Returns the packet that `op` uses, or null.
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

/// Returns the reason why the head of `packet` is not known.
std::string reasonOf(Value packet) {
  if (isa<BlockArgument>(packet))
    return "paths with different heads meet";
  Operation *from = packet.getDefiningOp();
  if (isa<ir::PacketTakeOp>(from))
    return "the message comes from a channel with different heads";
  if (isa<ir::PacketDecapOp, ir::PacketEncapOp>(from))
    return "the head moves by an unknown number";
  return "its origin is unknown";
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
  if (attribute && attribute.isExact())
    return;
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
    }
  }
};

} // namespace

} // namespace karakal::passes
