// Tests of the passes over words and labels.

#include "WordsFixture.h"

#include "codegen-me/machine/FrameCheck.h"
#include "codegen-me/target/Ixp.h"
#include "codegen-me/words/Annotation.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordProgram.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/Printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::codegen;
using namespace karakal::target;
using testing::ElementsAre;

namespace {

TEST_F(Words, AWordBeforeACompareFillsTheDelaySlot) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
  glued(alu(Op::AluSub, none(), gprB(2), imm(3)));
  program.add(branch(Op::Beq, 0), out);
  program.bind(out);
  end();
  EXPECT_EQ(fillDelaySlots(program), 1u);
  EXPECT_THAT(text(),
              ElementsAre("label", "alu[--, b2, -, 0x3]", "beq[.0], defer[1]",
                          "alu[a1, a1, +, 0x1]", "label", "ctx_arb[kill]"));
}

TEST_F(Words, AWordThatTheCompareNeedsStays) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAdd, gprB(2), gprB(2), imm(1)));
  glued(alu(Op::AluSub, none(), gprB(2), imm(3)));
  program.add(branch(Op::Beq, 0), out);
  program.bind(out);
  end();
  EXPECT_EQ(fillDelaySlots(program), 0u);
}

TEST_F(Words, ADelaySlotIsNotTakenByTheNextBranch) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
  program.add(branchBit(true, gprB(2), 3, 0), out);
  program.add(branch(Op::Br, 0), out);
  program.bind(out);
  end();
  EXPECT_EQ(fillDelaySlots(program), 1u);
  EXPECT_EQ(program.items[1].instruction.defer, 1);
  EXPECT_EQ(program.items[3].instruction.defer, 0);
}

TEST_F(Words, IndependentWordsFillTheSlotsOfASwap) {
  add(immed(gprA(5), 7));
  add(withSignal(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1), 1, true));
  add(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
  add(alu(Op::AluAdd, gprA(2), sXfer(0), imm(1)));
  end();
  EXPECT_EQ(fillDelaySlots(program), 2u);
  EXPECT_THAT(text(),
              ElementsAre("label",
                          "sram[read, $0, a0, 0x0, 1], ctx_swap[s1], defer[2]",
                          "immed[a5, 0x7]", "alu[a1, a1, +, 0x1]",
                          "alu[a2, $0, +, 0x1]", "ctx_arb[kill]"));
}

TEST_F(Words, AReadUsesTheTransferRegisterInPlace) {
  add(move(gprB(0), sXfer(1)));
  add(alu(Op::AluXor, gprA(2), gprB(0), gprA(1)));
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprA(2)));
  end();
  forwardMoves(program);
  EXPECT_THAT(text(),
              ElementsAre("label", "alu[a2, $1, XOR, a1]",
                          "local_csr_wr[SAME_ME_SIGNAL, a2]", "ctx_arb[kill]"));
}

TEST_F(Words, AMoveStaysIfAnotherBlockReadsItsRegister) {
  add(move(gprB(0), sXfer(1)));
  add(alu(Op::AluXor, gprA(2), gprB(0), gprA(1)));
  program.bind(program.newLabel());
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprB(0)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b0, --, B, $1]"), 1u);
}

TEST_F(Words, AMoveStaysIfItsTransferRegisterIsRefilled) {
  add(move(gprB(0), sXfer(1)));
  add(withSignal(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 2), 1, true));
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprB(0)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b0, --, B, $1]"), 1u);
}

TEST_F(Words, AMoveStaysIfAWideReadRefillsItsTransferRegister) {
  add(move(gprB(0), sXfer(WideReadWords - 1)));
  add(move(gprB(1), sXfer(WideReadWords)));
  glued(immed(none(), 0x3c0, 16));
  add(withIndirect(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 8)));
  add(alu(Op::AluAdd, gprA(2), gprA(2), gprB(0)));
  add(alu(Op::AluAdd, sXfer(0), gprA(2), gprB(1)));
  add(command(Op::SramWrite, sXfer(0), gprA(0), imm(0), 1));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b0, --, B, $14]"), 1u);
  EXPECT_EQ(count("alu[$0, a2, +, $15]"), 1u);
}

