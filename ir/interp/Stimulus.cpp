#include "ir/interp/Stimulus.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <random>

using namespace mlir;

namespace karakal::ir {

namespace {

constexpr size_t frameBytesMin = 60; // a sending MAC pads frames to this
constexpr size_t frameBytesMost = 300;
/// The fewest bytes that a cut leaves of a sample.
constexpr size_t frameBytesCut = 14;

/// Makes packets and global data. Uses only raw numbers of the random engine,
/// so the result is the same with every C++ library.
class StimulusMaker {
public:
  StimulusMaker(ModuleOp module, const CheckInputs &inputs, uint64_t seed);
  Stimulus make(size_t packetCount);

private:
  uint64_t below(uint64_t count) {
    KARAKAL_ASSERT(count != 0, "there is a number to draw");
    return random() % count;
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  void findComparisons(ModuleOp module);
  uint64_t number(unsigned width);
  bool isRead(ProtocolOp protocol, ProtocolFieldAttr field) const {
    return compared.count({protocol.getSymName().str(), field.getName().str()});
  }
  uint64_t fieldValue(ProtocolOp protocol, ProtocolFieldAttr field,
                      size_t bytesLeft);
  ProtocolOp protocolAfter(ProtocolOp protocol);
  void putField(std::vector<uint8_t> &bytes, size_t position, unsigned width,
                uint64_t value);
  void putHeader(std::vector<uint8_t> &bytes, size_t at, ProtocolOp protocol);
  void putChecksum(std::vector<uint8_t> &bytes, size_t at, ProtocolOp protocol);
  void putGlobal(std::vector<uint32_t> &words, Type type);
  std::vector<uint8_t> makeBytes(ProtocolOp first);
  std::vector<uint8_t> takeSample();
  void changeField(std::vector<uint8_t> &bytes, size_t at, ProtocolOp protocol);
  void change(std::vector<uint8_t> &bytes);
  Arrival makeArrival(uint32_t sequence);
  Arrival makeMessage(ChannelOp channel);
  ProtocolOp protocolNamed(StringRef name);

  std::mt19937_64 random;
  const CheckInputs &inputs;
  size_t sampleCount = 0;
  /// Channels whose packets come from a ring.
  SmallVector<ChannelOp> rings;
  uint32_t metadataWords = 0;
  SmallVector<ProtocolOp> protocols;
  /// The constants that the program compares a field with, by protocol and
  /// field.
  std::map<std::pair<std::string, std::string>, std::vector<uint64_t>> compared;
  /// The protocols that the program decapsulates from a protocol.
  std::map<std::string, std::vector<std::string>> inside;
  /// Constants of the program, by width.
  std::map<unsigned, std::vector<uint64_t>> constants;
  /// Values that occur often, so that packets match entries of tables.
  std::vector<uint64_t> common;
  SmallVector<Type> globals;
};

/// Whether the channel leads to a PPF of `aggregate`, or may do so.
static bool isFor(StringRef aggregate, ChannelOp channel) {
  auto consumer =
      channel->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
          channel.getConsumer());
  return aggregate.empty() || !consumer || aggregateOf(consumer) == aggregate;
}

StimulusMaker::StimulusMaker(ModuleOp module, const CheckInputs &inputs,
                             uint64_t seed)
    : random(seed), inputs(inputs) {
  if (!inputs.frames.empty())
    sampleCount = below(inputs.frames.size());
  for (auto global : module.getOps<GlobalOp>())
    globals.push_back(global.getType());
  llvm::append_range(protocols, module.getOps<ProtocolOp>());
  // Received packets begin with the protocol of the channel from rx.
  for (auto channel : module.getOps<ChannelOp>())
    if (channel.comesFromRx())
      for (ProtocolOp &protocol : protocols)
        if (protocol.getSymName() == channel.getProtocol())
          std::swap(protocols.front(), protocol);
  for (auto channel : module.getOps<ChannelOp>())
    if (viaOf(channel) == Via::Ring && numberOf(channel, ringAttrName) &&
        !channel.goesToTx() && !channel.comesFromRx() &&
        isFor(inputs.aggregate, channel))
      rings.push_back(channel);
  for (auto metadata : module.getOps<MetadataOp>())
    metadataWords += metadataWordCount(metadata.getType());
  findComparisons(module);
  auto add = [&](APInt value) {
    for (unsigned width = 1; width <= 64; ++width)
      if (value.getActiveBits() <= width && constants[width].size() < 64)
        constants[width].push_back(value.getZExtValue());
  };
  llvm::SetVector<uint64_t> seen;
  auto addOnce = [&](const APInt &value) {
    if (value.getBitWidth() <= 64 && seen.insert(value.getZExtValue()))
      add(value);
  };
  module.walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
        addOnce(value.getValue());
    if (auto choice = dyn_cast<cf::SwitchOp>(op))
      if (auto values = choice.getCaseValues())
        for (const APInt &value : values->getValues<APInt>())
          addOnce(value);
  });
  for (int i = 0; i < 2; ++i)
    common.push_back(random());
}

