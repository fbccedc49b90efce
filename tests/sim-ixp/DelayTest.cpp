// Is each timing right?
//
// For every delay and latency of the references, the earliest legal use is one
// cycle after the last illegal one. A probe puts `between` instructions between
// a cause and its use and reports whether the use saw the effect. The smallest
// number that suffices must be that of the reference, and every larger one must
// suffice too.

#include "OneEngine.h"
#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/Msf.h"

#include <algorithm>
#include <functional>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

/// Counts hazards besides faults.
class CountingRecorder : public FaultObserver {
public:
  void onHazard(const Hazard &hazard) override { kinds.push_back(hazard.kind); }
  bool has(HazardKind kind) const {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  std::vector<HazardKind> kinds;
};

} // namespace

class IsEachTimingRight : public ::testing::Test {
protected:
  using Prepare = std::function<void(Microengine &)>;

  /// Runs `cause`, `between` nops and `use`; a0 tells what `use` saw.
  uint32_t seen(const Program &cause, uint32_t between, const Program &use,
                const Prepare &prepare = {}, bool mayFail = false) {
    observer.kinds.clear();
    observer.fault.clear();
    chip = std::make_unique<Chip>(parameters, observer);
    Program program = cause;
    program.insert(program.end(), between, nop());
    program.insert(program.end(), use.begin(), use.end());
    program.push_back(ctxArbKill());
    Microengine &engine = chip->engine(0);
    engine.load(
        std::make_shared<MicroProgram>(prepareProgram(assemble(program))));
    if (prepare)
      prepare(engine);
    engine.start(1);
    chip->runTo(5000);
    if (!mayFail)
      EXPECT_EQ(observer.fault, "");
    return engine.peek(reg::gprA);
  }

  /// The use sees the effect after `least` instructions and not before.
  void expectDelay(uint32_t least, const std::function<bool(uint32_t)> &sees) {
    for (uint32_t between = 0; between <= least + 4; ++between)
      EXPECT_EQ(sees(between), between >= least)
          << between << " instructions between";
  }

  /// A context that polls signal 2 of `access` without sleeping sees it first
  /// in the cycle that is the access's latency.
  void expectLatency(uint64_t latency, const Instruction &access,
                     const Prepare &prepare = {}) {
    // The instruction in cycle c has c - 1 others between itself and cycle 0.
    expectDelay(static_cast<uint32_t>(latency) - 1, [&](uint32_t between) {
      uint32_t look = 1 + between;
      return seen({access}, between,
                  {branchOn(Op::BrSignal, 2, look + 3), immed(gprA(0), 0),
                   ctxArbKill(), immed(gprA(0), 1)},
                  prepare) == 1;
    });
  }

  ChipParameters parameters;
  CountingRecorder observer;
  std::unique_ptr<Chip> chip;
};

TEST_F(IsEachTimingRight, ResultsAndFlagsReachTheNextInstruction) {
  EXPECT_EQ(
      seen({immed(gprA(0), 5)}, 0, {alu(Op::AluAdd, gprA(0), gprA(0), imm(1))}),
      6u);
  EXPECT_EQ(seen({alu(Op::AluSub, gprA(0), imm(1), gprB(0))}, 0,
                 {branch(Op::Beq, 3), immed(gprA(0), 7), nop()}),
            7u);
}

TEST_F(IsEachTimingRight, LocalMemoryPointers) {
  for (uint32_t pointer : {0u, 1u}) {
    uint32_t csr = pointer ? Csr_ACTIVE_LM_ADDR_1 : Csr_ACTIVE_LM_ADDR_0;
    expectDelay(3, [&](uint32_t between) {
      return seen({csrWrite(csr, imm(128))}, between,
                  {move(gprA(0), localMemory(pointer, 0))}, [](auto &engine) {
                    engine.poke(reg::localMemory + 32, 1);
                  }) == 1;
    });
  }
}

