// The runtime's receive and transmit microcode.
//
// Questions: does every frame arrive whole and in order, and is its buffer
// freed; are bad frames dropped and counted; and how many packets per second
// can each side process. The rate is printed and compared with what four ports
// of minimum frames need.

#include "RunningChip.h"
#include "sim-ixp/run/Simulation.h"
#include "target-ixp/chip/DropReasons.h"
#include "target-ixp/image/Manifest.h"

#include <gmock/gmock.h>

#include <random>

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t txEngine = 7;
constexpr double lineRateMpps = 4 * 1e3 / (84 * 8); // four ports, 1 Gbit/s

std::vector<uint8_t> frameBytes(uint32_t number, uint32_t size) {
  std::mt19937 random(number * 2654435761u + size);
  std::vector<uint8_t> bytes(size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

std::vector<traces::Packet> traceOf(const std::vector<uint32_t> &sizes) {
  std::vector<traces::Packet> trace;
  for (uint32_t i = 0; i < sizes.size(); ++i)
    trace.push_back({0, i % 4, frameBytes(i, sizes[i])});
  return trace;
}

/// The engine between Rx and Tx, without cost: a callback every few cycles.
class FreeEngine : public EventTarget {
public:
  FreeEngine(RunningChip &running, std::function<void()> work)
      : running(running), work(std::move(work)) {
    running.chip.scheduler().schedule(0, this, 0, 0);
  }
  void onEvent(uint64_t cycle, uint32_t, uint64_t) override {
    work();
    running.chip.scheduler().schedule(cycle + 10, this, 0, 0);
  }

private:
  RunningChip &running;
  std::function<void()> work;
};

/// A packet that Rx put into its ring, as stored in memory.
struct ReceivedPacket {
  uint32_t port, sequence, head, flags;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> metadata;
};

ReceivedPacket packetOf(Chip &chip, uint32_t handle) {
  Memory &sram = chip.sram(0).memory();
  uint32_t descriptor = target::descriptorAddress(handle);
  uint32_t headLength =
      sram.readWord(descriptor + 4 * target::DescriptorHeadLength);
  uint32_t ports = sram.readWord(descriptor + 4 * target::DescriptorPorts);
  ReceivedPacket packet;
  packet.port = ports >> 24;
  packet.flags = ports & 0xffffff;
  packet.sequence = sram.readWord(descriptor + 4 * target::DescriptorSequence);
  packet.head = headLength >> 16;
  const uint8_t *bytes =
      chip.dram().memory().data() + target::bufferAddress(handle) + packet.head;
  packet.bytes.assign(bytes, bytes + (headLength & 0xffff));
  for (uint32_t i = target::DescriptorMetadata; i < 16; ++i)
    packet.metadata.push_back(sram.readWord(descriptor + 4 * i));
  return packet;
}

/// Gets packets from ring 0 and frees their buffers.
std::function<void()> drain(RunningChip &running,
                            std::vector<ReceivedPacket> *packets = nullptr) {
  return [&running, packets] {
    Scratch &scratch = running.chip.scratch();
    while (uint32_t message = scratch.coreGet(target::RingRx)) {
      uint32_t handle = message & target::HandleMask;
      uint32_t descriptor = target::descriptorAddress(handle);
      uint32_t place = scratch.coreGet(target::RingRx);
      if (packets) {
        Memory &sram = running.chip.sram(0).memory();
        EXPECT_EQ(place, sram.readWord(descriptor + 4));
        packets->push_back(packetOf(running.chip, handle));
        EXPECT_EQ(packets->back().port, message >> target::RingPortShift);
      }
      running.chip.sram(0).coreEnqueue(target::FreeListEntry, handle);
    }
  };
}

void runRx(RunningChip &running, uint64_t cyclesMax) {
  running.load(target::RxEngine, "runtime/rx.uc");
  running.msf.start();
  EXPECT_TRUE(running.runToEnd(cyclesMax)) << running.chip.describeContexts();
  EXPECT_EQ(running.observer.fault, "");
}

/// A chip that repeatedly feeds Tx with packets of one shape.
struct TxOnly {
  TxOnly(uint32_t head, uint32_t length, uint64_t count,
         const target::ChipParameters &parameters)
      : running(traceOf({60}), {}, parameters),
        engine(running,
               [=] {
                 Chip &chip = running.chip;
                 while (fed < count &&
                        chip.scratch().ringLevel(target::RingTx) < 400)
                   feed(head, length);
               }),
        length(length) {}

  void feed(uint32_t head, uint32_t length) {
    Chip &chip = running.chip;
    uint32_t handle = chip.sram(0).coreDequeue(target::FreeListEntry);
    if (handle == 0)
      return;
    uint32_t descriptor = target::descriptorAddress(handle);
    uint32_t port = ports[fed % 4];
    bool inDescriptor = describedEach != 0 && fed % describedEach == 0;
    if (inDescriptor) {
      Memory &sram = chip.sram(0).memory();
      sram.writeWord(descriptor + 4, head << 16 | length);
      sram.writeWord(descriptor + 8, port << 16);
    }
    std::vector<uint8_t> bytes = frameBytes(static_cast<uint32_t>(fed), length);
    std::copy(bytes.begin(), bytes.end(),
              chip.dram().memory().data() + target::bufferAddress(handle) +
                  head);
    ASSERT_TRUE(chip.scratch().corePut(
        target::RingTx,
        inDescriptor ? handle : port << target::RingPortShift | handle,
        inDescriptor ? 0 : head << 16 | length));
    ++fed;
  }

  void run(uint64_t count, uint64_t cyclesMax) {
    running.load(txEngine, "runtime/tx.uc");
    while (running.observer.fault.empty() &&
           running.counter(target::TxPacketsCounter) < count &&
           running.chip.scheduler().now() < cyclesMax)
      running.chip.runTo(running.chip.scheduler().now() + 100);
    cycles = running.chip.scheduler().now();
    running.chip.runTo(cycles + 1'000'000);
    EXPECT_EQ(running.observer.fault, "");
    EXPECT_EQ(running.counter(target::TxPacketsCounter), count)
        << running.chip.describeContexts();
    EXPECT_EQ(running.chip.sram(0).queueLevel(0), target::BufferCount);
    ASSERT_EQ(running.sent.size(), count);
    // The numbers of a port's packets, ascending.
    std::map<uint32_t, uint32_t> next;
    for (const SentFrame &frame : running.sent) {
      uint32_t &number = next[frame.port];
      while (ports[number % 4] != frame.port)
        ++number;
      // The MAC has padded short frames with zeros.
      std::vector<uint8_t> expected = frameBytes(number, length);
      expected.resize(std::max<size_t>(length, 60));
      ASSERT_EQ(frame.bytes, expected);
      ++number;
    }
  }

  RunningChip running;
  FreeEngine engine;
  uint32_t length;
  /// The ports to which packets go, in turn.
  std::array<uint32_t, 4> ports = {0, 1, 2, 3};
  /// Every `describedEach`th packet has its head and length only in its
  /// descriptor.
  uint64_t describedEach = 0;
  uint64_t fed = 0;
  uint64_t cycles = 0;
};

/// Ports so fast that only the chip limits the rate.
target::ChipParameters fastPorts() {
  target::ChipParameters parameters;
  parameters.portsRateBps = 100'000'000'000;
  parameters.msfClockHz = 1'000'000'000;
  return parameters;
}

double mpps(uint64_t packets, uint64_t cycles) {
  return static_cast<double>(packets) * 600.0 / static_cast<double>(cycles);
}

} // namespace

//===----------------------------------------------------------------------===//
// Rx
//===----------------------------------------------------------------------===//

TEST(RxTest, PacketsAreStoredAsReceived) {
  std::vector<uint32_t> sizes;
  for (uint32_t size = 60; size <= 1522; size += 17)
    sizes.push_back(size);
  sizes.insert(sizes.end(), {60, 63, 64, 65, 127, 128, 129, 1521, 1522});
  RunningChip running(traceOf(sizes), {});
  std::vector<ReceivedPacket> packets;
  FreeEngine engine(running, drain(running, &packets));
  runRx(running, 100'000'000);
  ASSERT_EQ(packets.size(), sizes.size());
  std::map<uint32_t, uint32_t> next;
  for (uint32_t i = 0; i < packets.size(); ++i) {
    const ReceivedPacket &packet = packets[i];
    uint32_t number = packet.port + 4 * next[packet.port]++;
    EXPECT_EQ(packet.sequence, i);
    EXPECT_EQ(packet.head, target::BufferHeadroom);
    EXPECT_EQ(packet.flags, 0u);
    EXPECT_EQ(packet.bytes, frameBytes(number, sizes[number]));
    EXPECT_THAT(packet.metadata, ::testing::Each(0u));
  }
  EXPECT_EQ(running.counter(target::RxPacketsCounter), sizes.size());
}

TEST(RxTest, OversizeFramesAreDroppedAndCounted) {
  std::vector<uint32_t> sizes = {100,  1523, 1522, 9000, 64, 1600,
                                 2000, 60,   5000, 61,   62, 63};
  RunningChip running(traceOf(sizes), {});
  std::vector<ReceivedPacket> packets;
  FreeEngine engine(running, drain(running, &packets));
  runRx(running, 100'000'000);
  EXPECT_EQ(packets.size(), 7u);
  EXPECT_EQ(running.counter(target::RxOversizeCounter), 5u);
  EXPECT_EQ(running.counter(target::RxPacketsCounter), 7u);
}

TEST(RxTest, BadFramesAreDroppedAndCounted) {
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i < 200; ++i)
    sizes.push_back(60 + i * 7);
  TrafficOptions options;
  options.hasError = [](uint64_t number) { return number % 5 == 2; };
  RunningChip running(traceOf(sizes), options);
  std::vector<ReceivedPacket> packets;
  FreeEngine engine(running, drain(running, &packets));
  runRx(running, 100'000'000);
  EXPECT_EQ(running.counter(target::RxErrorsCounter), 40u);
  ASSERT_EQ(packets.size(), 160u);
  for (const ReceivedPacket &packet : packets)
    EXPECT_NE((packet.bytes.size() - 60) / 7 % 5, 2u);
}