TEST_F(Words, AResultIsWrittenToTheTransferRegister) {
  add(alu(Op::AluOr, gprA(0), gprA(1), gprB(2)));
  add(move(sXfer(0), gprA(0)));
  add(withSignal(command(Op::SramWrite, sXfer(0), gprA(3), imm(0), 1), 1,
                 true));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[$0, a1, OR, b2]"), 1u);
  EXPECT_EQ(program.words(), 3u);
}

TEST_F(Words, ALocalCsrIsWrittenWithALiteral) {
  add(immed(gprB(1), 15));
  add(csrWrite(Csr_ACTIVE_FUTURE_COUNT_SIGNAL, gprB(1)));
  add(immed(gprB(2), 0x80));
  add(csrWrite(Csr_ACTIVE_FUTURE_COUNT_SIGNAL, gprB(2)));
  end();
  forwardMoves(program);
  EXPECT_THAT(text(),
              ElementsAre("label",
                          "local_csr_wr[ACTIVE_FUTURE_COUNT_SIGNAL, 0xf]",
                          "immed[b2, 0x80]",
                          "local_csr_wr[ACTIVE_FUTURE_COUNT_SIGNAL, b2]",
                          "ctx_arb[kill]"));
}

TEST_F(Words, ALowByteIsMergedOnTheWayToATransferRegister) {
  add(move(gprB(4), sXfer(3)));
  add(ldField(gprB(4), 0b1110, dXfer(1)));
  add(move(dXfer(0), gprA(7)));
  add(move(dXfer(1), gprB(4)));
  end();
  EXPECT_EQ(mergeParts(program), 1u);
  EXPECT_THAT(text(), ElementsAre("label", "alu[b4, $$1, AND~, 0xff]",
                                  "alu[$$0, --, B, a7]", "alu[$$1, b4, +8, $3]",
                                  "ctx_arb[kill]"));
}

TEST_F(Words, ALowHalfIsMergedIntoTheWordThatWasRead) {
  add(move(gprB(4), dXfer(3)));
  add(ldField(gprB(4), 0b0011, gprA(2)));
  add(move(dXfer(1), gprB(4)));
  end();
  EXPECT_EQ(mergeParts(program), 1u);
  EXPECT_THAT(text(), ElementsAre("label", "ld_field_w_clr[b4, 1100, $$3]",
                                  "alu[$$1, b4, +16, a2]", "ctx_arb[kill]"));
}

TEST_F(Words, APartThatChangesIsNotMergedLater) {
  add(move(gprB(4), dXfer(3)));
  add(ldField(gprB(4), 0b0001, gprA(2)));
  add(alu(Op::AluAdd, gprA(2), gprA(2), imm(1)));
  add(move(dXfer(1), gprB(4)));
  end();
  EXPECT_EQ(mergeParts(program), 0u);
}

/// A copy of a word, of which one byte changes later.
class ChangedCopy : public Words {
protected:
  void build(unsigned shift, unsigned byteMask) {
    add(move(gprB(3), dXfer(2)));
    add(dblShf(gprA(6), dXfer(1), gprB(3), shr(shift)));
    add(command(Op::SramRead, sXfer(2), gprA(6), imm(0), 1));
    add(alu(Op::AluAdd, gprA(5), dXfer(2), gprA(2)));
    add(ldField(gprB(3), byteMask, gprA(5)));
    add(alu(Op::AluAnd, dXfer(2), gprB(3), gprA(3)));
    end();
  }
};

TEST_F(ChangedCopy, IsTheChangedWord) {
  build(28, 0b0100);
  EXPECT_EQ(mergeCopies(program), 1u);
  EXPECT_EQ(text()[1], "alu[b3, $$2, +, a2]");
  EXPECT_EQ(text()[2], "ld_field[b3, 1011, $$2]");
  EXPECT_EQ(text()[3], "dbl_shf[a6, $$1, b3, >>28]");
  EXPECT_EQ(text()[5], "alu[$$2, b3, AND, a3]");
}

TEST_F(ChangedCopy, StaysIfTheChangedByteIsRead) {
  build(20, 0b0100);
  EXPECT_EQ(mergeCopies(program), 0u);
}

TEST_F(ChangedCopy, StaysIfTheResultIsReadElsewhere) {
  build(28, 0b0100);
  program.items.insert(program.items.end() - 1, program.items[1]);
  program.items[program.items.size() - 2].instruction = move(sXfer(0), gprA(5));
  EXPECT_EQ(mergeCopies(program), 0u);
}

