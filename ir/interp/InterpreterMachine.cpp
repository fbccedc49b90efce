#include "ir/interp/InterpreterMachine.h"

#include "support/Assert.h"

#include <algorithm>

namespace karakal::ir {

Cam::Cam() {
  for (uint32_t number = 0; number < target::CamEntries; ++number)
    entries.push_back({number, std::nullopt});
}

uint32_t Cam::lookup(uint32_t tag) {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.tag == tag; });
  if (found == entries.end())
    return entries.front().number << target::CamEntryShift;
  uint32_t number = found->number;
  std::rotate(found, found + 1, entries.end());
  return target::CamHit | number << target::CamEntryShift;
}

void Cam::write(uint32_t number, uint32_t tag) {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.number == number; });
  KARAKAL_ASSERT(found != entries.end(), "the CAM has the entry written");
  found->tag = tag;
  std::rotate(found, found + 1, entries.end());
}

void Cam::clear() { *this = Cam(); }

PacketCell *Machine::find(uint32_t handle) {
  if (handle < target::HandleFirst ||
      (handle - target::HandleFirst) % target::HandleStep != 0)
    return nullptr;
  size_t index = (handle - target::HandleFirst) / target::HandleStep;
  if (index >= cells.size() || !cells[index].isLive)
    return nullptr;
  return &cells[index];
}

uint32_t Machine::allocate() {
  uint32_t index = uint32_t(cells.size());
  if (freeCells.empty()) {
    cells.emplace_back();
  } else {
    index = freeCells.back();
    freeCells.pop_back();
  }
  PacketCell &cell = cells[index];
  cell.data.fill(garbage);
  cell.descriptor.fill(0);
  cell.isLive = true;
  return target::handleOfBuffer(index);
}

void Machine::release(uint32_t handle) {
  if (PacketCell *cell = find(handle)) {
    cell->isLive = false;
    freeCells.push_back((handle - target::HandleFirst) / target::HandleStep);
  }
}

uint32_t Machine::receive(const PacketImage &packet, uint32_t head) {
  KARAKAL_ASSERT(head + packet.bytes.size() <= target::BufferBytes,
                 "a received packet fits its buffer");
  KARAKAL_ASSERT(packet.metadata.size() <=
                     target::DescriptorWords - target::DescriptorMetadata,
                 "a received packet's metadata fits its descriptor");
  uint32_t handle = allocate();
  PacketCell &cell = *find(handle);
  std::copy(packet.bytes.begin(), packet.bytes.end(), cell.data.begin() + head);
  cell.setHead(head, uint32_t(packet.bytes.size()));
  cell.descriptor[target::DescriptorPorts] =
      uint32_t(packet.rxPort) << 24 | uint32_t(packet.txPort) << 16;
  cell.descriptor[target::DescriptorSequence] = packet.sequence;
  std::copy(packet.metadata.begin(), packet.metadata.end(),
            cell.descriptor.begin() + target::DescriptorMetadata);
  return handle;
}

uint32_t Machine::copy(uint32_t handle) {
  KARAKAL_ASSERT(find(handle), "a copy is made of a live packet");
  uint32_t copied = allocate();
  PacketCell &to = *find(copied);
  const PacketCell &from = *find(handle);
  to.data = from.data;
  to.descriptor = from.descriptor;
  return copied;
}

PacketImage Machine::imageOf(const PacketCell &packet) const {
  PacketImage image;
  uint32_t end =
      std::min<uint32_t>(packet.head() + packet.length(), target::BufferBytes);
  for (uint32_t at = packet.head(); at < end; ++at)
    image.bytes.push_back(packet.data[at]);
  uint32_t ports = packet.descriptor[target::DescriptorPorts];
  image.rxPort = uint8_t(ports >> 24);
  image.txPort = uint8_t(ports >> 16);
  image.sequence = packet.descriptor[target::DescriptorSequence];
  const uint32_t *words = packet.descriptor.data() + target::DescriptorMetadata;
  image.metadata.assign(words, words + metadataWords);
  return image;
}

uint64_t Machine::readBits(const PacketCell &packet, int64_t position,
                           unsigned width) const {
  KARAKAL_ASSERT(width >= 1 && width <= 64, "a read of 1 to 64 bits");
  constexpr int64_t bitsMax = 8 * int64_t(target::BufferBytes);
  uint64_t value = 0;
  for (int64_t bit = position; bit < position + width; ++bit) {
    bool isSet = bit >= 0 && bit < bitsMax &&
                 (packet.data[size_t(bit / 8)] >> (7 - bit % 8) & 1);
    value = value << 1 | uint64_t(isSet);
  }
  return value;
}

void Machine::writeBits(PacketCell &packet, int64_t position, unsigned width,
                        uint64_t value) {
  KARAKAL_ASSERT(width >= 1 && width <= 64, "a write of 1 to 64 bits");
  constexpr int64_t bitsMax = 8 * int64_t(target::BufferBytes);
  for (unsigned i = 0; i < width; ++i) {
    int64_t bit = position + i;
    if (bit < 0 || bit >= bitsMax)
      continue;
    uint8_t mask = uint8_t(0x80 >> (bit % 8));
    uint8_t &byte = packet.data[size_t(bit / 8)];
    bool isSet = value >> (width - 1 - i) & 1;
    byte = isSet ? byte | mask : byte & ~mask;
  }
}

} // namespace karakal::ir
