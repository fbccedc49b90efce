// The core as part of the chip.
//
// Small ARM functions, given as words, access every memory and device from the
// core's side; the test checks them from the chip's side.

#include "sim-ixp/core/XScale.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/chip/EngineTable.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RingLayout.h"

#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::sim;

namespace {

/// Records what the core did to buffers, and its faults.
struct CoreObserver : ChipObserver {
  std::string fault;
  std::vector<uint32_t> dequeued, enqueued;
  void onDequeue(uint32_t, uint32_t, uint32_t handle, uint32_t) override {
    dequeued.push_back(handle);
  }
  void onEnqueue(uint32_t, uint32_t, uint32_t handle, uint32_t) override {
    enqueued.push_back(handle);
  }
  void onFault(uint32_t engine, const std::string &what) override {
    EXPECT_EQ(engine, xscaleActor);
    fault = what;
  }
};

// Addresses of the functions.
constexpr uint32_t peekEntry = target::XScaleBase;
constexpr uint32_t pokeEntry = target::XScaleBase + 0x100;
constexpr uint32_t addEntry = target::XScaleBase + 0x200;
constexpr uint32_t handlerEntry = target::XScaleBase + 0x300;
constexpr uint32_t waitEntry = target::XScaleBase + 0x400;
constexpr uint32_t badEntry = target::XScaleBase + 0x500;
constexpr uint32_t oneEntry = target::XScaleBase + 0x600;
constexpr uint32_t pairEntry = target::XScaleBase + 0x700;

class XScaleTest : public ::testing::Test, public EventTarget {
protected:
  void make(uint32_t handler) {
    place(peekEntry, {0xe5900004, 0xe5900000, 0xe12fff1e});
    place(pokeEntry, {0xe590100c, 0xe5900004, 0xe5801000, 0xe12fff1e});
    // low words of two arguments, added
    place(addEntry, {0xe5901004, 0xe590200c, 0xe0810002, 0xe12fff1e});
    // while ((v = get(ring 2))) put(ring 3, v + r0)
    place(handlerEntry,
          {0xe59f2028, 0xe5923000, 0xe3a01000, 0xea000003, 0xe0833000,
           0xe5823004, 0xe2811001, 0xe5923000, 0xe3530000, 0x01a00001,
           0x012fff1e, 0xeafffff7, 0xcb400008});
    // while (get(ring 3) == 0); get(ring 2); return
    place(waitEntry, {0xe59f2014, 0xe592300c, 0xe3530000, 0x0afffffc,
                      0xe5923008, 0xe12fff1e, 0x00000000, 0xcb400000});
    place(badEntry, {0xe3a00247, 0xe5900000, 0xe12fff1e});
    // put(ring 3, get(ring 2))
    place(oneEntry,
          {0xe59f2008, 0xe5923008, 0xe582300c, 0xe12fff1e, 0xcb400000});
    for (uint32_t ring : {target::RingToXScale, target::RingFromXScale})
      chip.scratch().configureRing(ring, target::scratchRing(ring).base,
                                   target::scratchRing(ring).words, false);
    XScaleConnections around = chip.coreConnections();
    around.media = media;
    auto made = XScale::create(
        around, {handler, target::XScaleStackTop, target::XScaleArguments});
    ASSERT_TRUE(bool(made)) << made.error().str();
    core = std::move(*made);
    chip.scratch().onNotEmpty(
        [this](uint32_t ring) { core->onRingNotEmpty(ring); });
    chip.cap().onInterrupt([this](uint32_t, uint32_t) { core->onInterrupt(); });
  }
  void place(uint32_t address, const std::vector<uint32_t> &words) {
    for (uint32_t word : words) {
      chip.dram().memory().writeWord(address, word);
      address += 4;
    }
  }
  uint32_t peek(uint32_t address) {
    auto result = core->call(peekEntry, {address});
    EXPECT_TRUE(bool(result)) << result.error().str();
    return result ? *result : 0;
  }
  void poke(uint32_t address, uint32_t value) {
    auto result = core->call(pokeEntry, {address, value});
    EXPECT_TRUE(bool(result)) << result.error().str();
  }
  /// Runs a function in chip time, with `eachCycle` before each cycle; returns
  /// its cycles. The result is `returned`, or `failure`.
  uint64_t timed(
      uint32_t entry, const std::vector<int64_t> &arguments,
      const std::function<void()> &eachCycle = [] {}) {
    bool hasReturned = false;
    core->start(entry, arguments, [&](const Result<uint32_t> &result) {
      hasReturned = true;
      returned = result ? *result : 0;
      failure = result ? "" : result.error().message;
    });
    uint64_t begin = chip.scheduler().now();
    uint64_t cycle = begin;
    while (!hasReturned && cycle < begin + 1'000'000) {
      eachCycle();
      chip.runTo(++cycle);
    }
    EXPECT_TRUE(hasReturned);
    return cycle - begin;
  }
  /// A message for the core at `cycle`.
  void send(uint64_t cycle, uint32_t message) {
    chip.scheduler().schedule(cycle, this, 0, message);
  }
  /// A command of engine 0, context 0, for one unit at `address`.
  Command &issue(target::Op op, uint32_t address, uint8_t xfer,
                 TransferKind kind) {
    Command &command = chip.chassis().allocate();
    command.engine = command.context = command.signal = 0;
    command.isIndirect = command.isSignalPair = false;
    command.op = op;
    command.address = address;
    command.count = 1;
    command.xfer = xfer;
    command.kind = kind;
    EXPECT_TRUE(chip.chassis().issue(command));
    return command;
  }
  void onEvent(uint64_t, uint32_t, uint64_t argument) override {
    EXPECT_TRUE(chip.scratch().corePut(target::RingToXScale,
                                       static_cast<uint32_t>(argument)));
  }