TEST_F(Words, AWordThatIsAlwaysTheSameIsParked) {
  unsigned again = beginLoop(immed(gprB(1), 0x8847));
  add(alu(Op::AluAdd, dXfer(2), dXfer(2), imm(1)));
  add(move(dXfer(3), gprB(1)));
  add(command(Op::DramWrite, dXfer(2), gprA(0), imm(0), 1));
  program.add(branch(Op::Br, 0), again);
  EXPECT_EQ(parkWords(program), 1u);
  EXPECT_EQ(text()[2], "alu[$$3, --, B, b1]");
  EXPECT_EQ(text()[3], "label");
  EXPECT_EQ(program.items[2].frequency, 0);
}

TEST_F(Words, AWordOfASharedTransferRegisterIsNotParked) {
  unsigned again = beginLoop(immed(gprB(1), 0x8847));
  add(move(dXfer(3), gprB(1)));
  add(command(Op::DramWrite, dXfer(2), gprA(0), imm(0), 1));
  add(move(dXfer(3), gprA(5)));
  program.add(branch(Op::Br, 0), again);
  EXPECT_EQ(parkWords(program), 0u);
}

TEST_F(Words, AWordOfARegisterThatChangesIsNotParked) {
  unsigned again = beginLoop(immed(gprB(1), 0x8847));
  add(move(dXfer(3), gprB(1)));
  add(command(Op::DramWrite, dXfer(2), gprA(0), imm(0), 1));
  add(immed(gprB(1), 1));
  program.add(branch(Op::Br, 0), again);
  EXPECT_EQ(parkWords(program), 0u);
}

TEST_F(Words, TheLastBlockOfALoopFallsIntoItsHead) {
  unsigned head = program.newLabel(), wait = program.newLabel(),
           last = program.newLabel();
  add(immed(gprA(1), 0));
  program.bind(head);
  program.currentFrequency = 1;
  program.add(branchBit(true, gprA(2), 3, 0), last).taken = 1;
  program.currentFrequency = 0.001f;
  program.bind(wait);
  add(ctxArbVoluntary());
  program.bind(last);
  program.currentFrequency = 1;
  program.add(branchBit(true, gprA(3), 3, 0), wait);
  add(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
  program.add(branch(Op::Br, 0), head);
  EXPECT_EQ(rotateLoops(program), 1u);
  std::vector<unsigned> labels;
  for (const Item &item : program.items)
    if (item.kind == Item::Kind::Label || item.label)
      labels.push_back(item.label);
  // The first label is the function's.
  EXPECT_THAT(labels, ElementsAre(1, head, last, wait, head, last, wait, last));
  EXPECT_EQ(text().back(), "br[.0]");
  EXPECT_LT(program.items.back().frequency, 0.01f);
}

TEST_F(Words, ALoopWhoseLastBlockIsOftenFallenIntoIsNotRotated) {
  unsigned head = program.newLabel(), last = program.newLabel();
  add(immed(gprA(1), 0));
  program.bind(head);
  program.currentFrequency = 1;
  program.add(branchBit(true, gprA(2), 3, 0), last).taken = 0.5f;
  add(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
  program.bind(last);
  program.add(branch(Op::Br, 0), head);
  EXPECT_EQ(rotateLoops(program), 0u);
}

TEST_F(Words, ATestOfAResultThatSetsTheFlagsIsRemoved) {
  unsigned again = program.newLabel();
  program.bind(again);
  add(alu(Op::AluSub, gprA(0), gprA(0), imm(1)));
  glued(alu(Op::AluSub, none(), gprA(0), imm(0)));
  program.add(branch(Op::Blt, 0), again);
  end();
  forwardMoves(program);
  EXPECT_EQ(program.words(), 3u);
  EXPECT_EQ(count("bmi"), 1u);
}

TEST_F(Words, AccessesOfOneWindowSetThePointerOnce) {
  StackPlan plan;
  plan.windowWord[2] = 1;
  for (unsigned i = 0; i < 2; ++i)
    add(move(gprA(i), localMemory(1, i))).window = 2;
  end();
  placeWindows(program, plan);
  padPointers(program);
  EXPECT_THAT(text(),
              ElementsAre("label",
                          "local_csr_wr[ACTIVE_LM_ADDR_1, *l$index0[1]]", "nop",
                          "nop", "nop", "alu[a0, --, B, *l$index1[0]]",
                          "alu[a1, --, B, *l$index1[1]]", "ctx_arb[kill]"));
}

TEST_F(Words, IndependentWordsFillTheSlotsOfAPointerWrite) {
  add(alu(Op::AluAdd, gprA(4), gprA(4), imm(1)));
  add(alu(Op::AluAdd, gprA(3), gprB(3), imm(8)));
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprA(3)));
  add(move(gprB(2), localMemory(1, 0)));
  add(alu(Op::AluAdd, gprA(5), gprA(5), gprB(2)));
  add(alu(Op::AluAdd, gprA(6), gprA(6), imm(1)));
  end();
  EXPECT_EQ(fillPointerSlots(program), 2u);
  padPointers(program);
  EXPECT_THAT(text(), ElementsAre("label", "alu[a3, b3, +, 0x8]",
                                  "local_csr_wr[ACTIVE_LM_ADDR_1, a3]",
                                  "alu[a6, a6, +, 0x1]", "alu[a4, a4, +, 0x1]",
                                  "nop", "alu[b2, --, B, *l$index1[0]]",
                                  "alu[a5, a5, +, b2]", "ctx_arb[kill]"));
}

