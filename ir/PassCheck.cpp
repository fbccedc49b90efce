//===- PassCheck.cpp - a module before and after each pass, run -----------===//

#include "ir/PassCheck.h"
#include "ir/Attributes.h"
#include "ir/Layout.h"
#include "support/Error.h"
#include "target-ixp/MemoryMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <random>

using namespace mlir;

namespace karakal::ir {

//===----------------------------------------------------------------------===//
// Stimuli
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t frameBytesMin = 60; // a sending MAC pads to it
constexpr size_t frameBytesMost = 300;

/// Makes packets and global data. Uses the engine's raw numbers alone, so that
/// every C++ library makes the same.
class StimulusMaker {
public:
  StimulusMaker(ModuleOp module, uint64_t seed);
  Stimulus make(size_t packetCount);

private:
  uint64_t below(uint64_t count) { return random() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }
  void findComparisons(ModuleOp module);
  uint64_t number(unsigned width);
  uint64_t fieldValue(ProtocolOp protocol, ProtocolFieldAttr field,
                      size_t bytesLeft);
  ProtocolOp protocolAfter(ProtocolOp protocol);
  void putField(std::vector<uint8_t> &bytes, size_t position, unsigned width,
                uint64_t value);
  void putHeader(std::vector<uint8_t> &bytes, size_t at, ProtocolOp protocol);
  void putGlobal(std::vector<uint32_t> &words, Type type);
  PacketImage makePacket(uint32_t sequence);

  std::mt19937_64 random;
  SmallVector<ProtocolOp> protocols;
  /// What the program compares a field with, by protocol and field.
  std::map<std::pair<std::string, std::string>, std::vector<uint64_t>> compared;
  /// The protocols that the program finds inside of a protocol.
  std::map<std::string, std::vector<std::string>> inside;
  /// Constants of the program, by width.
  std::map<unsigned, std::vector<uint64_t>> constants;
  /// Values that occur again and again, so that packets and tables meet.
  std::vector<uint64_t> common;
  SmallVector<Type> globals;
};

StimulusMaker::StimulusMaker(ModuleOp module, uint64_t seed) : random(seed) {
  for (auto global : module.getOps<GlobalOp>())
    globals.push_back(global.getType());
  llvm::append_range(protocols, module.getOps<ProtocolOp>());
  // The consumer of rx takes the first header.
  for (auto channel : module.getOps<ChannelOp>())
    if (channel.comesFromRx())
      for (ProtocolOp &protocol : protocols)
        if (protocol.getSymName() == channel.getProtocol())
          std::swap(protocols.front(), protocol);
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

/// Follows what was read through casts to its comparisons.
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
  // Fields of this width often say how long the packet is.
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
  if (!inner.empty() && !chance(20)) {
    const std::string &name = inner[below(inner.size())];
    for (ProtocolOp other : protocols)
      if (other.getSymName() == name)
        return other;
  }
  return protocols[below(protocols.size())];
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

/// The Internet checksum of RFC 1071 over bytes that hold a zero in its place.
uint16_t internetChecksum(ArrayRef<uint8_t> bytes) {
  uint32_t sum = 0;
  for (auto [i, byte] : llvm::enumerate(bytes))
    sum += uint32_t(byte) << (i % 2 == 0 ? 8 : 0);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return uint16_t(~sum);
}

/// A field called "checksum" mostly holds what such a field holds.
void StimulusMaker::putHeader(std::vector<uint8_t> &bytes, size_t at,
                              ProtocolOp protocol) {
  for (auto field : protocol.getFields().getAsRange<ProtocolFieldAttr>())
    for (unsigned i = 0; i < field.getCount() && field.getWidth() <= 64; ++i)
      putField(bytes, 8 * at + field.getOffset() + i * field.getWidth(),
               field.getWidth(),
               fieldValue(protocol, field, bytes.size() - at));
  ProtocolFieldAttr checksum = protocol.field("checksum");
  size_t end = at + protocol.getMinBytes();
  if (!checksum || checksum.getWidth() != 16 || end > bytes.size() ||
      chance(20))
    return;
  size_t position = 8 * at + checksum.getOffset();
  putField(bytes, position, 16, 0);
  ArrayRef<uint8_t> header(bytes.data() + at, bytes.data() + end);
  putField(bytes, position, 16, internetChecksum(header));
}

/// Scalars are numbers of their width, so that packets and tables meet.
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

PacketImage StimulusMaker::makePacket(uint32_t sequence) {
  PacketImage packet;
  packet.bytes.resize(frameBytesMin + below(frameBytesMost - frameBytesMin));
  for (uint8_t &byte : packet.bytes)
    byte = chance(50) ? uint8_t(random()) : 0;
  if (!protocols.empty() && !chance(5)) {
    ProtocolOp protocol = protocols.front();
    for (size_t at = 0; at < packet.bytes.size();) {
      putHeader(packet.bytes, at, protocol);
      at += std::max<size_t>(protocol.getMinBytes(), 1);
      protocol = protocolAfter(protocol);
    }
  }
  // A frame that the capture cut short: at least its first header is there.
  if (chance(25)) {
    size_t least = protocols.empty() ? 14 : protocols[0].getMinBytes();
    packet.bytes.resize(least + below(packet.bytes.size() - least));
  }
  packet.rxPort = uint8_t(below(target::PortCount));
  packet.sequence = sequence;
  return packet;
}

Stimulus StimulusMaker::make(size_t packetCount) {
  Stimulus stimulus;
  for (size_t i = 0; i < packetCount; ++i)
    stimulus.packets.push_back(makePacket(uint32_t(i)));
  for (Type type : globals)
    putGlobal(stimulus.globals, type);
  stimulus.garbage = uint8_t(random());
  return stimulus;
}

std::string describeEvent(const std::vector<Event> &events, size_t index) {
  return index < events.size() ? events[index].str() : "nothing";
}

} // namespace

Stimulus makeStimulus(ModuleOp module, uint64_t seed, size_t packetCount) {
  return StimulusMaker(module, seed).make(packetCount);
}

std::string firstDifference(const RunResult &before, const RunResult &after) {
  bool isWhole = before.unknown.empty() && after.unknown.empty();
  size_t whole = std::min(before.packetCount, after.packetCount);
  for (size_t i = 0; i < std::max(before.events.size(), after.events.size());
       ++i) {
    std::string wanted = describeEvent(before.events, i);
    std::string found = describeEvent(after.events, i);
    if (wanted == found)
      continue;
    auto isCut = [&](const std::vector<Event> &events) {
      return i >= events.size() || events[i].input >= whole;
    };
    if (!isWhole && isCut(before.events) && isCut(after.events))
      return "";
    return "before: " + wanted + "\n  after:  " + found;
  }
  for (size_t i = 0; isWhole && i < before.globals.size(); ++i)
    if (before.globals[i] != after.globals[i])
      return "word " + std::to_string(i) +
             " of global data\n  before: " + std::to_string(before.globals[i]) +
             "\n  after:  " + std::to_string(after.globals[i]);
  return "";
}

//===----------------------------------------------------------------------===//
// The checker
//===----------------------------------------------------------------------===//

namespace {

class PassCheck : public PassInstrumentation {
public:
  explicit PassCheck(const PassCheckOptions &options) : options(options) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module) {
      nested = pass->getArgument().str(); // in an adaptor that has no name
      return;
    }
    if (stimuli.empty())
      for (size_t i = 0; i < options.runCount; ++i)
        stimuli.push_back(
            makeStimulus(module, options.seed + i, options.packetCount));
    // What the pass before left is what this one gets.
    if (results.empty())
      results = runAll(module);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      return;
    std::string name = pass->getArgument().str();
    if (name.empty())
      name = nested;
    std::vector<RunResult> before = std::move(results);
    results.clear();
    // What make-caches adds may use values that were replaced, by its purpose,
    // and copies that the XScale core has to begin.
    if (name == "baker-lower-channels" || name == "baker-to-llvm" ||
        name == "baker-make-caches" || module.getOps<func::FuncOp>().empty()) {
      say(name, "begins anew");
      return;
    }
    results = runAll(module);
    compare(name, before, results);
  }

private:
  std::vector<RunResult> runAll(ModuleOp module) {
    std::vector<RunResult> all;
    for (const Stimulus &stimulus : stimuli)
      all.push_back(interpret(module, stimulus));
    return all;
  }

