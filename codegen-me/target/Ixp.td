// The microengine as an LLVM target.
//
// Registers, instructions and calling convention of the IXP2400 microengine.
// An instruction here is what register allocation must see as one unit: a
// command with its wait, a compare with its branch, an indirect shift with the
// instruction that yields its amount. The condition codes and the "previous
// operand" latches therefore never cross an instruction, and nothing can be
// put into a glued pair. EmitWords.cpp turns each into one or more words.

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

// Nothing survives a call but what the callee is seen not to touch.
def CSR_None : CalleeSavedRegs<(add)>;

def IxpInstrInfo : InstrInfo;

def : ProcessorModel<"ixp2400", NoSchedModel, []>;

def Ixp : Target {
  let InstructionSet = IxpInstrInfo;
}