TEST(RxTest, FullRingHoldsFramesBackAndLosesNone) {
  TrafficOptions options;
  options.packetCount = 3000;
  RunningChip running(traceOf({60, 200, 64, 1522, 128}), options);
  bool isDraining = false;
  std::vector<ReceivedPacket> packets;
  auto take = drain(running, &packets);
  FreeEngine engine(running, [&] {
    if (isDraining)
      take();
  });
  running.load(target::RxEngine, "runtime/rx.uc");
  running.msf.start();
  running.chip.runTo(5'000'000);
  EXPECT_EQ(running.observer.fault, "");
  EXPECT_LT(running.chip.scratch().ringLevel(target::RingRx), 512u);
  EXPECT_GE(running.chip.scratch().ringLevel(target::RingRx),
            target::scratchRing(target::RingRx).words * 3 / 4);
  isDraining = true;
  EXPECT_TRUE(running.runToEnd(100'000'000));
  ASSERT_EQ(packets.size(), 3000u);
  for (uint32_t i = 0; i < packets.size(); ++i)
    EXPECT_EQ(packets[i].sequence, i);
}

TEST(RxTest, EmptyFreeListHoldsFramesBackAndLosesNone) {
  TrafficOptions options;
  options.packetCount = 500;
  RunningChip running(traceOf({60, 200, 64, 1522, 128}), options);
  // Leaves twenty buffers.
  std::vector<uint32_t> away;
  while (running.chip.sram(0).queueLevel(0) > 20)
    away.push_back(running.chip.sram(0).coreDequeue(0));
  uint32_t calls = 0;
  std::vector<ReceivedPacket> packets;
  auto take = drain(running, &packets);
  FreeEngine engine(running, [&] {
    if (++calls % 1000 == 0)
      take();
    if (packets.size() == 500)
      for (; !away.empty(); away.pop_back())
        running.chip.sram(0).coreEnqueue(0, away.back());
  });
  runRx(running, 100'000'000);
  ASSERT_EQ(packets.size(), 500u);
  for (uint32_t i = 0; i < packets.size(); ++i)
    EXPECT_EQ(packets[i].sequence, i);
}

