// Packet buffers on x86.

#include "host/PacketRuntime.h"
#include "host/standalone/PacketFaults.h"
#include "support/Error.h"
#include "target-ixp/chip/DropReasons.h"
#include "traces/Wire.h"
#include <algorithm>
#include <cstring>

namespace karakal::host {

/// A field may start inside a byte, so up to nine bytes are touched at once.
static constexpr uint32_t SlackBytes = 16;
static constexpr uint32_t HandlesPerDescriptor =
    target::HandleStep; // as on the chip

PacketRuntime::PacketRuntime(const BufferLayout &layout, uint32_t portCount,
                             uint32_t dropReasonCount)
    : layout(layout), portCount(portCount),
      memory(size_t(layout.count) * layout.bytes + SlackBytes),
      descriptors(layout.count),
      dropsByReason(std::max(dropReasonCount, target::DropReasonsMin)) {
  KARAKAL_ASSERT(layout.firstHandle != 0 && portCount != 0,
                 "a layout without handle 0 and at least one port");
  // A stack: the last buffer freed is still in the cache.
  freeList.reserve(layout.count);
  for (uint32_t i = layout.count; i-- > 0;)
    freeList.push_back(layout.firstHandle + i * HandlesPerDescriptor);
}

void PacketRuntime::setFault(const std::string &what) {
  if (firstFault.empty())
    firstFault = what;
}

PacketRuntime::Descriptor *PacketRuntime::find(uint32_t handle,
                                               const char *primitive) {
  uint32_t distance = handle - layout.firstHandle;
  uint32_t index = distance / HandlesPerDescriptor;
  if (distance % HandlesPerDescriptor == 0 && index < layout.count &&
      descriptors[index].live)
    return &descriptors[index];
  setFault(std::string(primitive) + " of handle " + std::to_string(handle) +
           ", which holds no packet");
  return nullptr;
}

uint8_t *PacketRuntime::bytesOf(const Descriptor &d) {
  size_t index = &d - descriptors.data();
  return memory.data() + index * layout.bytes;
}

static uint32_t headOf(uint32_t word) { return word >> 16; }
static uint32_t lengthOf(uint32_t word) { return word & 0xffff; }

uint32_t PacketRuntime::allocate() {
  if (freeList.empty())
    return 0;
  uint32_t handle = freeList.back();
  freeList.pop_back();
  Descriptor &d =
      descriptors[(handle - layout.firstHandle) / HandlesPerDescriptor];
  d.live = true;
  return handle;
}

void PacketRuntime::release(uint32_t handle) {
  KARAKAL_ASSERT(freeList.size() < layout.count, "a buffer is freed once");
  descriptors[(handle - layout.firstHandle) / HandlesPerDescriptor].live =
      false;
  freeList.push_back(handle);
}

uint32_t PacketRuntime::receive(const traces::Packet &frame) {
  serviceState.nowNs = frame.timeNs;
  if (traces::isOversize(frame)) {
    ++packets.oversize;
    return 0;
  }
  uint32_t handle = allocate();
  if (handle == 0) {
    setFault(faults::noBufferToReceive());
    return 0;
  }
  Descriptor &d = *find(handle, "receive");
  uint32_t bytes =
      std::max<uint32_t>(frame.bytes.size(), traces::frameBytesMin);
  uint8_t *at = bytesOf(d) + layout.headroomBytes;
  std::memcpy(at, frame.bytes.data(), frame.bytes.size());
  std::memset(at + frame.bytes.size(), 0, bytes - frame.bytes.size());
  d.original = true;
  d.words.fill(0);
  d.words[WordHead] = layout.headroomBytes << 16 | bytes;
  d.words[WordPorts] = frame.port << 24;
  d.words[WordSequence] = sequence++;
  ++packets.received;
  return handle;
}

bool PacketRuntime::inBuffer(const Descriptor &d, uint32_t bitOffset,
                             uint32_t bits, const char *primitive) {
  uint64_t end = uint64_t(headOf(d.words[WordHead])) * 8 + bitOffset + bits;
  if (end <= uint64_t(layout.bytes) * 8 && bits >= 1 && bits <= 64)
    return true;
  setFault(faults::leavesBuffer(primitive, bitOffset, bits));
  return false;
}

static uint64_t loadBig(const uint8_t *at) {
  uint64_t value;
  std::memcpy(&value, at, 8);
  return __builtin_bswap64(value);
}

static void storeBig(uint8_t *at, uint64_t value) {
  value = __builtin_bswap64(value);
  std::memcpy(at, &value, 8);
}

uint64_t PacketRuntime::read(uint32_t handle, uint32_t bitOffset,
                             uint32_t bits) {
  Descriptor *d = find(handle, "packet_read");
  if (!d || !inBuffer(*d, bitOffset, bits, "packet_read"))
    return 0;
  const uint8_t *at = bytesOf(*d) + headOf(d->words[WordHead]) + bitOffset / 8;
  uint32_t shift = bitOffset % 8;
  uint64_t value = loadBig(at) << shift;
  if (shift != 0)
    value |= at[8] >> (8 - shift);
  return value >> (64 - bits);
}

void PacketRuntime::write(uint32_t handle, uint32_t bitOffset, uint32_t bits,
                          uint64_t value) {
  Descriptor *d = find(handle, "packet_write");
  if (!d || !inBuffer(*d, bitOffset, bits, "packet_write"))
    return;
  uint8_t *at = bytesOf(*d) + headOf(d->words[WordHead]) + bitOffset / 8;
  uint32_t shift = bitOffset % 8;
  uint64_t mask = ~uint64_t(0) << (64 - bits);
  value <<= 64 - bits;
  storeBig(at, (loadBig(at) & ~(mask >> shift)) | value >> shift);
  if (shift + bits > 64) {
    uint8_t lowMask = static_cast<uint8_t>(mask << (8 - shift));
    uint8_t low = static_cast<uint8_t>(value << (8 - shift));
    at[8] = (at[8] & ~lowMask) | (low & lowMask);
  }
}

uint32_t PacketRuntime::metaRead(uint32_t handle, uint32_t word) {
  Descriptor *d = find(handle, "metadata read");
  KARAKAL_ASSERT(word < DescriptorWords, "a metadata word of the descriptor");
  return d ? d->words[word] : 0;
}

void PacketRuntime::metaWrite(uint32_t handle, uint32_t word, uint32_t value) {
  Descriptor *d = find(handle, "metadata write");
  KARAKAL_ASSERT(word < DescriptorWords, "a metadata word of the descriptor");
  if (d)
    d->words[word] = value;
}

uint32_t PacketRuntime::rxPort(uint32_t handle) {
  Descriptor *d = find(handle, "rx.port");
  return d ? d->words[WordPorts] >> 24 : 0;
}

uint32_t PacketRuntime::txPort(uint32_t handle) {
  Descriptor *d = find(handle, "tx.port");
  return d ? (d->words[WordPorts] >> 16) & 0xff : 0;
}

void PacketRuntime::setTxPort(uint32_t handle, uint32_t port) {
  if (Descriptor *d = find(handle, "tx.port"))
    d->words[WordPorts] = (d->words[WordPorts] & 0xff00ffff) | (port & 0xff)
                                                                   << 16;
}

uint32_t PacketRuntime::length(uint32_t handle) {
  Descriptor *d = find(handle, "packet_length");
  return d ? lengthOf(d->words[WordHead]) : 0;
}

uint32_t PacketRuntime::decap(uint32_t handle, uint32_t bytes) {
  Descriptor *d = find(handle, "packet_decap");
  if (!d)
    return handle;
  uint32_t word = d->words[WordHead];
  if (bytes > lengthOf(word))
    setFault(faults::tooShort("packet_decap", bytes, lengthOf(word)));
  else
    d->words[WordHead] =
        (headOf(word) + bytes) << 16 | (lengthOf(word) - bytes);
  return handle;
}

uint32_t PacketRuntime::encap(uint32_t handle, uint32_t bytes) {
  Descriptor *d = find(handle, "packet_encap");
  if (!d)
    return handle;
  uint32_t word = d->words[WordHead];
  if (bytes > headOf(word))
    setFault(faults::noRoom("packet_encap", "headroom", bytes, headOf(word)));
  else
    d->words[WordHead] =
        (headOf(word) - bytes) << 16 | (lengthOf(word) + bytes);
  return handle;
}

uint32_t PacketRuntime::addTail(uint32_t handle, uint32_t bytes) {
  Descriptor *d = find(handle, "packet_add_tail");
  if (!d)
    return handle;
  uint32_t word = d->words[WordHead];
  uint32_t end = headOf(word) + lengthOf(word);
  if (bytes > layout.bytes - end) {
    setFault(faults::noRoom("packet_add_tail", "tailroom", bytes,
                            layout.bytes - end));
    return handle;
  }
  std::memset(bytesOf(*d) + end, 0, bytes);
  d->words[WordHead] = word + bytes;
  return handle;
}

uint32_t PacketRuntime::removeTail(uint32_t handle, uint32_t bytes) {
  Descriptor *d = find(handle, "packet_remove_tail");
  if (!d)
    return handle;
  uint32_t word = d->words[WordHead];
  if (bytes > lengthOf(word))
    setFault(faults::tooShort("packet_remove_tail", bytes, lengthOf(word)));
  else
    d->words[WordHead] = word - bytes;
  return handle;
}

uint32_t PacketRuntime::headroom(uint32_t handle) {
  Descriptor *d = find(handle, "packet_headroom");
  return d ? headOf(d->words[WordHead]) : 0;
}

uint32_t PacketRuntime::create(uint32_t bytes) {
  if (bytes > layout.bytes - layout.headroomBytes) {
    setFault(faults::tooLong(bytes));
    return 0;
  }
  uint32_t made = allocate();
  if (made == 0) {
    setFault(faults::noBuffer("packet_create"));
    return 0;
  }
  Descriptor &d = *find(made, "packet_create");
  d.words.fill(0);
  d.words[WordHead] = layout.headroomBytes << 16 | bytes;
  d.original = false;
  std::memset(bytesOf(d) + layout.headroomBytes, 0, bytes);
  ++packets.copied;
  return made;
}

uint32_t PacketRuntime::copy(uint32_t handle) {
  Descriptor *from = find(handle, "packet_copy");
  if (!from)
    return handle;
  uint32_t made = allocate();
  if (made == 0) {
    setFault(faults::noBuffer("packet_copy"));
    return handle;
  }
  Descriptor &to = *find(made, "packet_copy");
  to.words = from->words;
  to.original = false;
  std::memcpy(bytesOf(to), bytesOf(*from), layout.bytes);
  ++packets.copied;
  return made;
}

void PacketRuntime::drop(uint32_t handle, uint32_t reason) {
  Descriptor *d = find(handle, "packet_drop");
  if (!d)
    return;
  KARAKAL_ASSERT(reason < dropsByReason.size(), "a declared drop reason");
  ++dropsByReason[reason];
  if (d->original)
    ++(onXScale ? packets.consumed : packets.dropped);
  release(handle);
}

void PacketRuntime::keep(uint32_t handle) {
  if (find(handle, "queue_put"))
    ++waitingCount;
}

uint32_t PacketRuntime::fetch(uint32_t word) {
  if (word == 0 || !find(word, "queue_take"))
    return 0;
  KARAKAL_ASSERT(waitingCount != 0, "a packet that is taken has waited");
  --waitingCount;
  return word;
}

void PacketRuntime::transmit(uint32_t handle) {
  Descriptor *d = find(handle, "channel_put");
  if (!d)
    return;
  if (txPort(handle) >= portCount) {
    ++dropsByReason[target::DropNoPort];
    packets.dropped += d->original;
    return release(handle);
  }
  uint32_t word = d->words[WordHead];
  // Tx takes a packet without bytes, but has nothing to send.
  if (lengthOf(word) != 0) {
    const uint8_t *at = bytesOf(*d) + headOf(word);
    traces::Packet frame;
    frame.timeNs = serviceState.nowNs;
    frame.port = txPort(handle);
    frame.bytes.assign(at, at + lengthOf(word));
    traces::padToMinimum(frame);
    sent.push_back(std::move(frame));
    ++packets.transmitted;
  }
  if (d->original)
    ++packets.forwarded;
  release(handle);
}

void PacketRuntime::channelPut(uint32_t ring, uint32_t message) {
  if (ring == RingTx)
    transmit(message & 0xffffff);
  else
    queue.push_back(message);
}

uint32_t PacketRuntime::nextMessage() {
  if (queue.empty())
    return 0;
  uint32_t message = queue.front();
  queue.pop_front();
  return message;
}

} // namespace karakal::host
