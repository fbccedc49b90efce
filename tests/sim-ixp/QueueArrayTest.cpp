// Queues, rings and journals in SRAM.

#include "OneEngine.h"

#include "sim-ixp/memory/QueueArray.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

constexpr uint32_t descriptor = 0x1000; ///< longword of ring or descriptor
constexpr uint32_t entryWord = 3u << 24 | descriptor;

class QueueArrayTest : public OneEngine {
protected:
  QueueArrayTest() { chip = std::make_unique<Chip>(parameters, observer); }
  uint32_t word(uint32_t longword) {
    return chip->sram(0).memory().readWord(4 * longword);
  }
  void setWord(uint32_t longword, uint32_t value) {
    chip->sram(0).memory().writeWord(4 * longword, value);
  }
  uint32_t in(uint32_t n) { return chip->engine(0).peek(reg::sIn + n); }
  /// `op` on entry 3 with the address part in a0; waits for both signals of a
  /// pair.
  void use(Program &program, Op op, uint32_t xfer, uint32_t count) {
    Operand data = row(op).xfer == XferUse::No ? none() : sXfer(xfer);
    Instruction made = command(op, data, gprA(0), gprB(15), count);
    uint32_t signals = row(op).signals;
    if (signals != 0)
      made = withSignal(made, 2);
    program.push_back(made);
    if (signals != 0)
      program.push_back(ctxArb(signals == 2 ? 3u << 2 : 1u << 2));
  }
  Program begin() {
    Program program;
    loadConstant(program, gprA(0), entryWord);
    return program;
  }
};

} // namespace

TEST_F(QueueArrayTest, ARingReturnsWordsInOrder) {
  Program program = begin();
  setWord(descriptor, descriptor), setWord(descriptor + 1, descriptor),
      setWord(descriptor + 2, 0);
  use(program, Op::SramRdQdescHead, 0, 2);
  use(program, Op::SramRdQdescOther, 0, 0);
  for (uint32_t i = 0; i < 3; ++i)
    program.push_back(move(sXfer(4 + i), imm(10 + i)));
  use(program, Op::SramPut, 4, 3);
  use(program, Op::SramGet, 8, 4);
  run(program);
  EXPECT_EQ(in(4), QueueArray::putDone) << "done, and it was empty";
  EXPECT_EQ(in(8), 10u);
  EXPECT_EQ(in(9), 11u);
  EXPECT_EQ(in(10), 12u);
  EXPECT_EQ(in(11), 0u) << "the ring holds three words";
}

TEST_F(QueueArrayTest, APutThatDoesNotFitFailsAndChangesNothing) {
  setWord(0x2000, descriptor), setWord(0x2001, descriptor),
      setWord(0x2002, 511);
  Program program;
  loadConstant(program, gprA(0), 3u << 24 | 0x2000);
  use(program, Op::SramRdQdescTail, 0, 2);
  use(program, Op::SramRdQdescOther, 0, 0);
  use(program, Op::SramPut, 4, 2);
  use(program, Op::SramPut, 4, 1);
  use(program, Op::SramWrQdescCount, 0, 0);
  run(program);
  EXPECT_EQ(in(0), descriptor) << "the tail";
  EXPECT_EQ(in(1), 511u);
  EXPECT_EQ(in(4), QueueArray::putDone | 511) << "the second had room";
  EXPECT_EQ(word(0x2002), 512u);
}

TEST_F(QueueArrayTest, ARingWrapsAtItsSize) {
  constexpr uint32_t last = descriptor + 511;
  setWord(0x2000, last), setWord(0x2001, last), setWord(0x2002, 0);
  Program program;
  loadConstant(program, gprA(0), 3u << 24 | 0x2000);
  use(program, Op::SramRdQdescHead, 0, 2);
  use(program, Op::SramRdQdescOther, 0, 0);
  program.push_back(move(sXfer(4), imm(7)));
  program.push_back(move(sXfer(5), imm(8)));
  use(program, Op::SramPut, 4, 2);
  use(program, Op::SramWrQdescCount, 0, 0);
  run(program);
  EXPECT_EQ(word(last), 7u);
  EXPECT_EQ(word(descriptor), 8u);
  EXPECT_EQ(word(0x2001), descriptor + 1);
}

TEST_F(QueueArrayTest, AJournalOverwritesOldWords) {
  setWord(0x2000, descriptor), setWord(0x2001, descriptor),
      setWord(0x2002, 512);
  setWord(descriptor, 99);
  Program program;
  loadConstant(program, gprA(0), 3u << 24 | 0x2000);
  use(program, Op::SramRdQdescHead, 0, 2);
  use(program, Op::SramRdQdescOther, 0, 0);
  program.push_back(move(sXfer(4), imm(5)));
  use(program, Op::SramJournal, 4, 1);
  use(program, Op::SramFastJournal, 0, 0);
  run(program);
  EXPECT_EQ(word(descriptor), 5u);
  EXPECT_EQ(word(descriptor + 1), 3u << 24 | 0x2000) << "the address itself";
}

TEST_F(QueueArrayTest, AChainIsDequeuedBufferByBuffer) {
  Program program = begin();
  setWord(descriptor, descriptor + 16);      // a chain of two
  setWord(descriptor + 16, descriptor + 32); // what an enqueue will overwrite
  use(program, Op::SramEnqueue, 0, 0);
  loadConstant(program, gprA(0), entryWord + 16);
  use(program, Op::SramEnqueueTail, 0, 0);
  loadConstant(program, gprA(0), entryWord + 48);
  use(program, Op::SramEnqueue, 0, 0);
  for (uint32_t i = 0; i < 4; ++i)
    use(program, Op::SramDequeue, i, 0);
  run(program);
  EXPECT_EQ(in(0), descriptor);
  EXPECT_EQ(in(1), descriptor + 16);
  EXPECT_EQ(in(2), descriptor + 48);
  EXPECT_EQ(in(3), 0u);
}

TEST_F(QueueArrayTest, ControllerRegistersStoreWrittenValues) {
  Program program = begin();
  program.push_back(move(sXfer(4), imm(5)));
  use(program, Op::SramCsrWrite, 4, 0);
  use(program, Op::SramCsrRead, 6, 0);
  run(program);
  EXPECT_EQ(in(6), 5u);
}

TEST_F(QueueArrayTest, ADescriptorOutsideOfTheMemoryIsAFault) {
  Program program;
  loadConstant(program, gprA(0), 3u << 24 | 0xffffff);
  use(program, Op::SramRdQdescHead, 0, 2);
  load(program);
  chip->runTo(2000);
  EXPECT_NE(observer.fault.find("SRAM address"), std::string::npos);
}
