// Reads one item of the program as an instruction.
//
// Each group of Formats.def has a function that reads the operands of its
// instructions. AsmInstruction.cpp has these functions except for commands,
// which are in AsmCommand.cpp. AsmTokens.cpp reads the optional tokens after
// the bracket, such as defer[1] or ctx_swap[s].

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMINSTRUCTION_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMINSTRUCTION_H

#include "target-ixp/assembler/AsmOperands.h"

namespace karakal::target::as {

class InstructionReader : OperandReader {
public:
  using OperandReader::OperandReader;

  /// The instruction, or nothing if an error was reported. Before allocation
  /// it also records which GPRs must be in different banks.
  std::optional<Instruction> read();

private:
  Instruction i;
  /// The symbols that the operands came from, if they were symbols.
  Symbol *symbolDest = nullptr, *symbolA = nullptr, *symbolB = nullptr;
  Symbol *symbolXfer = nullptr;

  bool expect(size_t least, size_t most, const char *form);
  void dest(size_t index);
  void sourceA(size_t index);
  void sourceB(size_t index);

  // One function for each group of Formats.def.
  void parseFixed() { expect(0, 0, "without operands"); }
  void parseAlu();
  void parseCam();
  void parseCrc();
  void parseShifted();
  void parseLdField();
  void parseImmed();
  void parseMul();
  void parseBranch();
  void parseJump();
  void parseCtxArb();
  void parseCsr();
  void parseCommand();

  /// alu[dest, a, op, b] and alu_shf[dest, a, op, b, shift].
  void operatorForm(bool withShiftAllowed);
  void moveForm(); ///< mnemonic[dest, source]
  void immedValue(int64_t value, bool shifted);
  void loadAddr();
  void branchOn();

  void capCommand();
  void xfer(size_t index);
  void checkXferTuple();

  void options();
  void commandOption(const Option &option);
  /// Reads an option of an instruction other than a command. Returns false if
  /// the instruction does not take it.
  bool instructionOption(const Option &option);
  bool crcOption(const std::string &name);

  void recordConstraints();
};

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMINSTRUCTION_H