TEST_F(IsEachTimingRight, ACamLookupThatLoadsAPointer) {
  Instruction lookup = alu(Op::CamLookup, gprA(1), none(), gprB(1));
  lookup.a = gprB(1);
  lookup.b = none();
  lookup.loadLm0 = true;
  lookup.lmBlock = 1; // of 256 words
  expectDelay(3, [&](uint32_t between) {
    return seen({lookup}, between, {move(gprA(0), localMemory(0, 0))},
                [](auto &engine) { engine.poke(reg::localMemory + 256, 1); }) ==
           1;
  });
}

TEST_F(IsEachTimingRight, TheTransferIndex) {
  expectDelay(3, [&](uint32_t between) {
    return seen({csrWrite(Csr_T_INDEX, imm(2 << 2))}, between,
                {move(gprA(0), sXferIndex())},
                [](auto &engine) { engine.poke(reg::sIn + 2, 1); }) == 1;
  });
}

TEST_F(IsEachTimingRight, TheByteIndex) {
  // 0x01020304 after itself, moved by one byte.
  expectDelay(3, [&](uint32_t between) {
    Program cause = {immed(gprB(0), 0x0304), immedWord(1, gprB(0), 0x0102),
                     alu(Op::ByteAlignBe, none(), none(), gprB(0)),
                     csrWrite(Csr_BYTE_INDEX, imm(1))};
    return seen(cause, between,
                {alu(Op::ByteAlignBe, gprA(0), none(), gprB(0))}) == 0x02030401;
  });
}

TEST_F(IsEachTimingRight, PointersWrittenThroughTheContextPointer) {
  // CSR_CTX_POINTER names the running context.
  for (uint32_t pointer : {0u, 1u}) {
    uint32_t csr = pointer ? Csr_INDIRECT_LM_ADDR_1 : Csr_INDIRECT_LM_ADDR_0;
    expectDelay(3, [&](uint32_t between) {
      return seen({csrWrite(csr, imm(128))}, between,
                  {move(gprA(0), localMemory(pointer, 0))}, [](auto &engine) {
                    engine.poke(reg::localMemory + 32, 1);
                  }) == 1;
    });
  }
}

TEST_F(IsEachTimingRight, PointerAndByteIndexWrittenTogether) {
  struct Both {
    uint32_t csr;
    Operand place;
    uint32_t poked;
  };
  // Word 2 and byte 1 of each.
  for (const Both &both :
       {Both{Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX, localMemory(0, 0),
             reg::localMemory + 2},
        {Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX, localMemory(1, 0),
         reg::localMemory + 2},
        {Csr_T_INDEX_BYTE_INDEX, sXferIndex(), reg::sIn + 2}}) {
    auto poke = [&](Microengine &engine) {
      engine.poke(both.poked, 0x01020304);
    };
    Program write = {csrWrite(both.csr, imm(2 << 2 | 1))};
    expectDelay(3, [&](uint32_t between) {
      return seen(write, between, {move(gprA(0), both.place)}, poke) ==
             0x01020304;
    });
    Program cause = {immed(gprB(0), 0x0304), immedWord(1, gprB(0), 0x0102),
                     alu(Op::ByteAlignBe, none(), none(), gprB(0)), write[0]};
    expectDelay(3, [&](uint32_t between) {
      return seen(cause, between,
                  {alu(Op::ByteAlignBe, gprA(0), none(), gprB(0))}) ==
             0x02030401;
    });
  }
}

