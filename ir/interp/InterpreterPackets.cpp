// Fields and bursts of a packet, its head and tail, its beginning and end.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/interp/InterpreterState.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

PacketCell *Interpreter::packetOf(Value handle, Values &values) {
  PacketCell *packet = machine.find(handleOf(values[handle]));
  if (!packet)
    trap("use of a packet that has ended");
  return packet;
}

/// Returns the bits from the packet's head to element `index` of a field, and
/// the element's width in `width`.
static int64_t fieldPosition(Operation *op, PacketType type, StringRef name,
                             uint64_t index, unsigned &width) {
  ProtocolFieldAttr field = lookupField(op, type, name);
  width = field.getWidth();
  return int64_t(field.getOffset()) + int64_t(index) * width;
}

int64_t Interpreter::positionOf(const PacketCell &packet, Value value,
                                Values &values, int64_t bits) {
  uint64_t number = values[value].getZExtValue();
  uint32_t head =
      number & hasHead ? uint32_t(number >> headShift) & 0xffff : packet.head();
  return 8 * int64_t(head) + bits;
}

bool Interpreter::executeAccess(Operation &op, Values &values) {
  auto indexOf = [&](Value index) {
    return index ? values[index].getZExtValue() : 0;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](PacketReadOp read) {
        unsigned width;
        int64_t bits =
            fieldPosition(read, read.getPacket().getType(), read.getField(),
                          indexOf(read.getIndex()), width);
        if (PacketCell *packet = packetOf(read.getPacket(), values))
          values[read.getValue()] = APInt(
              width,
              machine.readBits(
                  *packet, positionOf(*packet, read.getPacket(), values, bits),
                  width));
        return true;
      })
      .Case([&](PacketWriteOp write) {
        unsigned width;
        int64_t bits =
            fieldPosition(write, write.getPacket().getType(), write.getField(),
                          indexOf(write.getIndex()), width);
        if (PacketCell *packet = packetOf(write.getPacket(), values))
          machine.writeBits(
              *packet, positionOf(*packet, write.getPacket(), values, bits),
              width, values[write.getValue()].getZExtValue());
        return true;
      })
      .Case([&](PacketLoadOp load) {
        if (PacketCell *packet = packetOf(load.getPacket(), values))
          for (auto [i, word] : llvm::enumerate(load.getWords()))
            values[word] =
                APInt(32, machine.readBits(
                              *packet,
                              positionOf(*packet, load.getPacket(), values,
                                         8 * (int64_t(int32_t(load.getAt())) +
                                              4 * int64_t(i))),
                              32));
        return true;
      })
      .Case([&](PacketStoreOp store) {
        PacketCell *packet = packetOf(store.getPacket(), values);
        uint64_t mask = store.byteMask();
        if (packet && store.getAligned() &&
            positionOf(*packet, store.getPacket(), values,
                       8 * int64_t(int32_t(store.getAt()))) %
                    64 !=
                0)
          trap("a store marked aligned is not aligned");
        for (unsigned byte = 0; packet && byte < 4 * store.getWords().size();
             ++byte)
          if (mask >> byte & 1) {
            uint64_t word = values[store.getWords()[byte / 4]].getZExtValue();
            machine.writeBits(
                *packet,
                positionOf(*packet, store.getPacket(), values,
                           8 * (int64_t(int32_t(store.getAt())) + byte)),
                8, word >> (24 - byte % 4 * 8) & 0xff);
          }
        return true;
      })
      .Default([](Operation *) { return false; });
}

void Interpreter::moveHead(Values &values, Value from, Value to,
                           int64_t bytes) {
  PacketCell *packet = packetOf(from, values);
  if (!packet)
    return;
  if (bytes < 0 && packet->head() < uint64_t(-bytes))
    return trap("no space before the packet");
  packet->setHead(uint32_t(packet->head() + bytes),
                  uint32_t(packet->length() - bytes));
  values[to] = APInt(values[from]); // a copy: the table may grow
}

void Interpreter::moveTail(Values &values, Value from, Value to,
                           int64_t bytes) {
  PacketCell *packet = packetOf(from, values);
  if (!packet)
    return;
  uint32_t end = packet->head() + packet->length();
  if (end + bytes > target::BufferBytes || packet->length() + bytes < 0)
    return trap("no space after the packet");
  clearBytes(*packet, end, bytes);
  packet->setHead(packet->head(), uint32_t(packet->length() + bytes));
  values[to] = APInt(values[from]); // a copy: the table may grow
}

void Interpreter::clearBytes(PacketCell &packet, int64_t at, int64_t bytes) {
  for (int64_t byte = at; byte < at + bytes; ++byte)
    machine.writeBits(packet, 8 * byte, 8, 0);
}

uint32_t Interpreter::allocateCleared(int64_t bytes) {
  uint32_t handle = machine.allocate();
  clearBytes(*machine.find(handle), target::BufferHeadroom, bytes);
  return handle;
}

/// Operations that move a packet's head or tail, or begin a packet.
bool Interpreter::executeFraming(Operation &op, Values &values) {
  auto number = [&](Value value) {
    return int64_t(values[value].getZExtValue());
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](PacketDecapOp decap) {
        moveHead(values, decap.getPacket(), decap.getInner(),
                 int64_t(values[decap.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketEncapOp encap) {
        moveHead(values, encap.getPacket(), encap.getOuter(),
                 -int64_t(values[encap.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketAddTailOp add) {
        moveTail(values, add.getPacket(), add.getResized(),
                 number(add.getBytes()));
        return true;
      })
      .Case([&](PacketRemoveTailOp remove) {
        moveTail(values, remove.getPacket(), remove.getResized(),
                 -number(remove.getBytes()));
        return true;
      })
      .Case([&](PacketCreateOp create) {
        uint32_t handle =
            allocateCleared(values[create.getBytes()].getZExtValue());
        machine.find(handle)->setHead(
            target::BufferHeadroom,
            uint32_t(values[create.getBytes()].getZExtValue()));
        values[create.getPacket()] = APInt(32, handle);
        return true;
      })
      .Case([&](PacketBlankOp op) {
        values[op.getPacket()] =
            APInt(32, allocateCleared(values[op.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketClearOp op) {
        if (PacketCell *packet = packetOf(op.getPacket(), values))
          clearBytes(*packet, number(op.getAt()), number(op.getBytes()));
        return true;
      })
      .Default([](Operation *) { return false; });
}

/// Operations on a packet as a whole.
bool Interpreter::executePacket(Operation &op, Values &values) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](PacketCopyOp copy) {
        if (packetOf(copy.getPacket(), values))
          values[copy.getCopy()] =
              APInt(32, machine.copy(handleOf(values[copy.getPacket()])));
        return true;
      })
      .Case([&](PacketHeadroomOp op) {
        if (PacketCell *packet = packetOf(op.getPacket(), values))
          values[op.getBytes()] = APInt(32, packet->head());
        return true;
      })
      .Case([&](PacketLengthOp length) {
        if (PacketCell *packet = packetOf(length.getPacket(), values))
          values[length.getBytes()] = APInt(32, packet->length());
        return true;
      })
      .Case([&](PacketDropOp drop) {
        if (!packetOf(drop.getPacket(), values))
          return true;
        machine.release(handleOf(values[drop.getPacket()]));
        Event event;
        event.kind = Event::Drop;
        event.where = drop.getReason().value_or(unspecifiedReasonName).str();
        addEvent(event);
        return true;
      })
      .Case([&](ChannelPutOp put) {
        if (packetOf(put.getPacket(), values))
          deliver(put.getChannel(), handleOf(values[put.getPacket()]));
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