TEST_F(Words, AGluedWordDoesNotFillAPointerSlot) {
  unsigned out = program.newLabel();
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprA(3)));
  add(move(gprB(2), localMemory(1, 0)));
  glued(alu(Op::AluSub, none(), gprB(1), imm(3)));
  program.add(branch(Op::Beq, 0), out);
  program.bind(out);
  end();
  EXPECT_EQ(fillPointerSlots(program), 0u);
}

TEST_F(Words, AReadUsesTheDataOfAPointerInPlace) {
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprA(3)));
  add(move(gprB(2), localMemory(1, 1)));
  add(alu(Op::AluXor, gprA(2), gprB(2), gprA(1)));
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprA(2)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[a2, *l$index1[1], XOR, a1]"), 1u);
  EXPECT_EQ(count("alu[b2"), 0u);
}

TEST_F(Words, AMoveOfAPointersDataStaysBeforeASwap) {
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprA(3)));
  add(move(gprB(2), localMemory(1, 1)));
  add(ctxArbVoluntary());
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprB(2)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b2, --, B, *l$index1[1]]"), 1u);
}

TEST_F(Words, AnElementOfAnArrayIsReadBeforeAPointerWritesTheArray) {
  add(move(gprB(2), localMemory(0, 1)));
  add(move(localMemory(1, 0), gprA(1)));
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprB(2)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b2, --, B, *l$index0[1]]"), 1u);
}

TEST_F(Words, AnElementOfAnArrayIsWrittenAfterAPointerReadsTheArray) {
  add(alu(Op::AluAdd, gprA(0), gprA(1), gprB(1)));
  add(move(gprB(2), localMemory(1, 0)));
  add(move(localMemory(0, 1), gprA(0)));
  add(csrWrite(Csr_SAME_ME_SIGNAL, gprB(2)));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[*l$index0[1], --, B, a0]"), 1u);
}

TEST_F(Words, AMeetWaitsForTheLatestPointerWrite) {
  unsigned join = program.newLabel();
  add(csrWrite(Csr_ACTIVE_LM_ADDR_0, gprA(0)));
  program.add(branchBit(true, gprB(2), 3, 0), join);
  add(csrWrite(Csr_ACTIVE_LM_ADDR_0, gprA(1)));
  program.bind(join);
  add(move(gprA(0), localMemory(0, 0)));
  end();
  padPointers(program);
  EXPECT_EQ(count("nop"), 3u);
}

TEST_F(Words, AReturnLeadsToTheWordAfterTheCall) {
  unsigned callee = program.newLabel(), back = program.newLabel();
  program.add(immed(gprA(0), 0), back);
  program.add(branch(Op::Br, 0), callee).isCall = true;
  program.bind(back); // item 3
  end();              // item 4
  program.currentFunction = 1;
  program.functions.push_back("g");
  program.bind(callee); // item 5
  add(rtn(gprA(0)));    // item 6
  auto successors = flowGraphOf(program).successorsThroughCalls();
  EXPECT_THAT(successors[2], ElementsAre(5u));
  EXPECT_THAT(successors[6], ElementsAre(3u));
  auto live = liveOut(program);
  EXPECT_EQ(live[2], gprBit(gprA(0)));
  EXPECT_EQ(live[6], 0u);
}