  uint32_t returned = 0;
  std::string failure;
  MediaInterface *media = nullptr;
  CoreObserver observer;
  Chip chip{target::ChipParameters(), observer};
  std::unique_ptr<XScale> core;
};

} // namespace

TEST_F(XScaleTest, ControlFunctionReadsItsArguments) {
  make(0);
  auto result = core->call(addEntry, {40, 2});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(*result, 42u);
  EXPECT_GT(core->callCycles(), 0u);
  EXPECT_FALSE(core->isBusy());
  EXPECT_EQ(chip.dram().memory().readWord(target::XScaleArguments + 12), 2u);
}

TEST_F(XScaleTest, NegativeArgumentIsSignExtended) {
  make(0);
  ASSERT_TRUE(bool(core->call(addEntry, {-1, 2})));
  EXPECT_EQ(chip.dram().memory().readWord(target::XScaleArguments), ~0u);
}

TEST_F(XScaleTest, MemoriesAreShared) {
  make(0);
  chip.sram(0).memory().writeWord(0x20, 0x01020304);
  chip.sram(1).memory().writeWord(0x24, 0x11121314);
  chip.scratch().memory().writeWord(0x3c00, 0x21222324);
  EXPECT_EQ(peek(target::XScaleSram0 + 0x20), 0x01020304u);
  EXPECT_EQ(peek(target::XScaleSram1 + 0x24), 0x11121314u);
  EXPECT_EQ(peek(target::XScaleScratch + 0x3c00), 0x21222324u);
  poke(target::XScaleSram1 + 0x28, 77);
  poke(target::XScaleDram + 0x200000, 78);
  EXPECT_EQ(chip.sram(1).memory().readWord(0x28), 77u);
  EXPECT_EQ(chip.dram().memory().readWord(0x200000), 78u);
}