/// Collects the constants that a value is compared with, also after casts.
void collectCompared(Value value, std::vector<uint64_t> &found) {
  for (Operation *user : value.getUsers()) {
    if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(user))
      collectCompared(user->getResult(0), found);
    if (auto choice = dyn_cast<cf::SwitchOp>(user))
      if (auto values = choice.getCaseValues())
        for (const APInt &one : values->getValues<APInt>())
          found.push_back(one.getZExtValue());
    if (!isa<arith::CmpIOp>(user))
      continue;
    for (Value operand : user->getOperands()) {
      APInt constant;
      if (matchPattern(operand, m_ConstantInt(&constant)) &&
          constant.getActiveBits() <= 64)
        found.push_back(constant.getZExtValue());
    }
  }
}

void StimulusMaker::findComparisons(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (auto read = dyn_cast<PacketReadOp>(op))
      collectCompared(read.getValue(),
                      compared[{read.getPacket().getType().getProtocol().str(),
                                read.getField().str()}]);
    if (auto decap = dyn_cast<PacketDecapOp>(op))
      inside[decap.getPacket().getType().getProtocol().str()].push_back(
          decap.getInner().getType().getProtocol().str());
  });
}

uint64_t StimulusMaker::fieldValue(ProtocolOp protocol, ProtocolFieldAttr field,
                                   size_t bytesLeft) {
  // Fields of this width often hold the length of the packet.
  if (field.getWidth() == 16 && chance(30))
    return bytesLeft;
  auto found =
      compared.find({protocol.getSymName().str(), field.getName().str()});
  if (found == compared.end() || found->second.empty() || chance(25))
    return number(field.getWidth());
  return found->second[below(found->second.size())];
}

ProtocolOp StimulusMaker::protocolAfter(ProtocolOp protocol) {
  const std::vector<std::string> &inner = inside[protocol.getSymName().str()];
  if (!inner.empty() && !chance(20))
    return protocolNamed(inner[below(inner.size())]);
  return protocols[below(protocols.size())];
}

ProtocolOp StimulusMaker::protocolNamed(StringRef name) {
  auto found = llvm::find_if(protocols, [&](ProtocolOp protocol) {
    return protocol.getSymName() == name;
  });
  return found == protocols.end() ? protocols.front() : *found;
}

uint64_t StimulusMaker::number(unsigned width) {
  uint64_t mask = width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  switch (below(10)) {
  case 0:
    return below(4) & mask;
  case 1:
    return below(8) == 0 ? mask : 1;
  case 2:
  case 3:
  case 4:
    return common[below(common.size())] & mask;
  case 5:
    return random() & mask;
  default: {
    const std::vector<uint64_t> &known = constants[width];
    return known.empty() ? random() & mask : known[below(known.size())];
  }
  }
}

void StimulusMaker::putField(std::vector<uint8_t> &bytes, size_t position,
                             unsigned width, uint64_t value) {
  for (unsigned bit = 0; bit < width; ++bit, ++position) {
    if (position / 8 >= bytes.size())
      return;
    uint8_t mask = uint8_t(0x80 >> position % 8);
    bool isSet = value >> (width - 1 - bit) & 1;
    uint8_t &byte = bytes[position / 8];
    byte = isSet ? byte | mask : byte & ~mask;
  }
}

