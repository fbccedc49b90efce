// The microengine as an LLVM target.
//
// Registers, instructions and calling convention of the IXP2400 microengine.
// Words that register allocation must not separate are one instruction here: a
// compare with its branch, an indirect shift with the word that yields its
// amount. Therefore the condition codes and the "previous operand" latches are
// never live between instructions, and no word can come between such words.
// WordEmitter.cpp turns each instruction into one or more words.

include "llvm/Target/Target.td"

include "IxpRegisters.td"
include "IxpFormats.td"
include "IxpInstructions.td"
include "IxpCommands.td"

def CC_Ixp : CallingConv<[
  CCIfType<[i32], CCAssignToReg<[A1, B1, A2, B2, A3, B3, A4, B4]>>,
  CCIfType<[i32], CCAssignToStack<4, 4>>
]>;

def RetCC_Ixp : CallingConv<[
  CCIfType<[i32], CCAssignToReg<[A1, B1, A2, B2, A3, B3, A4, B4]>>
]>;

// No register is saved by the callee. Registers that LLVM sees the callee not
// use survive a call.
def CSR_None : CalleeSavedRegs<(add)>;

def IxpInstrInfo : InstrInfo;

def : ProcessorModel<"ixp2400", NoSchedModel, []>;

def Ixp : Target {
  let InstructionSet = IxpInstrInfo;
}
