// Reads and writes of packet metadata, by field and by word.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/interp/InterpreterState.h"
#include "support/Assert.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

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
        KARAKAL_ASSERT(load.getWord() + load.getWords().size() <=
                           target::DescriptorWords,
                       "a meta_load stays in the descriptor");
        // Of an empty handle from a queue, baker-phr reads words that it does
        // not use.
        bool isEmpty = handleOf(values[load.getPacket()]) == 0;
        PacketCell *packet =
            isEmpty ? nullptr : packetOf(load.getPacket(), values);
        for (auto [i, word] : llvm::enumerate(load.getWords()))
          if (packet || isEmpty)
            values[word] =
                APInt(32, packet ? packet->descriptor[load.getWord() + i] : 0);
        return true;
      })
      .Case([&](MetaStoreOp store) {
        KARAKAL_ASSERT(store.getWord() + store.getWords().size() <=
                           target::DescriptorWords,
                       "a meta_store stays in the descriptor");
        if (PacketCell *packet = packetOf(store.getPacket(), values))
          for (auto [i, word] : llvm::enumerate(store.getWords()))
            packet->descriptor[store.getWord() + i] =
                uint32_t(values[word].getZExtValue());
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