/// Returns the Internet checksum of RFC 1071 over bytes that hold zero in its
/// place.
uint16_t internetChecksum(ArrayRef<uint8_t> bytes) {
  uint32_t sum = 0;
  for (auto [i, byte] : llvm::enumerate(bytes))
    sum += uint32_t(byte) << (i % 2 == 0 ? 8 : 0);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return uint16_t(~sum);
}

void StimulusMaker::putHeader(std::vector<uint8_t> &bytes, size_t at,
                              ProtocolOp protocol) {
  for (auto field : protocol.getFields().getAsRange<ProtocolFieldAttr>())
    for (unsigned i = 0; i < field.getCount() && field.getWidth() <= 64; ++i)
      putField(bytes, 8 * at + field.getOffset() + i * field.getWidth(),
               field.getWidth(),
               fieldValue(protocol, field, bytes.size() - at));
  if (!chance(20))
    putChecksum(bytes, at, protocol);
}

/// Gives a field called "checksum" the right Internet checksum.
void StimulusMaker::putChecksum(std::vector<uint8_t> &bytes, size_t at,
                                ProtocolOp protocol) {
  ProtocolFieldAttr checksum = protocol.field("checksum");
  size_t end = at + protocol.getMinBytes();
  if (!checksum || checksum.getWidth() != 16 || end > bytes.size())
    return;
  size_t position = 8 * at + checksum.getOffset();
  putField(bytes, position, 16, 0);
  ArrayRef<uint8_t> header(bytes.data() + at, bytes.data() + end);
  putField(bytes, position, 16, internetChecksum(header));
}

/// Appends the words of a global. Its scalars are drawn as packet fields are,
/// so that packets match entries of tables.
void StimulusMaker::putGlobal(std::vector<uint32_t> &words, Type type) {
  if (auto array = dyn_cast<ArrayType>(type)) {
    for (uint64_t i = 0; i < array.getSize(); ++i)
      putGlobal(words, array.getElementType());
    return;
  }
  if (auto record = dyn_cast<StructType>(type)) {
    for (Type field : record.getFieldTypes())
      putGlobal(words, field);
    return;
  }
  unsigned width = type.getIntOrFloatBitWidth();
  uint64_t value = number(width);
  if (width > 32)
    words.push_back(uint32_t(value >> 32));
  words.push_back(uint32_t(value));
}

std::vector<uint8_t> StimulusMaker::makeBytes(ProtocolOp first) {
  std::vector<uint8_t> bytes(frameBytesMin +
                             below(frameBytesMost - frameBytesMin));
  for (uint8_t &byte : bytes)
    byte = chance(50) ? uint8_t(random()) : 0;
  if (!first || chance(5))
    return bytes;
  ProtocolOp protocol = first;
  for (size_t at = 0; at < bytes.size();) {
    putHeader(bytes, at, protocol);
    at += std::max<size_t>(protocol.getMinBytes(), 1);
    protocol = protocolAfter(protocol);
  }
  // A frame that the capture cut short. Its first header is complete.
  if (chance(25))
    bytes.resize(first.getMinBytes() +
                 below(bytes.size() - first.getMinBytes()));
  return bytes;
}

/// Changes a field, usually one that the program compares.
void StimulusMaker::changeField(std::vector<uint8_t> &bytes, size_t at,
                                ProtocolOp protocol) {
  SmallVector<ProtocolFieldAttr> fields;
  for (auto field : protocol.getFields().getAsRange<ProtocolFieldAttr>())
    if (field.getWidth() <= 64 && (isRead(protocol, field) || chance(15)))
      fields.push_back(field);
  if (fields.empty())
    return;
  ProtocolFieldAttr field = fields[below(fields.size())];
  uint64_t value = fieldValue(protocol, field, bytes.size() - at);
  const uint64_t others[] = {value, value + 1, value - 1, random(), below(3)};
  putField(bytes, 8 * at + field.getOffset(), field.getWidth(),
           others[below(std::size(others))]);
  if (!chance(20))
    putChecksum(bytes, at, protocol);
}