  void compare(const std::string &name, ArrayRef<RunResult> before,
               ArrayRef<RunResult> after) {
    size_t packets = 0, reached = 0;
    for (auto [index, pair] : llvm::enumerate(llvm::zip(before, after))) {
      const auto &[was, is] = pair;
      std::string difference = firstDifference(was, is);
      KARAKAL_ASSERT(
          difference.empty(),
          "the pass " + name + " changes what the program does (seed " +
              std::to_string(options.seed + index) + "):\n  " + difference);
      packets += std::min(was.packetCount, is.packetCount);
      reached = std::max(reached, is.blocksReached);
    }
    std::string unknown = after.empty() ? "" : after.front().unknown;
    say(name, "the same for " + std::to_string(packets) + " packets, " +
                  std::to_string(reached) + " of " +
                  std::to_string(after.empty() ? 0 : after.front().blockCount) +
                  " blocks" +
                  (unknown.empty() ? "" : "; does not run: " + unknown));
  }

  void say(StringRef name, const std::string &what) {
    if (options.isVerbose && !name.empty())
      llvm::errs() << "check-passes: " << name << ": " << what << "\n";
  }

  PassCheckOptions options;
  std::vector<Stimulus> stimuli;
  std::vector<RunResult> results;
  std::string nested;
};

} // namespace

std::unique_ptr<PassInstrumentation>
createPassCheck(const PassCheckOptions &options) {
  return std::make_unique<PassCheck>(options);
}

} // namespace karakal::ir
