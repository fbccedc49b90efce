// Emits accesses of stack words and local memory.
//
// Stack words 0..15 are accessed through the first local-memory pointer, which
// never changes, and words 16..47 through the second one, whose window
// placeWindows sets. The rest are in SRAM, and those from 16 or 32 on if the
// program needs more local memory itself (StackPlan::localWords). The program's
// own pointers also use the second pointer.

#include "codegen-me/target/Ixp.h"
#include "codegen-me/words/WordEmitter.h"

#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {

using target::Op;

/// The transfer register for stack words in SRAM, which is never allocated.
constexpr unsigned StackXfer = 15;
constexpr unsigned WordBytes = 4;
static_assert(StackXfer + 1 == target::XferPerContext,
              "TransferAllocation gives away all registers but the last");

unsigned WordEmitter::frameWord(const MachineInstr &instr,
                                unsigned index) const {
  return frames.wordOf(&instr.getMF()->getFunction(),
                       int(instr.getOperand(index).getImm())) +
         unsigned(instr.getOperand(index + 1).getImm()) / 4;
}

/// Moves a stack word in SRAM. Its address is that of its chunk, from a system
/// word, plus a literal. For farther words it is the first address plus an
/// offset, for which `reg` is used temporarily.
void WordEmitter::sramMove(unsigned word, bool isLoad, Operand reg) {
  unsigned byte = (word - plan.localWords) * 4, chunk = byte / SramChunkBytes;
  bool isFar = chunk >= SramChunksDirect;
  KARAKAL_ASSERT(plan.sramWord >= 0 && chunk < plan.sramChunks,
                 "the plan has SRAM for this stack word");
  KARAKAL_ASSERT(!isFar || plan.saveWord >= 0,
                 "the plan has a word that saves the address register");
  Operand xfer = target::sXfer(StackXfer);
  Operand base = target::localMemory(0, plan.sramWord + (isFar ? 0 : chunk));
  Operand offset = isFar ? reg : target::imm(byte % SramChunkBytes);
  if (!isLoad)
    program.add(target::move(xfer, reg));
  if (!isLoad && isFar)
    program.add(target::move(target::localMemory(0, plan.saveWord), reg));
  if (isFar)
    loadImmediate(reg, byte);
  program
      .add(target::command(isLoad ? Op::SramRead : Op::SramWrite, xfer, base,
                           offset, 1))
      .isStack = true;
  if (isLoad)
    program.add(target::move(reg, xfer));
  else if (isFar)
    program.add(target::move(reg, target::localMemory(0, plan.saveWord)));
}

void WordEmitter::stackMove(unsigned word, bool isLoad, Operand reg) {
  word += plan.systemWords;
  if (word >= plan.localWords)
    return sramMove(word, isLoad, reg);
  unsigned window = word / WindowWords;
  Operand slot = target::localMemory(window ? 1 : 0, word % WindowWords);
  Item &item =
      program.add(isLoad ? target::move(reg, slot) : target::move(slot, reg));
  item.window = uint8_t(window);
}

void WordEmitter::emitFrameAddress(const MachineInstr &instr) {
  unsigned word = plan.systemWords + frameWord(instr, 1);
  KARAKAL_ASSERT(plan.baseWord >= 0, "the plan keeps the address of the stack");
  KARAKAL_ASSERT(word < plan.localWords, "pointers reach local memory only");
  program.add(target::alu(Op::AluAdd, operand(instr, 0),
                          target::localMemory(0, plan.baseWord),
                          target::imm(word * 4 & 0xff)));
}

bool WordEmitter::emitLocal(const MachineInstr &instr) {
  auto throughPointer = [&](Operand address, const target::Instruction &use) {
    program.add(target::csrWrite(target::Csr_ACTIVE_LM_ADDR_1, address));
    program.add(use);
  };
  auto word = [&] {
    unsigned byte = literal(instr, 2);
    KARAKAL_ASSERT(byte % 4 == 0 && byte / 4 < target::CacheLineWords,
                   "a literal offset is a word of the pointer's reach");
    return target::localMemory(1, byte / 4);
  };
  switch (traitsOf(instr.getDesc()).kind) {
  case Kind::FrameLoad:
    stackMove(frameWord(instr, 1), true, operand(instr, 0));
    return true;
  case Kind::FrameStore:
    stackMove(frameWord(instr, 1), false, operand(instr, 0));
    return true;
  case Kind::FrameAddress:
    emitFrameAddress(instr);
    return true;
  case Kind::ArgumentStore: {
    const auto *callee = cast<Function>(instr.getOperand(1).getGlobal());
    stackMove(frames.argumentsOf(callee) + literal(instr, 2) / 4, false,
              operand(instr, 0));
    return true;
  }
  case Kind::LocalLoad:
    throughPointer(operand(instr, 1), target::move(operand(instr, 0), word()));
    return true;
  case Kind::LocalStore:
    throughPointer(operand(instr, 1), target::move(word(), operand(instr, 0)));
    return true;
  default:
    return false;
  }
}