/// Changes one of the first headers: changes a field of it, replaces it and all
/// after it by another sample's, or inserts a header of another sample.
void StimulusMaker::change(std::vector<uint8_t> &bytes) {
  ProtocolOp protocol = protocols.front();
  size_t at = 0;
  for (size_t depth = below(4); depth != 0; --depth) {
    at += std::max<size_t>(protocol.getMinBytes(), 1);
    protocol = protocolAfter(protocol);
  }
  const std::vector<uint8_t> &other =
      inputs.frames[below(inputs.frames.size())].bytes;
  size_t end = at + protocol.getMinBytes();
  if (end > bytes.size() || end > other.size())
    return;
  switch (below(4)) {
  case 0:
    bytes.resize(at);
    bytes.insert(bytes.end(), other.begin() + at, other.end());
    return;
  case 1:
    bytes.insert(bytes.begin() + at, other.begin() + at, other.begin() + end);
    return;
  default:
    return changeField(bytes, at, protocol);
  }
}

/// Returns the samples in turn, half of them changed, some more than once.
std::vector<uint8_t> StimulusMaker::takeSample() {
  std::vector<uint8_t> bytes =
      inputs.frames[sampleCount++ % inputs.frames.size()].bytes;
  while (!protocols.empty() && chance(50))
    change(bytes);
  // Cut within one of the headers.
  if (chance(10) && bytes.size() > 2 * frameBytesCut)
    bytes.resize(frameBytesCut + below(frameBytesCut));
  return bytes;
}

/// Makes the buffer and descriptor that the sender of a ring message leaves.
Arrival StimulusMaker::makeMessage(ChannelOp channel) {
  KARAKAL_ASSERT(numberOf(channel, ringAttrName),
                 "a message comes from a channel on a ring");
  Arrival arrival;
  arrival.ring = *numberOf(channel, ringAttrName);
  arrival.channel = numberOf(channel, idAttrName).value_or(0);
  arrival.packet.bytes = makeBytes(protocolNamed(channel.getProtocol()));
  auto head = channel->getAttrOfType<HeadAttr>(headAttrName);
  if (head && head.isExact())
    arrival.head = head.getValue();
  else if (head)
    arrival.head += head.getValue() + head.getModulus() * below(5);
  else
    arrival.head += below(40);
  for (uint32_t i = 0; i < metadataWords; ++i)
    arrival.packet.metadata.push_back(uint32_t(number(32)));
  return arrival;
}

Arrival StimulusMaker::makeArrival(uint32_t sequence) {
  Arrival arrival;
  bool isMessage = !rings.empty() && chance(20);
  if (isMessage)
    arrival = makeMessage(rings[below(rings.size())]);
  else if (!inputs.frames.empty() && chance(80))
    arrival.packet.bytes = takeSample();
  else
    arrival.packet.bytes =
        makeBytes(protocols.empty() ? ProtocolOp() : protocols.front());
  arrival.packet.rxPort = uint8_t(below(target::PortCount));
  if (!isMessage && !inputs.frames.empty() && sampleCount != 0)
    arrival.packet.rxPort =
        inputs.frames[(sampleCount - 1) % inputs.frames.size()].rxPort;
  arrival.packet.sequence = sequence;
  return arrival;
}

Stimulus StimulusMaker::make(size_t packetCount) {
  Stimulus stimulus;
  for (size_t i = 0; i < packetCount; ++i)
    stimulus.packets.push_back(makeArrival(uint32_t(i)));
  for (Type type : globals)
    putGlobal(stimulus.globals, type);
  stimulus.garbage = uint8_t(random());
  return stimulus;
}

} // namespace

Stimulus makeStimulus(ModuleOp module, const CheckInputs &inputs, uint64_t seed,
                      size_t packetCount) {
  return StimulusMaker(module, inputs, seed).make(packetCount);
}

} // namespace karakal::ir