/// The unit has accepted the write but not served it. The core's read follows
/// it, and the engine's earlier read precedes the core's write.
TEST_F(XScaleTest, CoreAccessesFollowAcceptedDramCommands) {
  make(0);
  constexpr uint32_t place = 0x200000;
  chip.dram().memory().writeWord(place, 1);
  chip.engine(0).poke(reg::dOut, 2);
  for (int i = 0; i < 3; ++i)
    issue(target::Op::DramRead, place, 2,
          TransferKind::D); // reads keep the bank busy
  issue(target::Op::DramWrite, place, 0, TransferKind::D);
  issue(target::Op::DramRead, place, 4, TransferKind::D);
  chip.runTo(40);
  EXPECT_EQ(chip.dram().memory().readWord(place), 1u) << "served too early";
  EXPECT_EQ(peek(target::XScaleDram + place), 2u);
  poke(target::XScaleDram + place, 3);
  chip.runTo(2000);
  EXPECT_EQ(chip.engine(0).peek(reg::dIn + 2), 1u);
  EXPECT_EQ(chip.engine(0).peek(reg::dIn + 4), 2u);
  EXPECT_EQ(chip.dram().memory().readWord(place), 3u);
}

TEST_F(XScaleTest, CoreAccessesFollowAcceptedSramCommands) {
  make(0);
  constexpr uint32_t place = 0x2000, queue = 5u << 24;
  chip.engine(0).poke(reg::sOut, 2);
  for (int i = 0; i < 8; ++i)
    issue(target::Op::SramWrite, 0x3000, 1,
          TransferKind::S); // keep the write port busy
  issue(target::Op::SramWrite, place, 0, TransferKind::S);
  issue(target::Op::SramEnqueue, queue | 0x4000, 0, TransferKind::S);
  chip.runTo(60);
  EXPECT_EQ(chip.sram(0).memory().readWord(place), 0u) << "served too early";
  EXPECT_EQ(peek(target::XScaleSram0 + place), 2u);
  EXPECT_EQ(peek(target::xscaleQueue(0, 5)), 0x4000u);
  EXPECT_EQ(peek(target::xscaleQueue(0, 5)), 0u);
  chip.runTo(2000);
  EXPECT_EQ(observer.enqueued.size(), 1u) << "once a command";
}

constexpr uint32_t csrsOfEngine5 = 0xc0018000 + 0x11 * 0x400;

/// The loader's sequence of registers (MEv2 reference, loading code).
TEST_F(XScaleTest, CoreLoadsAndStartsAnEngine) {
  make(0);
  constexpr uint32_t csrs = csrsOfEngine5;
  auto csr = [&](uint32_t offset, uint32_t value) {
    poke(csrs + offset, value);
  };
  csr(target::Csr_CC_ENABLE, 0x2000);
  csr(target::Csr_NN_PUT, 0), csr(target::Csr_NN_GET, 0);
  csr(target::Csr_T_INDEX_BYTE_INDEX, 0);
  csr(target::Csr_USTORE_ADDRESS, 0x80000000);
  // nop; immed[a5, 0x30]; ctx_arb[kill]
  for (uint64_t word : {0xf0000c0300, 0xf0000cc005, 0xe000010000}) {
    uint64_t upper = __builtin_parityll(word >> 20 & 0xfffff);
    uint64_t lower = __builtin_parityll(word & 0xfffff);
    word |= upper << 41 | lower << 40;
    csr(target::Csr_USTORE_DATA_LOWER, static_cast<uint32_t>(word));
    csr(target::Csr_USTORE_DATA_UPPER, static_cast<uint32_t>(word >> 32));
  }
  EXPECT_EQ(peek(csrs + target::Csr_USTORE_ADDRESS), 0x80000003u);
  EXPECT_EQ(peek(csrs + target::Csr_USTORE_ERROR_STATUS), 0u);
  csr(target::Csr_USTORE_ADDRESS, 0);
  csr(target::Csr_CSR_CTX_POINTER, 2);
  csr(target::Csr_INDIRECT_CTX_SIG_EVENTS, 1);
  csr(target::Csr_INDIRECT_CTX_WAKEUP_EVENTS, 1);
  csr(target::Csr_INDIRECT_CTX_STS, 1);
  csr(target::Csr_CTX_ENABLES, 1u << (8 + 2));
  chip.runTo(chip.scheduler().now() + 10000);
  EXPECT_EQ(chip.engine(5).peek(reg::gprA + 2 * 16 + 5), 0x30u);
  EXPECT_FALSE(chip.engine(5).isAlive());
  EXPECT_EQ(observer.fault, "");
}

