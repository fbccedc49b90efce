// Messages on rings: the operations of ir/dialect/BakerMessages.td.
//
// After baker-phr a packet's head and length are values. The descriptor is
// up to date only where another engine or the XScale core reads it. A message
// to Tx carries everything that Tx needs.

#include "ir/interp/InterpreterState.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

bool Interpreter::executeMessage(Operation &op, Values &values) {
  auto number = [&](Value value) {
    return uint32_t(values[value].getZExtValue());
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](PacketTakeOp take) {
        values[take.getPacket()] =
            APInt(64, number(take.getFirst()) & target::HandleMask);
        return true;
      })
      .Case([&](PacketKeepOp keep) {
        if (packetOf(keep.getPacket(), values))
          values[keep.getWord()] =
              APInt(32, handleOf(values[keep.getPacket()]));
        return true;
      })
      .Case([&](PacketHeldOp held) {
        values[held.getHeld()] =
            APInt(1, handleOf(values[held.getPacket()]) != 0);
        return true;
      })
      .Case([&](PacketViewOp view) {
        values[view.getView()] = packetWithHead(
            handleOf(values[view.getPacket()]), number(view.getHead()));
        return true;
      })
      .Case([&](PacketCloneOp clone) {
        if (packetOf(clone.getPacket(), values)) {
          uint32_t copied = machine.copy(handleOf(values[clone.getPacket()]));
          machine.find(copied)->descriptor.fill(~uint32_t(0)); // undefined
          values[clone.getClone()] = APInt(64, copied);
        }
        return true;
      })
      .Case([&](PacketSendOp send) {
        PacketCell *packet = packetOf(send.getPacket(), values);
        if (!packet)
          return true;
        if (send.getHeadLength()) {
          constexpr uint32_t txShift = 16;
          packet->descriptor[target::DescriptorHeadLength] =
              number(send.getHeadLength());
          packet->descriptor[target::DescriptorPorts] =
              (number(send.getPort()) & 0xff) << txShift;
        }
        uint32_t first = uint32_t(send.getId()) << target::RingChannelShift |
                         handleOf(values[send.getPacket()]);
        if (Value message = send.getMessage())
          values[message] = APInt(32, first);
        else
          putMessage(send.getRing(), {first, 0});
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