/// The bit of ACTIVE_CTX_STS that tells the cluster. The bits of engine and
/// context are below it.
constexpr unsigned clusterStatusBit = 1 << 7;

/// Multiplies a0, the number of the context, by the bytes of a stack.
void WordEmitter::emitStackOffset() {
  using namespace target;
  unsigned bytes = plan.localWords * WordBytes;
  constexpr unsigned windowShift = 6;
  static_assert(WindowWords * WordBytes == 1 << windowShift &&
                    StackWordsMax == 3 * WindowWords,
                "the stack of a context is found with two shifts");
  if (bytes == 3u << windowShift) {
    program.add(aluShf(Op::ShfB, gprB(0), none(), gprA(0), shl(windowShift)));
    program.add(
        aluShf(Op::ShfB, gprA(0), none(), gprA(0), shl(windowShift + 1)));
    program.add(alu(Op::AluAdd, gprA(0), gprA(0), gprB(0)));
    return;
  }
  unsigned shift = llvm::Log2_32(bytes);
  KARAKAL_ASSERT(1u << shift == bytes, "one or two windows");
  program.add(aluShf(Op::ShfB, gprA(0), none(), gprA(0), shl(shift)));
}

/// Sets both pointers and the addresses that the plan requires. It uses a0, b0
/// and a1, because no register is live yet.
void WordEmitter::emitPrologue() {
  using namespace target;
  if (plan.words == 0 && plan.systemWords == 0)
    return;
  csrRead(gprA(1), Csr_ACTIVE_CTX_STS);
  program.add(alu(Op::AluAnd, gprA(0), gprA(1), imm(7)));
  emitStackOffset();
  // The stacks end with local memory.
  unsigned begin =
      (LocalMemoryWords - plan.localWords * ContextCount) * WordBytes;
  KARAKAL_ASSERT(begin % 256 == 0, "a literal with a shift");
  program.add(aluShf(Op::ShfB, gprB(0), none(), imm(begin >> 8), shl(8)));
  program.add(alu(Op::AluAdd, gprA(0), gprA(0), gprB(0)));
  program.add(csrWrite(Csr_ACTIVE_LM_ADDR_0, gprA(0)));
  program.add(alu(Op::AluAdd, gprB(0), gprA(0), imm(4 * WindowWords)));
  program.add(csrWrite(Csr_ACTIVE_LM_ADDR_1, gprB(0))).pointsTo = 1;
  if (plan.baseWord >= 0)
    program.add(target::move(localMemory(0, plan.baseWord), gprA(0)));
  if (plan.windowWord[1] >= 0)
    program.add(target::move(localMemory(0, plan.windowWord[1]), gprB(0)));
  if (plan.windowWord[2] >= 0)
    program.add(alu(Op::AluAdd, localMemory(0, plan.windowWord[2]), gprA(0),
                    imm(8 * WindowWords)));
  if (!plan.sramChunks)
    return;
  // Stack number = cluster, engine of the cluster, context: bit 7 of the status
  // and the low bits, 4:0 with clusters of four engines, 5:0 with eight.
  unsigned clusterContexts = sram.clusterEngines * ContextCount;
  KARAKAL_ASSERT(llvm::isPowerOf2_32(clusterContexts) &&
                     clusterContexts < clusterStatusBit,
                 "the contexts of a cluster are numbered by the low bits");
  unsigned clusterShift = llvm::Log2_32(clusterStatusBit / clusterContexts);
  program.add(alu(Op::AluAnd, gprA(0), gprA(1), imm(clusterContexts - 1)));
  program.add(aluShf(Op::ShfB, gprB(0), none(), gprA(1), shr(clusterShift)));
  program.add(alu(Op::AluAnd, gprB(0), gprB(0), imm(clusterContexts)));
  program.add(alu(Op::AluOr, gprA(0), gprA(0), gprB(0)));
  unsigned shift = 0;
  while (1u << shift < sram.contextBytes)
    ++shift;
  KARAKAL_ASSERT(1u << shift == sram.contextBytes,
                 "stacks in SRAM are found with a shift");
  program.add(aluShf(Op::ShfB, gprA(0), none(), gprA(0), shl(shift)));
  loadImmediate(gprB(0), sram.base);
  program.add(alu(Op::AluAdd, gprA(0), gprA(0), gprB(0)));
  unsigned kept = std::min(plan.sramChunks, SramChunksDirect);
  for (unsigned chunk = 0; chunk < kept; ++chunk) {
    program.add(target::move(localMemory(0, plan.sramWord + chunk), gprA(0)));
    program.add(alu(Op::AluAdd, gprA(0), gprA(0), imm(SramChunkBytes)));
  }
}

} // namespace karakal::codegen
