// Packets, metadata, global data.
//
// Operations of the baker dialect, on the memory of the machine.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/interp/InterpreterState.h"
#include "support/Error.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

PacketCell *Interpreter::packetOf(Value handle, Values &values) {
  PacketCell *packet = machine.find(handleOf(values[handle]));
  if (!packet)
    trap("a packet is used that has ended");
  return packet;
}

/// Bits from the packet's head to element `index` of a field.
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
          trap("a store that is called aligned is not");
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

bool Interpreter::executePacket(Operation &op, Values &values) {
  auto move = [&](Value from, Value to, int64_t bytes) {
    PacketCell *packet = packetOf(from, values);
    if (!packet)
      return;
    if (bytes < 0 && packet->head() < uint64_t(-bytes))
      return trap("no room in front of the packet");
    packet->setHead(uint32_t(packet->head() + bytes),
                    uint32_t(packet->length() - bytes));
    values[to] = APInt(values[from]); // the table may move
  };
  auto number = [&](Value value) {
    return int64_t(values[value].getZExtValue());
  };
  auto clear = [&](PacketCell &packet, int64_t at, int64_t bytes) {
    for (int64_t byte = at; byte < at + bytes; ++byte)
      machine.writeBits(packet, 8 * byte, 8, 0);
  };
  auto blank = [&](int64_t bytes) {
    uint32_t handle = machine.allocate();
    clear(*machine.find(handle), target::BufferHeadroom, bytes);
    return handle;
  };
  auto resize = [&](Value from, Value to, int64_t bytes) {
    PacketCell *packet = packetOf(from, values);
    if (!packet)
      return;
    uint32_t end = packet->head() + packet->length();
    if (end + bytes > target::BufferBytes || packet->length() + bytes < 0)
      return trap("no room behind the packet");
    clear(*packet, end, bytes);
    packet->setHead(packet->head(), uint32_t(packet->length() + bytes));
    values[to] = APInt(values[from]); // the table may move
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](PacketDecapOp decap) {
        move(decap.getPacket(), decap.getInner(),
             int64_t(values[decap.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketEncapOp encap) {
        move(encap.getPacket(), encap.getOuter(),
             -int64_t(values[encap.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketCopyOp copy) {
        if (packetOf(copy.getPacket(), values))
          values[copy.getCopy()] =
              APInt(32, machine.copy(handleOf(values[copy.getPacket()])));
        return true;
      })
      .Case([&](PacketAddTailOp add) {
        resize(add.getPacket(), add.getResized(), number(add.getBytes()));
        return true;
      })
      .Case([&](PacketRemoveTailOp remove) {
        resize(remove.getPacket(), remove.getResized(),
               -number(remove.getBytes()));
        return true;
      })
      .Case([&](PacketCreateOp create) {
        uint32_t handle = blank(values[create.getBytes()].getZExtValue());
        machine.find(handle)->setHead(
            target::BufferHeadroom,
            uint32_t(values[create.getBytes()].getZExtValue()));
        values[create.getPacket()] = APInt(32, handle);
        return true;
      })
      .Case([&](PacketBlankOp op) {
        values[op.getPacket()] =
            APInt(32, blank(values[op.getBytes()].getZExtValue()));
        return true;
      })
      .Case([&](PacketClearOp op) {
        if (PacketCell *packet = packetOf(op.getPacket(), values))
          clear(*packet, number(op.getAt()), number(op.getBytes()));
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

uint32_t Interpreter::metadataWord(Operation *op, StringRef field) {
  uint32_t next = 0;
  for (auto metadata : module.getOps<MetadataOp>()) {
    uint32_t word = numberOf(metadata, wordAttrName).value_or(next);
    if (metadata.getSymName() == field)
      return target::DescriptorMetadata + word;
    next += metadataWordCount(metadata.getType());
  }
  giveUp("there is no metadata field " + field);
  return target::DescriptorMetadata;
}

bool Interpreter::executeMetadata(Operation &op, Values &values) {
  constexpr uint32_t txShift = 16, rxShift = 24;
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](MetaReadOp read) {
        PacketCell *packet = packetOf(read.getPacket(), values);
        if (!packet)
          return true;
        auto &words = packet->descriptor;
        unsigned width = read.getValue().getType().getIntOrFloatBitWidth();
        uint64_t value;
        if (read.getField() == rxPortName) {
          value = words[target::DescriptorPorts] >> rxShift;
        } else if (read.getField() == txPortName) {
          value = words[target::DescriptorPorts] >> txShift;
        } else if (read.getField() == sequenceName) {
          value = words[target::DescriptorSequence];
        } else {
          uint32_t word = metadataWord(read, read.getField());
          value = words[word];
          if (width > 32)
            value = value << 32 | words[word + 1];
        }
        values[read.getValue()] = APInt(64, value).trunc(width);
        return true;
      })
      .Case([&](MetaWriteOp write) {
        PacketCell *packet = packetOf(write.getPacket(), values);
        if (!packet)
          return true;
        auto &words = packet->descriptor;
        uint64_t value = values[write.getValue()].getZExtValue();
        unsigned width = write.getValue().getType().getIntOrFloatBitWidth();
        if (write.getField() == txPortName) {
          uint32_t &ports = words[target::DescriptorPorts];
          ports = (ports & ~(0xffu << txShift)) | uint32_t(value) << txShift;
          return true;
        }
        uint32_t word = metadataWord(write, write.getField());
        if (width > 32)
          words[word++] = uint32_t(value >> 32);
        words[word] = uint32_t(value);
        return true;
      })
      .Case([&](MetaLoadOp load) {
        if (PacketCell *packet = packetOf(load.getPacket(), values))
          for (auto [i, word] : llvm::enumerate(load.getWords()))
            values[word] = APInt(32, packet->descriptor[load.getWord() + i]);
        return true;
      })
      .Case([&](MetaStoreOp store) {
        if (PacketCell *packet = packetOf(store.getPacket(), values))
          for (auto [i, word] : llvm::enumerate(store.getWords()))
            packet->descriptor[store.getWord() + i] =
                uint32_t(values[word].getZExtValue());
        return true;
      })
      .Default([](Operation *) { return false; });
}

uint32_t *Interpreter::globalWord(uint64_t index) {
  if (index < result.globals.size())
    return &result.globals[index];
  trap("an access outside of global data");
  return nullptr;
}

bool Interpreter::executeGlobal(Operation &op, Values &values) {
  auto at = [](uint64_t word) { return APInt(64, word); };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](GlobalRefOp ref) {
        values[ref.getRef()] = at(globalStart[ref.getGlobal()]);
        return true;
      })
      .Case([&](ElementOp element) {
        auto type = cast<ArrayType>(
            cast<RefType>(element.getArray().getType()).getPointee());
        values[element.getRef()] =
            at(values[element.getArray()].getZExtValue() +
               values[element.getIndex()].getZExtValue() *
                   elementWordStride(type));
        return true;
      })
      .Case([&](FieldOp field) {
        auto type = cast<StructType>(
            cast<RefType>(field.getRecord().getType()).getPointee());
        values[field.getRef()] =
            at(values[field.getRecord()].getZExtValue() +
               fieldWordOffset(type, *type.fieldIndex(field.getField())));
        return true;
      })
      .Case([&](LoadOp load) {
        uint64_t index = values[load.getRef()].getZExtValue();
        unsigned width = load.getValue().getType().getIntOrFloatBitWidth();
        uint64_t value = 0;
        for (unsigned i = 0; i < (width > 32 ? 2 : 1); ++i)
          if (uint32_t *word = globalWord(index + i))
            value = value << 32 | *word;
        values[load.getValue()] = APInt(64, value).trunc(width);
        return true;
      })
      .Case([&](StoreOp store) {
        uint64_t index = values[store.getRef()].getZExtValue();
        uint64_t value = values[store.getValue()].getZExtValue();
        if (store.getValue().getType().getIntOrFloatBitWidth() > 32)
          if (uint32_t *word = globalWord(index++))
            *word = uint32_t(value >> 32);
        if (uint32_t *word = globalWord(index))
          *word = uint32_t(value);
        return true;
      })
      .Case([&](LoadWordsOp load) {
        uint64_t index = values[load.getRef()].getZExtValue() + load.getAt();
        for (Value result : load.getWords())
          if (uint32_t *word = globalWord(index++))
            values[result] = APInt(32, *word);
        return true;
      })
      .Case([&](StoreWordsOp store) {
        uint64_t index = values[store.getRef()].getZExtValue() + store.getAt();
        for (Value value : store.getWords())
          if (uint32_t *word = globalWord(index++))
            *word = uint32_t(values[value].getZExtValue());
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