TEST_F(IsEachTimingRight, OtherReadableCsrs) {
  for (uint32_t csr :
       {Csr_CC_ENABLE, Csr_CSR_CTX_POINTER, Csr_CRC_REMAINDER,
        Csr_PSEUDO_RANDOM_NUMBER, Csr_INDIRECT_CTX_STS,
        Csr_ACTIVE_CTX_WAKEUP_EVENTS, Csr_INDIRECT_CTX_WAKEUP_EVENTS,
        Csr_ACTIVE_FUTURE_COUNT_SIGNAL, Csr_INDIRECT_FUTURE_COUNT_SIGNAL,
        Csr_ACTIVE_CTX_FUTURE_COUNT, Csr_INDIRECT_CTX_FUTURE_COUNT}) {
    SCOPED_TRACE(csr);
    Program use = {csrRead(csr), immed(gprA(0), 0)};
    uint32_t before = seen({nop()}, 0, use);
    uint32_t after = seen({csrWrite(csr, imm(6))}, 20, use);
    EXPECT_NE(before, after);
    expectDelay(4, [&](uint32_t between) {
      uint32_t value = seen({csrWrite(csr, imm(6))}, between, use);
      EXPECT_TRUE(value == before || value == after) << value;
      return value == after;
    });
  }
}

TEST_F(IsEachTimingRight, AWriteOfTheCrcRemainder) {
  Instruction crc = alu(Op::Crc, gprA(1), none(), gprB(0));
  crc.crcType = CrcType::Crc32;
  Program use = {crc, nop(), nop(), nop(), nop(), nop()};
  use.push_back(csrRead(Csr_CRC_REMAINDER));
  use.push_back(immed(gprA(0), 0));
  Program cause = {csrWrite(Csr_CRC_REMAINDER, imm(77))};
  uint32_t after = seen(cause, 20, use);
  EXPECT_NE(after, seen({nop()}, 0, use));
  // A crc inside the window works on the old remainder, and the written value
  // replaces the result.
  for (uint32_t between = 0; between < 4; ++between)
    EXPECT_EQ(seen(cause, between, use), 77u);
  for (uint32_t between = 4; between < 8; ++between)
    EXPECT_EQ(seen(cause, between, use), after);
}

TEST_F(IsEachTimingRight, SignalsSetThroughACsr) {
  for (uint32_t csr : {Csr_ACTIVE_CTX_SIG_EVENTS, Csr_INDIRECT_CTX_SIG_EVENTS})
    expectDelay(4, [&](uint32_t between) {
      uint32_t look = 1 + between;
      return seen({csrWrite(csr, imm(1 << 4))}, between,
                  {branchOn(Op::BrSignal, 4, look + 3), immed(gprA(0), 0),
                   ctxArbKill(), immed(gprA(0), 1)}) == 1;
    });
}

TEST_F(IsEachTimingRight, TheContextPointer) {
  // The write after it goes to the running context or to the third.
  Program use = {csrWrite(Csr_INDIRECT_FUTURE_COUNT_SIGNAL, imm(9))};
  use.insert(use.end(), 4, nop());
  use.insert(use.end(),
             {csrRead(Csr_ACTIVE_FUTURE_COUNT_SIGNAL), immed(gprA(0), 0)});
  expectDelay(4, [&](uint32_t between) {
    return seen({csrWrite(Csr_CSR_CTX_POINTER, imm(3))}, between, use) == 0;
  });
}

TEST_F(IsEachTimingRight, TheWakeUpMask) {
  // ctx_arb[--] sleeps forever on the old mask and not at all on the new one.
  Instruction sleep = ctxArb(0);
  sleep.keepMask = true;
  expectDelay(4, [&](uint32_t between) {
    return seen({csrWrite(Csr_ACTIVE_CTX_WAKEUP_EVENTS, imm(1))}, between,
                {sleep, immed(gprA(0), 1)}) == 1;
  });
}

TEST_F(IsEachTimingRight, TheNeighbourRingPointers) {
  expectDelay(3, [&](uint32_t between) {
    return seen({csrWrite(Csr_NN_GET, imm(4))}, between,
                {move(gprA(0), neighbourIndex())},
                [](auto &engine) { engine.poke(reg::neighbour + 4, 1); }) == 1;
  });
  expectDelay(3, [&](uint32_t between) {
    seen({csrWrite(Csr_NN_PUT, imm(4))}, between,
         {move(neighbourIndex(PostModify::Increment), imm(1))});
    return chip->engine(1).peek(reg::neighbour + 4) == 1;
  });
}

