// Hazards are reported.
//
// Each hazard is reported at its instruction, and the nearest legal use is not:
// the earliest legal use is one instruction after the last illegal one.

#include "OneEngine.h"
#include "sim-ixp/engine/PrepareProgram.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

class HazardRecorder : public FaultObserver {
public:
  void onHazard(const Hazard &hazard) override { hazards.push_back(hazard); }
  std::vector<Hazard> hazards;
};

class HazardTest : public ::testing::Test {
protected:
  /// The hazards of a program on context 0 of engine 0.
  const std::vector<Hazard> &hazards(Program program) {
    observer.hazards.clear();
    program.push_back(ctxArbKill());
    Chip chip({}, observer);
    chip.engine(0).load(
        std::make_shared<MicroProgram>(prepareProgram(assemble(program))));
    chip.engine(0).start(1);
    chip.runTo(100000);
    EXPECT_EQ(observer.fault, "");
    EXPECT_FALSE(chip.engine(0).isAlive());
    return observer.hazards;
  }
  HazardRecorder observer;
};

Instruction readTo(uint32_t xfer) {
  return withSignal(command(Op::SramRead, sXfer(xfer), imm(0), gprB(15), 1), 2);
}
Instruction writeFrom(uint32_t xfer) {
  return withSignal(command(Op::SramWrite, sXfer(xfer), imm(0), gprB(15), 1),
                    2);
}

TEST_F(HazardTest, AnEarlyReadOfATransferRegisterIsAHazard) {
  auto found = hazards({readTo(3), move(gprA(0), sXfer(3)), ctxArb(4)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, HazardKind::EarlyRead);
  EXPECT_NE(found[0].text.find("context 0, PC 1"), std::string::npos);
  EXPECT_NE(found[0].text.find("$3"), std::string::npos);
  EXPECT_TRUE(hazards({readTo(3), ctxArb(4), move(gprA(0), sXfer(3))}).empty());
  EXPECT_TRUE(hazards({readTo(3), move(gprA(0), sXfer(4)), ctxArb(4)}).empty());
}

TEST_F(HazardTest, ARewriteBeforeThePullIsAHazard) {
  auto found = hazards({writeFrom(2), move(sXfer(2), imm(1)), ctxArb(4)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, HazardKind::EarlyRewrite);
  EXPECT_TRUE(
      hazards({writeFrom(2), ctxArb(4), move(sXfer(2), imm(1))}).empty());
  EXPECT_TRUE(
      hazards({move(sXfer(2), imm(1)), writeFrom(2), ctxArb(4)}).empty());
}

TEST_F(HazardTest, UsingLocalMemoryInThePointerDelayIsAHazard) {
  for (uint32_t slots = 0; slots <= 3; ++slots) {
    Program program = {csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(64))};
    program.insert(program.end(), slots, nop());
    program.push_back(move(gprA(0), localMemory(0, 0)));
    auto found = hazards(program);
    EXPECT_EQ(found.size(), slots < 3 ? 1u : 0u) << slots;
    if (!found.empty()) {
      EXPECT_EQ(found[0].kind, HazardKind::LocalDelay);
    }
  }
  // The other pointer is not affected.
  EXPECT_TRUE(hazards({csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(64)),
                       move(gprA(0), localMemory(1, 0))})
                  .empty());
}

TEST_F(HazardTest, AMovingPointerIsAHazardInItsDelayToo) {
  Program program = {csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(64)), nop(),
                     move(gprA(0), localMemory(0, 0, PostModify::Increment))};
  auto found = hazards(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, HazardKind::LocalDelay);
  EXPECT_NE(found[0].text.find("for 2 more cycles"), std::string::npos)
      << found[0].text;
}

TEST_F(HazardTest, AnUnalignedAddressIsAHazard) {
  auto found = hazards(
      {withSignal(command(Op::SramRead, sXfer(0), imm(6), gprB(15), 1), 2),
       ctxArb(4)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, HazardKind::Unaligned);
  EXPECT_EQ(
      hazards(
          {withSignal(command(Op::DramRead, dXfer(0), imm(12), gprB(15), 1), 2),
           ctxArb(12)})
          .size(),
      1u);
  EXPECT_TRUE(
      hazards(
          {withSignal(command(Op::DramRead, dXfer(0), imm(16), gprB(15), 1), 2),
           ctxArb(12)})
          .empty());
}

TEST_F(HazardTest, AContextThatNeverGivesUpTheEngineIsAHazard) {
  Chip chip({}, observer);
  chip.engine(0).load(std::make_shared<MicroProgram>(
      prepareProgram(assemble({branch(Op::Br, 0)}))));
  chip.engine(0).start(1);
  chip.runTo(990000);
  EXPECT_TRUE(observer.hazards.empty());
  chip.runTo(1010000);
  ASSERT_EQ(observer.hazards.size(), 1u);
  EXPECT_EQ(observer.hazards[0].kind, HazardKind::RunawayContext);
}

TEST_F(HazardTest, AFaultInAUnitNamesTheInstructionThatSentTheCommand) {
  // An address beyond each memory, and a ring that is not configured.
  const std::pair<Op, const char *> wrong[] = {
      {Op::SramRead, "the chip has no SRAM channel 3"},
      {Op::DramRead, "DRAM address out of range"},
      {Op::ScratchRead, "scratch address out of range"},
      {Op::ScratchGet, "ring 0 is not configured"}};
  for (const auto &[op, what] : wrong) {
    observer.fault.clear();
    bool isDram = op == Op::DramRead;
    uint32_t address = op == Op::ScratchGet ? 0 : 0xfffffff8;
    Program program;
    loadConstant(program, gprA(0), address);
    program.push_back(withSignal(
        command(op, isDram ? dXfer(0) : sXfer(0), gprA(0), gprB(15), 1), 2));
    program.push_back(ctxArbKill());
    auto prepared =
        std::make_shared<MicroProgram>(prepareProgram(assemble(program)));
    prepared->locations.assign(3, "reader.uc:7");
    Chip chip({}, observer);
    chip.engine(2).load(prepared);
    chip.engine(2).start(1 << 3);
    chip.runTo(1000);
    EXPECT_EQ(observer.fault,
              std::string("2: context 3, PC 2 (reader.uc:7): ") + what);
  }
}

TEST_F(HazardTest, EachInstructionIsReportedOnce) {
  Program program = {immed(gprA(1), 3)};
  program.push_back(readTo(3));
  program.push_back(move(gprA(0), sXfer(3)));
  program.push_back(ctxArb(4));
  program.push_back(alu(Op::AluSub, gprA(1), gprA(1), imm(1)));
  program.push_back(branch(Op::Bne, 1));
  EXPECT_EQ(hazards(program).size(), 1u);
}

} // namespace