/// A program that the engine knows brings its name and its profile with it,
/// also if words of a longer one are left after it.
TEST_F(XScaleTest, CoreExchangesKnownPrograms) {
  make(0);
  Microengine &engine = chip.engine(5);
  // immed[a5, 0x30]; ctx_arb[kill], and the same after a nop
  std::vector<uint64_t> shorter = {0xf0000cc005, 0xe000010000};
  std::vector<uint64_t> longer = {0xf0000c0300, 0xf0000cc005, 0xe000010000};
  for (auto [words, name] : {std::pair(longer, "with"), {shorter, "without"}}) {
    auto program = std::make_shared<MicroProgram>(prepareProgram(words));
    program->name = name;
    engine.know(words, program);
    if (!engine.loaded())
      engine.load(program);
  }
  engine.startProfile();
  for (const auto &words : {longer, shorter, longer}) {
    poke(csrsOfEngine5 + target::Csr_USTORE_ADDRESS, 0x80000000);
    for (uint64_t word : words) {
      uint64_t stored = target::withParity(word);
      poke(csrsOfEngine5 + target::Csr_USTORE_DATA_LOWER, uint32_t(stored));
      poke(csrsOfEngine5 + target::Csr_USTORE_DATA_UPPER,
           uint32_t(stored >> 32));
    }
    poke(csrsOfEngine5 + target::Csr_CSR_CTX_POINTER, 2);
    poke(csrsOfEngine5 + target::Csr_INDIRECT_CTX_SIG_EVENTS, 1);
    poke(csrsOfEngine5 + target::Csr_INDIRECT_CTX_WAKEUP_EVENTS, 1);
    poke(csrsOfEngine5 + target::Csr_INDIRECT_CTX_STS, 0);
    poke(csrsOfEngine5 + target::Csr_CTX_ENABLES, 1u << (8 + 2));
    EXPECT_EQ(engine.loaded()->name, words == longer ? "with" : "without");
    chip.runTo(chip.scheduler().now() + 10000);
    EXPECT_FALSE(engine.isAlive());
    poke(csrsOfEngine5 + target::Csr_CTX_ENABLES, 0);
  }
  EXPECT_EQ(engine.coreLoadCount(), 3u);
  std::map<std::string, uint64_t> runs; // by program
  engine.forEachProfile(
      [&](const MicroProgram &program, const EngineProfile &profile) {
        runs[program.name] = profile.issued().front();
      });
  EXPECT_EQ(runs,
            (std::map<std::string, uint64_t>{{"with", 2}, {"without", 1}}));
  EXPECT_EQ(observer.fault, "");
}

TEST_F(XScaleTest, WordWithWrongParityIsNotStored) {
  make(0);
  constexpr uint32_t csrs = 0xc0018000;
  poke(csrs + target::Csr_USTORE_ADDRESS, 0x80000000);
  poke(csrs + target::Csr_USTORE_DATA_LOWER, 1);
  poke(csrs + target::Csr_USTORE_DATA_UPPER, 0);
  EXPECT_EQ(peek(csrs + target::Csr_USTORE_ADDRESS), 0x80000000u);
  EXPECT_EQ(peek(csrs + target::Csr_USTORE_ERROR_STATUS), 0x80000000u);
}