TEST_F(Words, WhatOneCallerKeepsOverACallIsDeadForAnother) {
  unsigned callee = program.newLabel(), other = program.newLabel();
  auto call = [&] {
    unsigned back = program.newLabel();
    program.add(immed(gprA(0), 0), back);
    program.add(branch(Op::Br, 0), callee).isCall = true;
    program.bind(back);
  };
  add(immed(gprA(1), 1));                             // item 1
  program.add(branchBit(true, gprB(2), 3, 0), other); // item 2
  call();                                             // items 3 to 5
  add(move(gprA(2), gprA(1)));                        // item 6
  end();                                              // item 7
  program.bind(other);                                // item 8
  call();                                             // items 9 to 11
  add(move(gprA(2), gprA(3)));                        // item 12
  end();
  program.currentFunction = 1;
  program.functions.push_back("g");
  program.bind(callee);
  add(immed(gprA(3), 7)); // item 15
  add(rtn(gprA(0)));
  auto live = liveOut(program);
  GprSet kept = gprBit(gprA(1)), written = gprBit(gprA(3));
  EXPECT_EQ(live[4] & (kept | written), kept);
  EXPECT_EQ(live[10] & (kept | written), 0u);
  // Within the callee, any caller may need them.
  EXPECT_EQ(live[15] & (kept | written), kept | written);
}

TEST_F(Words, AProgramThatDoesNotFitListsFunctionsBySize) {
  for (unsigned i = 0; i < 5; ++i)
    add(nop());
  auto code = resolve(program, 4);
  ASSERT_FALSE(bool(code));
  EXPECT_EQ(code.error().id, "E-codegen-me-020");
  EXPECT_THAT(code.error().message, testing::HasSubstr("f 5"));
}

TEST_F(Words, AnotherBlockReadsTheInRegisterInPlace) {
  unsigned out = program.newLabel();
  add(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1));
  add(move(gprB(1), sXfer(0)));
  program.add(branchBit(true, gprA(0), 3, 0), out);
  add(alu(Op::AluAdd, gprA(2), gprA(2), imm(1)));
  program.bind(out);
  add(alu(Op::AluAdd, sXfer(0), gprA(2), gprB(1)));
  add(command(Op::SramWrite, sXfer(0), gprA(0), imm(0), 1));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b1"), 0u);
  EXPECT_EQ(count("alu[$0, a2, +, $0]"), 1u);
}

TEST_F(Words, ACopyStaysIfACommandMayRefillTheRegister) {
  unsigned out = program.newLabel();
  add(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1));
  add(move(gprB(1), sXfer(0)));
  program.add(branchBit(true, gprA(0), 3, 0), out);
  add(command(Op::SramRead, sXfer(0), gprA(0), imm(4), 1));
  program.bind(out);
  add(alu(Op::AluAdd, sXfer(0), gprA(0), gprB(1)));
  add(command(Op::SramWrite, sXfer(0), gprA(0), imm(0), 1));
  end();
  forwardMoves(program);
  EXPECT_EQ(count("alu[b1"), 1u);
}

TEST_F(Words, AnEarlierResultMovesDownToItsTest) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAnd, gprA(1), gprA(2), imm(8)));
  add(alu(Op::AluAdd, gprB(3), gprB(3), imm(1)));
  glued(alu(Op::AluSub, none(), gprA(1), imm(0)));
  program.add(branch(Op::Beq, 0), out);
  program.bind(out);
  end();
  forwardMoves(program);
  EXPECT_THAT(text(), ElementsAre("label", "alu[b3, b3, +, 0x1]",
                                  "alu[a1, a2, AND, 0x8]", "beq[.0]", "label",
                                  "ctx_arb[kill]"));
}

/// Stores of a1 whose value is tested later.
class TestedStore : public Words {
protected:
  /// Ends the block with a branch on a1 = 0.
  void expectToStay() {
    unsigned out = program.newLabel();
    glued(alu(Op::AluSub, none(), gprA(1), imm(0)));
    program.add(branch(Op::Beq, 0), out);
    program.bind(out);
    end();
    const std::vector<std::string> before = text();
    forwardMoves(program);
    EXPECT_EQ(text(), before);
  }
};