TEST(RxTest, RateOfMinimumFrames) {
  TrafficOptions options;
  options.packetCount = 20'000;
  RunningChip running(traceOf({60, 60, 60, 60}), options, fastPorts());
  FreeEngine engine(running, drain(running));
  runRx(running, 100'000'000);
  double rate = mpps(options.packetCount, running.chip.scheduler().now());
  std::printf("Rx alone: %.2f Mpps of 60-byte frames\n", rate);
  EXPECT_GT(rate, lineRateMpps);
}

TEST(RxTest, RateOfLongFrames) {
  TrafficOptions options;
  options.packetCount = 3'000;
  RunningChip running(traceOf({1518, 1518, 1518, 1518}), options, fastPorts());
  FreeEngine engine(running, drain(running));
  runRx(running, 100'000'000);
  double rate = mpps(options.packetCount, running.chip.scheduler().now());
  std::printf("Rx alone: %.2f Gbps of 1,518-byte frames\n",
              rate * 1522 * 8 / 1000);
  EXPECT_GT(rate * 1542 * 8 / 1000, 4.0);
}

//===----------------------------------------------------------------------===//
// Tx
//===----------------------------------------------------------------------===//

TEST(TxTest, SendsPacketsOfAnyHeadAndLength) {
  for (uint32_t length : {1u, 56u, 57u, 60u, 64u, 65u, 120u, 121u, 1522u})
    for (uint32_t head : {0u, 1u, 121u, 126u, 128u, 131u, 142u, 500u}) {
      SCOPED_TRACE(std::to_string(length) + " bytes at " +
                   std::to_string(head));
      TxOnly tx(head, length, 40, {});
      tx.run(40, 2'000'000);
    }
}

