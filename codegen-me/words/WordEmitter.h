// Emits machine instructions as words.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDEMITTER_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDEMITTER_H

#include "codegen-me/machine/Frequencies.h"
#include "codegen-me/words/WordProgram.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class DILocalVariable;
class DILocation;
class Function;
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
class MachineOperand;
} // namespace llvm

namespace karakal::codegen {

/// Emits one machine function per call, the entry first.
class WordEmitter {
public:
  WordEmitter(WordProgram &program, const FrameMap &frames,
              const StackPlan &plan, const SramStack &sram,
              const BlockFrequencies &frequencies)
      : program(program), frames(frames), plan(plan), sram(sram),
        frequencies(frequencies) {}

  void emitFunction(llvm::MachineFunction &function, bool isEntry);

private:
  using Operand = target::Operand;

  void emitStackOffset();
  void emitPrologue();
  void emitInstr(const llvm::MachineInstr &instr);
  bool emitArithmetic(const llvm::MachineInstr &instr);
  bool emitShift(const llvm::MachineInstr &instr);
  bool emitControl(const llvm::MachineInstr &instr);
  bool emitLocal(const llvm::MachineInstr &instr);
  bool emitUnit(const llvm::MachineInstr &instr);
  void emitCam(const llvm::MachineInstr &instr);
  void emitByteAlign(const llvm::MachineInstr &instr);
  void emitCrc(const llvm::MachineInstr &instr);
  void emitMasked(const llvm::MachineInstr &instr);
  void emitWideRead(const target::Instruction &command);

  Operand operand(const llvm::MachineInstr &instr, unsigned index) const;
  unsigned literal(const llvm::MachineInstr &instr, unsigned index) const;
  unsigned labelOf(const llvm::MachineBasicBlock *block);
  unsigned labelOf(const llvm::Function *function);
  uint32_t lineOf(const llvm::Function &function);
  void move(Operand to, Operand from);
  void loadImmediate(Operand to, uint32_t value);
  /// Appends a branch; `taken` of its executions take it.
  void branchTo(target::Op op, unsigned label, float taken);
  /// Executions in which control goes from the current block to `block`.
  float flowTo(const llvm::MachineBasicBlock *block) const;
  /// Emits a branch over the words up to `label`, which run half of the time.
  void branchOver(target::Op branch, unsigned label);
  void markLoop(const llvm::MachineInstr &probe);
  /// What LLVM IR says of the variables of a function, and what the machine
  /// code cannot say.
  void countValues(const llvm::MachineFunction &function);
  /// Marks the value that a DBG_VALUE gives to a variable.
  void markValue(const llvm::MachineInstr &instr);
  target::ValuePart placeOf(const llvm::MachineInstr &instr, unsigned shift,
                            bool isWhole) const;
  uint32_t numberOf(const llvm::DILocalVariable &variable);
  /// The number of the inlined call that a line is of, 0 if none.
  uint32_t instanceOf(const llvm::DILocation &line);
  /// Gives the words of the block its marks.
  void markPaths(const llvm::MachineBasicBlock &block);
  /// Emits a compare whose flags the next word uses.
  void compare(Operand a, Operand b);
  void emitMultiply(const llvm::MachineInstr &instr, bool isFull);
  void emitOnesAdd(const llvm::MachineInstr &instr);
  void emitWide(const llvm::MachineInstr &instr);
  void emitCompareWide(const llvm::MachineInstr &instr, unsigned first);
  void emitSelect(const llvm::MachineInstr &instr);
  void emitSet(Operand to, target::Op branch);
  void emitCall(const llvm::MachineInstr &instr);
  void emitCommand(const llvm::MachineInstr &instr);
  bool emitRingBranch(const llvm::MachineInstr &instr);
  void emitRingStatus(const llvm::MachineInstr &instr);
  void emitFrameAddress(const llvm::MachineInstr &instr);
  /// The stack word of a frame operand.
  unsigned frameWord(const llvm::MachineInstr &instr, unsigned index) const;
  void stackMove(unsigned word, bool isLoad, Operand reg);
  void sramMove(unsigned word, bool isLoad, Operand reg);
  void csrRead(Operand to, unsigned csr);

  WordProgram &program;
  const FrameMap &frames;
  const StackPlan &plan;
  const SramStack &sram;
  const BlockFrequencies &frequencies;
  llvm::DenseMap<const void *, unsigned> labels;
  llvm::DenseMap<const llvm::DILocalVariable *, uint32_t> variables;
  llvm::DenseMap<const llvm::DILocation *, uint32_t> instances;
  /// Variables that are parts of wider registers.
  llvm::DenseSet<const llvm::DILocalVariable *> widened;
  const llvm::MachineBasicBlock *currentBlock = nullptr;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDEMITTER_H