TEST_F(TestedStore, StaysBeforeItsPointerMoves) {
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprB(7)));
  add(move(localMemory(1, 0), gprA(1)));
  add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprB(8)));
  add(move(localMemory(1, 0), gprA(2)));
  expectToStay();
}

TEST_F(TestedStore, StaysBeforeItsStackWordIsRead) {
  add(move(localMemory(0, 4), gprA(1)));
  add(alu(Op::AluAdd, gprB(2), gprA(3), localMemory(0, 4)));
  expectToStay();
}

TEST_F(Words, ABranchTestsTheRingDirectly) {
  unsigned join = program.newLabel(), out = program.newLabel();
  add(immed(gprA(1), 1));
  program.add(branchOn(Op::BrInpState, 3, 0), join);
  add(immed(gprA(1), 0));
  program.bind(join);
  glued(alu(Op::AluSub, none(), gprA(1), imm(0)));
  program.add(branch(Op::Beq, 0), out);
  program.bind(out);
  end();
  forwardMoves(program);
  EXPECT_EQ(count("br_!inp_state"), 1u);
  EXPECT_EQ(count("immed"), 0u);
}

TEST_F(Words, ABranchTestsTheRingAfterOtherWords) {
  unsigned join = program.newLabel(), out = program.newLabel();
  add(immed(gprA(1), 1));
  program.add(branchOn(Op::BrInpState, 3, 0), join);
  add(immed(gprA(1), 0));
  program.bind(join);
  add(immed(gprB(4), 0x800));
  glued(alu(Op::AluSub, none(), gprA(1), imm(0)));
  program.add(branch(Op::Bne, 0), out);
  program.bind(out);
  end();
  forwardMoves(program);
  EXPECT_THAT(text(), ElementsAre("label", "label", "immed[b4, 0x800]",
                                  "br_inp_state[scr_ring1_status, .0]", "label",
                                  "ctx_arb[kill]"));
}

TEST_F(Words, ACompareOfASumWithItsSummandUsesTheCarry) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAdd, gprA(1), gprA(2), gprB(3)));
  glued(alu(Op::AluSub, none(), gprA(1), gprB(3)));
  program.add(branch(Op::Bcc, 0), out);
  program.bind(out);
  end();
  forwardMoves(program);
  EXPECT_THAT(text(), ElementsAre("label", "alu[a1, a2, +, b3]", "bcs[.0]",
                                  "label", "ctx_arb[kill]"));
}

TEST_F(Words, ACompareWithAnotherValueStays) {
  unsigned out = program.newLabel();
  add(alu(Op::AluAdd, gprA(1), gprA(2), imm(3)));
  glued(alu(Op::AluSub, none(), gprA(1), gprB(3)));
  program.add(branch(Op::Bcc, 0), out);
  program.bind(out);
  end();
  forwardMoves(program);
  EXPECT_EQ(count("bcc"), 1u);
}

TEST(Frames, FramesThatAreLiveTogetherMustNotOverlap) {
  // 0 calls 1 and 2; 1 calls 2.
  std::vector<Frame> frames(3);
  frames[0] = {{{0, 2}}, {1, 2}};
  frames[1] = {{{2, 1}, {4, 1}}, {2}};
  frames[2] = {{{3, 1}, {5, 2}}, {}};
  EXPECT_EQ(findOverlap(frames), "");
  frames[2].objects.push_back({4, 1});
  EXPECT_THAT(findOverlap(frames),
              testing::HasSubstr("word 4 of the stack belongs to function 2"));
  frames[2].objects.pop_back();
  frames[1].callees.clear(); // siblings share words
  frames[2].objects.push_back({4, 1});
  EXPECT_EQ(findOverlap(frames), "");
  frames[0].objects.push_back({1, 1});
  EXPECT_THAT(findOverlap(frames), testing::HasSubstr("word 1 of the stack"));
}

TEST_F(Words, EveryWordHasANote) {
  add(withSignal(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1), 1));
  add(ctxArb(1u << 1));
  add(alu(Op::AluAdd, gprB(2), gprA(0), sXfer(0)));
  end();
  EXPECT_THAT(annotate(program),
              ElementsAre("0: 1 cycle; live a0",
                          "1: 1+2 cycles; waits for sram[read] of 0; live a0",
                          "2: 1 cycle; live none", "3: 1+2 cycles; live none"));
}

} // namespace