TEST(TxTest, PacketWithoutBytesIsDroppedAndCounted) {
  TxOnly tx(128, 0, 10, {});
  tx.running.load(txEngine, "runtime/tx.uc");
  tx.running.chip.runTo(20'000);
  EXPECT_EQ(tx.running.observer.fault, "");
  EXPECT_EQ(tx.running.counter(target::TxPacketsCounter), 0u);
  EXPECT_EQ(tx.running.counter(target::TxPacketsCounter + 8), 10u);
  EXPECT_EQ(tx.running.chip.sram(0).queueLevel(0), target::BufferCount);
}

TEST(TxTest, PacketForNoPortIsDroppedAndCounted) {
  TxOnly tx(128, 60, 24, {});
  tx.ports = {4, 1, 255, 0x80};
  tx.describedEach = 5;
  tx.running.load(txEngine, "runtime/tx.uc");
  tx.running.chip.runTo(100'000);
  EXPECT_EQ(tx.running.observer.fault, "");
  EXPECT_EQ(tx.running.counter(target::TxPacketsCounter), 6u);
  EXPECT_EQ(
      tx.running.counter(target::DropCounterBase + 4 * target::DropNoPort),
      18u);
  EXPECT_EQ(tx.running.sent.size(), 6u);
  for (const SentFrame &frame : tx.running.sent)
    EXPECT_EQ(frame.port, 1u);
  EXPECT_EQ(tx.running.chip.sram(0).queueLevel(0), target::BufferCount);
}

TEST(TxTest, RateOfMinimumFrames) {
  for (uint32_t head : {128u, 134u}) {
    constexpr uint64_t count = 20'000;
    TxOnly tx(head, 60, count, fastPorts());
    tx.run(count, 20'000'000);
    double rate = mpps(count, tx.cycles);
    std::printf("Tx alone: %.2f Mpps of 60-byte frames at offset %u\n", rate,
                head & 7);
    EXPECT_GT(rate, lineRateMpps);
  }
}

TEST(TxTest, RateOfLongFrames) {
  constexpr uint64_t count = 2'000;
  TxOnly tx(142, 1518, count, fastPorts());
  tx.run(count, 20'000'000);
  double rate = mpps(count, tx.cycles);
  std::printf("Tx alone: %.2f Gbps of 1,518-byte frames\n",
              rate * 1522 * 8 / 1000);
  EXPECT_GT(rate * 1542 * 8 / 1000, 4.0);
}

TEST(TxTest, OnePortSendsAtLineRate) {
  for (uint32_t length : {60u, 1518u}) {
    uint64_t count = length == 60 ? 5'000 : 600;
    TxOnly tx(130, length, count, {});
    tx.ports = {2, 2, 2, 2};
    tx.run(count, 20'000'000);
    const SentFrame &first = tx.running.sent[count / 2];
    const SentFrame &last = tx.running.sent.back();
    double rate = mpps(count - 1 - count / 2, last.cycle - first.cycle);
    EXPECT_NEAR(rate, 1000.0 / ((length + 24) * 8), rate * 0.002);
  }
}

TEST(TxTest, ABusyPortSendsAtLineRateWhileOthersShareTx) {
  // Three of four packets go to port 1, which limits the total to 4/3 of its
  // rate.
  constexpr uint64_t count = 5'000;
  TxOnly tx(128, 60, count, {});
  tx.ports = {1, 1, 3, 1};
  tx.run(count, 20'000'000);
  const SentFrame &first = tx.running.sent[count / 2];
  const SentFrame &last = tx.running.sent.back();
  double rate = mpps(count - 1 - count / 2, last.cycle - first.cycle);
  EXPECT_NEAR(rate, 4.0 / 3 * 1000 / (84 * 8), 0.1);
}

//===----------------------------------------------------------------------===//
// Both, with the least program between them
//===----------------------------------------------------------------------===//

namespace {

/// Busy cycles of an engine for each packet sent.
void printCost(RunningChip &running, uint32_t engine) {
  EngineCounters spent =
      running.chip.engine(engine).countersAt(running.chip.scheduler().now());
  double packets = static_cast<double>(running.sent.size());
  std::printf("  engine %u: %.1f instructions, %.1f aborted, %.1f stalled "
              "cycles a packet\n",
              engine, static_cast<double>(spent.issueCycles) / packets,
              static_cast<double>(spent.abortedCycles) / packets,
              static_cast<double>(spent.stallCycles) / packets);
}

void runLoopback(RunningChip &running, uint64_t cyclesMax,
                 const std::map<std::string, std::string> &defines = {}) {
  running.load(target::RxEngine, "runtime/rx.uc");
  running.load(target::AppEngineFirst, "tests/runtime/loopback.uc", defines);
  running.load(txEngine, "runtime/tx.uc");
  running.msf.start();
  EXPECT_TRUE(running.runToEnd(cyclesMax)) << running.chip.describeContexts();
  EXPECT_EQ(running.observer.fault, "");
}

} // namespace

TEST(LoopbackTest, EveryFrameComesOutWholeAndInOrder) {
  std::vector<uint32_t> sizes;
  for (uint32_t size = 60; size <= 1522; ++size)
    sizes.push_back(size);
  std::mt19937 random(1);
  std::shuffle(sizes.begin(), sizes.end(), random);
  RunningChip running(traceOf(sizes), {});
  runLoopback(running, 100'000'000);
  ASSERT_EQ(running.sent.size(), sizes.size());
  std::map<uint32_t, uint32_t> next;
  for (const SentFrame &frame : running.sent) {
    uint32_t from = frame.port ^ 1;
    uint32_t number = from + 4 * next[from]++;
    ASSERT_EQ(frame.number, number);
    ASSERT_EQ(frame.bytes, frameBytes(number, sizes[number]));
    EXPECT_GT(frame.latencyCycles, 100u);
  }
  EXPECT_EQ(running.counter(target::TxPacketsCounter), sizes.size());
}

TEST(LoopbackTest, RunsAreDeterministic) {
  std::vector<uint64_t> cycles[2];
  for (auto &run : cycles) {
    RunningChip running(traceOf({60, 1500, 70, 300, 64, 600, 1522}), {});
    runLoopback(running, 10'000'000);
    for (const SentFrame &frame : running.sent)
      run.push_back(frame.cycle);
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST(LoopbackTest, MinimumFramesAtLineRateOfFourPorts) {
  for (bool isTouching : {false, true}) {
    TrafficOptions options;
    options.packetCount = 30'000;
    RunningChip running(traceOf({60, 60, 60, 60}), options);
    std::map<std::string, std::string> defines;
    if (isTouching)
      defines["TOUCH"] = "";
    runLoopback(running, 100'000'000, defines);
    ASSERT_EQ(running.sent.size(), options.packetCount);
    const SentFrame &first = running.sent[1000];
    const SentFrame &last = running.sent[29'000];
    double rate = mpps(28'000, last.cycle - first.cycle);
    std::vector<uint64_t> latencies;
    for (const SentFrame &frame : running.sent)
      latencies.push_back(frame.latencyCycles);
    std::sort(latencies.begin(), latencies.end());
    std::printf(
        "Loopback%s: %.3f Mpps, %.2f Gbps of 64-byte frames, latency %llu "
        "(median) to %llu cycles\n",
        isTouching ? " with 32 bytes read and written" : "", rate,
        rate * 64 * 8 / 1000,
        static_cast<unsigned long long>(latencies[latencies.size() / 2]),
        static_cast<unsigned long long>(latencies.back()));
    for (uint32_t engine : {target::RxEngine, txEngine})
      printCost(running, engine);
    EXPECT_GT(rate, lineRateMpps * 0.99);
  }
}

namespace {

/// Rx, the smallest program on engine 1, and Tx, placed as the driver does.
target::Image loopbackImage() {
  target::Image image;
  image.manifest = target::defaultManifest("loopback", "asm");
  const std::pair<const char *, const char *> files[] = {
      {"rx", "runtime/rx.uc"},
      {"main", "tests/runtime/loopback.uc"},
      {"tx", "runtime/tx.uc"}};
  for (auto [name, path] : files) {
    auto program =
        target::assembleFile(std::string(KARAKAL_SOURCE_DIR) + "/" + path);
    EXPECT_TRUE(bool(program)) << program.error().str();
    if (program)
      image.microcode[name] = program->words;
  }
  image.manifest["aggregates"].push_back(
      {{"name", "main"},
       {"ucode", "main"},
       {"words", image.microcode["main"].size()},
       {"engines", {target::AppEngineFirst}}});
  auto &engines = image.manifest["engines"];
  engines.push_back(
      {{"engine", target::RxEngine}, {"role", "rx"}, {"ucode", "rx"}});
  engines.push_back({{"engine", target::AppEngineFirst},
                     {"role", "app"},
                     {"ucode", "main"},
                     {"aggregate", "main"}});
  engines.push_back({{"engine", txEngine}, {"role", "tx"}, {"ucode", "tx"}});
  return image;
}

} // namespace

TEST(LoopbackTest, ImageRunsInTheSimulatorAndAccountsForAllPackets) {
  std::string path = ::testing::TempDir() + "loopback.ixp";
  Status written = target::writeImage(path, loopbackImage());
  ASSERT_TRUE(bool(written)) << written.error().str();
  auto image = target::readImage(path);
  ASSERT_TRUE(bool(image)) << image.error().str();
  std::vector<uint32_t> sizes = {60, 1522, 64, 9000, 700, 65, 128, 1523};
  SimulationOptions options;
  options.keepFrames = true;
  options.packets = 1600;
  auto run = Simulation::create(options, *image, traceOf(sizes), {});
  ASSERT_TRUE(bool(run)) << run.error().str();
  Status ended = (*run)->run();
  ASSERT_TRUE(bool(ended)) << ended.error().str();
  const PacketCounters &packets = (*run)->accounting().counters();
  EXPECT_EQ(packets.received, 1200u);
  EXPECT_EQ(packets.forwarded, 1200u);
  EXPECT_EQ(packets.transmitted, 1200u);
  EXPECT_EQ(packets.lost, 0u);
  EXPECT_EQ((*run)->accounting().outstandingCount(), 0u);
  EXPECT_EQ((*run)->scratchWord(target::RxOversizeCounter), 400u);
  EXPECT_EQ((*run)->reorderedCount(), 0u);
  for (const SentFrame &frame : (*run)->sentFrames()) {
    uint32_t number = static_cast<uint32_t>(frame.number % sizes.size());
    ASSERT_EQ(frame.port, (number % 4) ^ 1);
    ASSERT_EQ(frame.bytes, frameBytes(number, sizes[number]));
  }
}

TEST(LoopbackTest, OverloadIsLostOnlyAtThePorts) {
  // Ten gigabits per second and port are more than the program can process.
  SimulationOptions options;
  options.parameters = fastPorts();
  options.parameters.portsRateBps = 10'000'000'000;
  options.packets = 20'000;
  options.offeredGbps = 12;
  auto run = Simulation::create(options, loopbackImage(),
                                traceOf({60, 60, 60, 60}), {});
  ASSERT_TRUE(bool(run)) << run.error().str();
  Status ended = (*run)->run();
  ASSERT_TRUE(bool(ended)) << ended.error().str();
  const PacketCounters &packets = (*run)->accounting().counters();
  EXPECT_GT(packets.lost, 1000u);
  EXPECT_EQ(packets.received + packets.lost, options.packets);
  EXPECT_EQ(packets.transmitted, packets.received);
}