TEST_F(IsEachTimingRight, AnOwnNeighbourRegister) {
  constexpr uint32_t ownMode = 1u << 20;
  Program cause = {immed(gprB(0), 0x0100),
                   immedWord(1, gprB(0), ownMode >> 16),
                   csrWrite(Csr_CTX_ENABLES, gprB(0)),
                   nop(),
                   nop(),
                   nop(),
                   nop(),
                   move(neighbour(3), imm(1))};
  expectDelay(5, [&](uint32_t between) {
    return seen(cause, between, {move(gprA(0), neighbour(3))}) == 1;
  });
}

TEST_F(IsEachTimingRight, TheContextEnables) {
  Program cause = {immed(gprB(0), 1u << 8), immedWord(1, gprB(0), 0x8010),
                   csrWrite(Csr_CTX_ENABLES, gprB(0))};
  // The neighbour registers become the engine's own.
  Program use = {move(neighbour(3), imm(1))};
  use.insert(use.end(), 5, nop());
  use.push_back(move(gprA(0), neighbour(3)));
  expectDelay(4, [&](uint32_t between) { return seen(cause, between, use); });
  // Four-context mode: 32 registers of a kind.
  expectDelay(4, [&](uint32_t between) {
    uint32_t value = seen(cause, between, {immed(gprA(20), 1)}, {}, true);
    EXPECT_EQ(value, 0u);
    return observer.fault.empty();
  });
  // The value read back.
  expectDelay(4, [&](uint32_t between) {
    return seen(cause, between,
                {csrRead(Csr_CTX_ENABLES), immed(gprA(0), 0)}) == 0x80100100;
  });
}

TEST_F(IsEachTimingRight, TheConditionCodeEnable) {
  // Z is clear when the flags are frozen; then an instruction would set it.
  Instruction clear = alu(Op::AluB, none(), none(), imm(1));
  Instruction set = alu(Op::AluB, none(), none(), imm(0));
  expectDelay(4, [&](uint32_t between) {
    return seen({clear, csrWrite(Csr_CC_ENABLE, imm(0))}, between,
                {set, branch(Op::Beq, 5 + between), immed(gprA(0), 1)}) == 1;
  });
  expectDelay(4, [&](uint32_t between) {
    return seen({clear, immed(gprB(0), 0x2000), csrWrite(Csr_CC_ENABLE, imm(0)),
                 nop(), nop(), nop(), nop(), csrWrite(Csr_CC_ENABLE, gprB(0))},
                between,
                {set, branch(Op::Bne, 11 + between), immed(gprA(0), 1)}) == 1;
  });
}

TEST_F(IsEachTimingRight, APointerThatBecomesGlobal) {
  for (uint32_t pointer : {0u, 1u}) {
    uint32_t indirect =
        pointer ? Csr_INDIRECT_LM_ADDR_1 : Csr_INDIRECT_LM_ADDR_0;
    uint32_t active = pointer ? Csr_ACTIVE_LM_ADDR_1 : Csr_ACTIVE_LM_ADDR_0;
    // Then the third context has the running context's pointer.
    Program cause = {csrWrite(Csr_CSR_CTX_POINTER, imm(3)),
                     csrWrite(active, imm(128)),
                     immed(gprB(0), 1u << 8),
                     immedWord(1, gprB(0), 1u << pointer),
                     nop(),
                     nop(),
                     csrWrite(Csr_CTX_ENABLES, gprB(0))};
    expectDelay(4, [&](uint32_t between) {
      return seen(cause, between, {csrRead(indirect), immed(gprA(0), 0)}) ==
             128;
    });
  }
}

TEST_F(IsEachTimingRight, ACrcAndItsRemainder) {
  Instruction crc = alu(Op::Crc, gprA(1), none(), gprB(0));
  crc.crcType = CrcType::Crc32;
  expectDelay(5, [&](uint32_t between) {
    seen({crc}, between, {csrRead(Csr_CRC_REMAINDER), immed(gprA(0), 0)});
    return !observer.has(HazardKind::CrcDelay);
  });
  expectDelay(1, [&](uint32_t between) {
    seen({crc}, between, {crc});
    return !observer.has(HazardKind::CrcDelay);
  });
}