TEST_F(XScaleTest, EngineInterruptStartsTheHandler) {
  make(handlerEntry);
  Command &command =
      issue(target::Op::CapFastWr, Cap::interruptA, 0, TransferKind::S);
  command.data[0] = 77;
  chip.runTo(60);
  EXPECT_EQ(core->statistics().jobs, 0u) << "the latency of an interrupt";
  chip.runTo(10'000);
  EXPECT_EQ(core->statistics().jobs, 1u);
  EXPECT_EQ(peek(0xc0000000 + Cap::interruptA), 77u) << "who and why";
  EXPECT_EQ(peek(0xc0000000 + Cap::interruptA), 0u) << "reading clears";
}

TEST_F(XScaleTest, DeviceAddressSelectsTheOperation) {
  make(0);
  chip.sram(0).fillQueue(0, 0x4000);
  EXPECT_EQ(peek(target::xscaleQueue(0, 0)), 0x4000u);
  EXPECT_EQ(peek(target::xscaleQueue(0, 0)), 0u);
  poke(target::xscaleQueue(0, 0), 0x4010);
  EXPECT_EQ(chip.sram(0).queueLevel(0), 1u);
  EXPECT_EQ(observer.enqueued, std::vector<uint32_t>{0x4010});

  poke(target::XScaleScratchAdd + 0x3c04, 5);
  poke(target::XScaleScratchAdd + 0x3c04, 6);
  EXPECT_EQ(chip.scratch().memory().readWord(0x3c04), 11u);
  EXPECT_EQ(peek(target::XScaleScratchTestSet + 0x2400), 0u);
  EXPECT_EQ(peek(target::XScaleScratchTestSet + 0x2400), 1u);
  EXPECT_EQ(chip.scratch().memory().readWord(0x2400), 1u);
  poke(target::XScaleSramAdd + (1u << target::XScaleSramChannelShift) + 0x40,
       9);
  EXPECT_EQ(chip.sram(1).memory().readWord(0x40), 9u);

  // An operand, then a load that applies it and gives the word before.
  uint32_t alias =
      target::XScaleSramAdd + (1u << target::XScaleSramChannelShift) + 0x40;
  const uint32_t steps[][4] = {// operation, operand, before, after
                               {0, 3, 9, 12},
                               {1, 3, 12, 15},
                               {2, 6, 15, 9},
                               {3, 77, 9, 77}};
  for (auto [operation, operand, before, after] : steps) {
    poke(target::XScaleAtomicOperand + 4 * operation, operand);
    EXPECT_EQ(peek(alias), before);
    EXPECT_EQ(chip.sram(1).memory().readWord(0x40), after);
  }
  poke(target::XScaleAtomicOperand + 4, 0xf0);
  EXPECT_EQ(peek(target::XScaleScratchAdd + 0x3c04), 11u);
  EXPECT_EQ(chip.scratch().memory().readWord(0x3c04), 0xfbu);

  EXPECT_EQ(peek(target::XScaleRingStatus + 4 * 3),
            target::XScaleRingStatusEmpty);
  poke(target::XScaleRingData + 4 * 3, 99);
  EXPECT_EQ(peek(target::XScaleRingStatus + 4 * 3), 0u);
  EXPECT_EQ(peek(target::XScaleRingData + 4 * 3), 99u);
  EXPECT_EQ(observer.fault, "");
}

TEST_F(XScaleTest, MediaInterfaceIsReachedThroughItsWindow) {
  traces::Packet packet;
  packet.bytes.resize(60);
  TrafficSource source({packet}, TrafficOptions());
  Msf msf(chip.chassis(), observer, source);
  media = &msf;
  make(0);
  poke(0xc8000000 + target::MsfRxControl, 1 << 2);
  EXPECT_EQ(peek(0xc8000000 + target::MsfRxControl), 1u << 2);
  EXPECT_EQ(peek(0xc8000000 + target::MsfTxSequence), msf::sequenceEmpty);
  poke(0xc8000000 + target::MsfRbufElementDone, 7);
  EXPECT_EQ(observer.fault, "") << "the first time";
  poke(0xc8000000 + target::MsfRbufElementDone, 7);
  EXPECT_NE(observer.fault.find("RBUF element 7"), std::string::npos);
}

TEST_F(XScaleTest, PutIntoAFullRingIsAFault) {
  make(0);
  for (uint32_t i = 1; i <= target::scratchRing(3).words; ++i)
    poke(target::XScaleRingData + 4 * 3, i);
  EXPECT_EQ(observer.fault, "");
  EXPECT_EQ(peek(target::XScaleRingStatus + 4 * 3),
            target::XScaleRingStatusFull);
  poke(target::XScaleRingData + 4 * 3, 1);
  EXPECT_NE(observer.fault.find("ring 3"), std::string::npos);
}

TEST_F(XScaleTest, HandlerRunsWhenMessagesArrive) {
  make(handlerEntry);
  send(1000, 5);
  send(1001, 6);
  send(50'000, 7);
  chip.runTo(49'000);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingToXScale), 0u);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingFromXScale), 2u);
  chip.runTo(100'000);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingFromXScale), 3u);
  EXPECT_GE(core->statistics().jobs, 2u);
}

TEST_F(XScaleTest, HandlerCanWaitForAnEngine) {
  make(waitEntry);
  send(100, 5);
  chip.runTo(200'000);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingToXScale), 1u);
  EXPECT_TRUE(core->isBusy());
  ASSERT_TRUE(chip.scratch().corePut(target::RingFromXScale, 1));
  chip.runTo(300'000);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingToXScale), 0u);
  EXPECT_EQ(core->fault(), nullptr);
}

TEST_F(XScaleTest, HandlerWaitsForACall) {
  make(waitEntry);
  uint64_t cycles = timed(pokeEntry, {target::XScaleSram0, 7}, [this] {
    if (chip.scratch().ringLevel(target::RingToXScale) == 0)
      EXPECT_TRUE(chip.scratch().corePut(target::RingToXScale, 5));
    EXPECT_LE(core->statistics().jobs, 1u);
  });
  EXPECT_GT(cycles, 100u);
  chip.runTo(cycles + 10'000);
  EXPECT_EQ(core->statistics().jobs, 2u);
}

/// A handler that takes one message a call: r0 = get(ring 2), put(ring 3, r0).
TEST_F(XScaleTest, ACallGoesBeforeTheMessagesThatWait) {
  make(oneEntry);
  for (uint32_t i = 1; i <= 20; ++i)
    ASSERT_TRUE(chip.scratch().corePut(target::RingToXScale, i));
  chip.runTo(300);
  uint32_t before = chip.scratch().ringLevel(target::RingToXScale);
  EXPECT_GT(before, 15u);
  timed(peekEntry, {target::XScaleSram0});
  EXPECT_GE(chip.scratch().ringLevel(target::RingToXScale), before - 1);
  chip.runTo(100'000);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingToXScale), 0u);
  EXPECT_EQ(chip.scratch().ringLevel(target::RingFromXScale), 20u);
}

TEST_F(XScaleTest, ACallReturnsItsResultAndEndsInChipTime) {
  make(0);
  chip.sram(0).memory().writeWord(0x20, 42);
  uint64_t cycles = timed(peekEntry, {target::XScaleSram0 + 0x20});
  EXPECT_EQ(returned, 42u);
  // Two cold lines of code and one of arguments, and the access.
  EXPECT_GE(cycles, 100u);
  EXPECT_LE(cycles, 100u + 3 * 150);
  EXPECT_EQ(core->statistics().times.accesses, 1u);
  // The second time the lines are in the caches.
  EXPECT_NEAR(
      static_cast<double>(timed(peekEntry, {target::XScaleSram0 + 0x20})), 108,
      6);
}

/// Two stores with a loop of `r2` iterations between them.
TEST_F(XScaleTest, AnEngineSeesTheStateBetweenTwoStores) {
  make(0);
  place(pairEntry, {0xe5901004, // r1 = address
                    0xe3a02032, // r2 = 50
                    0xe3a03001, // r3 = 1
                    0xe5813000, // r1[0] = 1
                    0xe2522001, // do r2 -= 1
                    0x1afffffd, // while (r2 != 0)
                    0xe5813004, // r1[1] = 1
                    0xe12fff1e});
  uint64_t half = 0;
  timed(pairEntry, {target::XScaleSram0}, [&] {
    Memory &memory = chip.sram(0).memory();
    half += memory.readWord(0) != memory.readWord(4);
  });
  EXPECT_GE(half, 100u);
  EXPECT_LE(half, 400u);
}

TEST_F(XScaleTest, TheCoreWaitsForALockThatAnEngineHolds) {
  make(0);
  constexpr uint32_t lock = 0x2400;
  chip.scratch().memory().writeWord(lock, 1);
  // do r0 = test_and_set(r1); while (r0 != 0)
  place(pairEntry,
        {0xe5901004, 0xe5910000, 0xe3500000, 0x1afffffc, 0xe12fff1e});
  uint64_t cycles = 0;
  uint64_t end = timed(pairEntry, {target::XScaleScratchTestSet + lock}, [&] {
    if (++cycles == 5000)
      chip.scratch().memory().writeWord(lock, 0);
  });
  EXPECT_GT(end, 5000u);
  EXPECT_LT(end, 5300u);
  EXPECT_EQ(chip.scratch().memory().readWord(lock), 1u);
}

TEST_F(XScaleTest, AccessesOccupyTheUnitsTheyGoTo) {
  make(0);
  const target::ChipParameters &params = chip.parameters();
  auto busy = [&](const Server &server, uint32_t address, bool isWrite) {
    uint64_t before = server.busyCycles();
    if (isWrite)
      timed(pokeEntry, {address, 1});
    else
      timed(peekEntry, {address});
    return server.busyCycles() - before;
  };
  EXPECT_EQ(busy(chip.sram(1).reader(), target::XScaleSram1, false),
            params.sramOpCycles);
  EXPECT_EQ(busy(chip.sram(1).writer(), target::XScaleSram1, true),
            params.sramOpCycles);
  EXPECT_EQ(busy(chip.sram(0).reader(), target::XScaleSram1, false), 0u);
  EXPECT_EQ(busy(chip.sram(1).reader(), target::xscaleQueue(1, 2), false),
            params.sramQueueCycles);
  EXPECT_EQ(busy(chip.sram(0).writer(), target::XScaleSramAdd, true),
            params.sramAtomicCycles);
  EXPECT_EQ(busy(chip.scratch().server(), target::XScaleScratch, false),
            params.scratchOpCycles);
  EXPECT_EQ(busy(chip.scratch().server(), target::XScaleScratchAdd, true),
            params.scratchAtomicCycles);
  EXPECT_EQ(busy(chip.scratch().server(), target::XScaleRingData, false),
            params.scratchOpCycles);
  EXPECT_EQ(busy(chip.cap().server(), 0xc0000000, false), params.busCycles);
  uint64_t bus = chip.dram().bus().busyCycles();
  timed(peekEntry, {0x100000});
  EXPECT_GT(chip.dram().bus().busyCycles(), bus);
}

TEST_F(XScaleTest, AnAccessWaitsForAUnitThatIsBusy) {
  make(0);
  timed(peekEntry, {target::XScaleSram0}); // fills the caches
  uint64_t alone = timed(peekEntry, {target::XScaleSram0});
  chip.sram(0).reader().reserve(chip.scheduler().now(), 5000);
  uint64_t waiting = timed(peekEntry, {target::XScaleSram0});
  EXPECT_NEAR(static_cast<double>(waiting - alone), 5000, 20);
}

TEST_F(XScaleTest, AFaultOfACallIsItsResult) {
  make(0);
  timed(badEntry, {});
  EXPECT_NE(failure.find("reads 0x70000004"), std::string::npos) << failure;
  EXPECT_NE(core->fault(), nullptr);
  EXPECT_FALSE(core->isBusy());
}

TEST_F(XScaleTest, HandlerFaultIsReported) {
  make(badEntry);
  send(100, 5);
  chip.runTo(10'000);
  ASSERT_NE(core->fault(), nullptr);
  EXPECT_NE(core->fault()->message.find("reads 0x70000004"), std::string::npos);
  EXPECT_NE(observer.fault, "");
}