TEST_F(IsEachTimingRight, ACsrValueReachesOnlyTheNextInstruction) {
  EXPECT_EQ(seen({csrWrite(Csr_CSR_CTX_POINTER, imm(5)), nop(), nop(), nop(),
                  nop(), csrRead(Csr_CSR_CTX_POINTER)},
                 0, {immed(gprA(0), 9), immed(gprA(1), 9)}),
            5u);
  EXPECT_EQ(chip->engine(0).peek(reg::gprA + 1), 9u);
}

TEST_F(IsEachTimingRight, LatencyOfEachUnitFromIssueToSignal) {
  auto access = [](Op op, Operand xfer) {
    return withSignal(command(op, xfer, imm(0), gprB(15), 1), 2);
  };
  expectLatency(parameters.scratchLatency, access(Op::ScratchRead, sXfer(0)));
  expectLatency(parameters.sramLatency, access(Op::SramRead, sXfer(0)));
  expectLatency(parameters.dramLatency, access(Op::DramRead, dXfer(0)));
  expectLatency(parameters.capLatency, access(Op::CapReadSum, sXfer(0)));
  expectLatency(
      parameters.hashLatency,
      withSignal(command(Op::Hash48, sXfer(0), none(), none(), 1), 2));
}

TEST_F(IsEachTimingRight, ARegisterOfTheMediaInterface) {
  TrafficSource source({{0, 0, std::vector<uint8_t>(60)}}, {});
  std::unique_ptr<Msf> msf;
  Instruction read = command(Op::MsfRead, sXfer(0), gprA(1), gprB(15), 1);
  expectLatency(parameters.msfLatency, withSignal(read, 2), [&](auto &engine) {
    msf = std::make_unique<Msf>(chip->chassis(), observer, source);
    chip->connectMedia(msf.get());
    engine.poke(reg::gprA + 1, MsfTxSequence);
  });
}

TEST_F(IsEachTimingRight, AFastWriteToTheCap) {
  // The thread's own signal is raised when the word arrives.
  Instruction write = command(Op::CapFastWrAlu, none(), none(), none(), 0);
  write.csr = Cap::interThreadSignal;
  Instruction word =
      alu(Op::AluB, none(), none(), imm(engineHardwareNumber(0, 4) << 7 | 4));
  expectDelay(static_cast<uint32_t>(parameters.busRequestCycles) - 1,
              [&](uint32_t between) {
                uint32_t look = 2 + between;
                return seen({word, write}, between,
                            {branchOn(Op::BrSignal, 4, look + 3),
                             immed(gprA(0), 0), ctxArbKill(),
                             immed(gprA(0), 1)}) == 1;
              });
}

TEST_F(IsEachTimingRight, ATransferRegisterIsValidWhenItsSignalArrives) {
  Instruction access =
      withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), 2);
  expectDelay(
      static_cast<uint32_t>(parameters.sramLatency) - 1, [&](uint32_t between) {
        chip.reset();
        // The context tests the signal, so that the register is up to date.
        uint32_t look = 1 + between;
        seen({access}, between,
             {branchOn(Op::BrSignal, 9, look), move(gprA(0), sXfer(0))});
        return !observer.has(HazardKind::EarlyRead);
      });
}

TEST_F(IsEachTimingRight, ASignalToTheSameEngine) {
  // The effect comes the parameter's number of cycles after the write.
  uint32_t least = static_cast<uint32_t>(parameters.signalLatency) - 1;
  expectDelay(least, [&](uint32_t between) {
    uint32_t look = 1 + between;
    return seen({csrWrite(Csr_SAME_ME_SIGNAL, imm(4 << 3))}, between,
                {branchOn(Op::BrSignal, 4, look + 3), immed(gprA(0), 0),
                 ctxArbKill(), immed(gprA(0), 1)}) == 1;
  });
}
