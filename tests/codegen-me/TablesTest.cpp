// Checks TableGen's tables of Ixp.td against target-ixp/.

#include "codegen-me/target/Ixp.h"
#include "codegen-me/target/IxpTargetMachine.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

#include <set>

using namespace karakal;
using namespace karakal::codegen;
namespace Ixp = llvm::Ixp;

namespace {

class Tables : public testing::Test {
protected:
  Tables() : module("tables", context) {
    function = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
        llvm::GlobalValue::ExternalLinkage, "f", module);
    const llvm::TargetSubtargetInfo &subtarget =
        *machine.getSubtargetImpl(*function);
    instructions = subtarget.getInstrInfo();
    registers = subtarget.getRegisterInfo();
  }

  llvm::LLVMContext context;
  llvm::Module module;
  llvm::Function *function;
  IxpTargetMachine machine{llvm::CodeGenOptLevel::Default};
  const llvm::TargetInstrInfo *instructions;
  const llvm::TargetRegisterInfo *registers;
};

TEST_F(Tables, ClassesHaveTheRegistersOfAContext) {
  EXPECT_EQ(Ixp::GPRARegClass.getNumRegs(), target::GprPerBankPerContext);
  EXPECT_EQ(Ixp::GPRBRegClass.getNumRegs(), target::GprPerBankPerContext);
  EXPECT_EQ(Ixp::GPRRegClass.getNumRegs(), 2 * target::GprPerBankPerContext);
  for (const llvm::TargetRegisterClass *file :
       {&Ixp::SINRegClass, &Ixp::SOUTRegClass, &Ixp::DINRegClass,
        &Ixp::DOUTRegClass}) {
    EXPECT_EQ(file->getNumRegs(), target::XferPerContext);
    std::set<unsigned> numbers;
    for (llvm::MCPhysReg reg : *file)
      numbers.insert(registers->getEncodingValue(reg));
    EXPECT_EQ(*numbers.rbegin(), target::XferPerContext - 1);
    EXPECT_EQ(numbers.size(), target::XferPerContext);
  }
}

/// The number of words of the tuple that a command moves; 0 if it moves none.
unsigned runWords(const llvm::MCInstrDesc &desc,
                  const llvm::TargetRegisterInfo &registers, bool &isDram) {
  for (const llvm::MCOperandInfo &operand : desc.operands()) {
    if (operand.RegClass < 0)
      continue;
    const llvm::TargetRegisterClass &file =
        *registers.getRegClass(operand.RegClass);
    llvm::StringRef name = registers.getRegClassName(&file);
    isDram = name.starts_with("D");
    if (isDram || name.starts_with("S"))
      return registers.getRegSizeInBits(file) / 32;
  }
  return 0;
}

TEST_F(Tables, TuplesHaveTheLengthsThatCommandsMove) {
  unsigned longest[2] = {0, 0};
  for (unsigned op = 0; op < instructions->getNumOpcodes(); ++op) {
    const llvm::MCInstrDesc &desc = instructions->get(op);
    if (traitsOf(desc).kind != Kind::Command)
      continue;
    bool isDram = false;
    unsigned words = runWords(desc, *registers, isDram);
    // An indirect reference sets the count of a wide read.
    if (words == WideReadWords)
      continue;
    longest[isDram] = std::max(longest[isDram], words);
    const target::InstructionRow &row =
        target::row(isDram ? target::Op::DramRead : target::Op::SramRead);
    EXPECT_LE(words * 4, unsigned(row.countMax * row.unitBytes))
        << instructions->getName(op).str();
  }
  for (target::Op op : {target::Op::SramRead, target::Op::SramWrite,
                        target::Op::ScratchRead, target::Op::ScratchWrite})
    EXPECT_EQ(longest[0] * 4,
              unsigned(target::row(op).countMax * target::row(op).unitBytes));
  for (target::Op op : {target::Op::DramRead, target::Op::DramWrite})
    EXPECT_EQ(longest[1] * 4,
              unsigned(target::row(op).countMax * target::row(op).unitBytes));
}

TEST_F(Tables, EveryCommandIsOneOfTheInstructionTable){
#define KARAKAL_NAME(name)                                                     \
  EXPECT_TRUE(target::row(target::Op::name).isCommand()) << #name;
    KARAKAL_COMMANDS(KARAKAL_NAME)
#undef KARAKAL_NAME
}

TEST_F(Tables, PairedSourcesAreInOppositeBanks) {
  for (unsigned op = 0; op < instructions->getNumOpcodes(); ++op) {
    const llvm::MCInstrDesc &desc = instructions->get(op);
    Traits traits = traitsOf(desc);
    if (traits.pairSecond == 0)
      continue;
    auto bankOf = [&](unsigned operand) {
      int file = desc.operands()[operand].RegClass;
      return file == Ixp::GPRARegClassID   ? 'a'
             : file == Ixp::GPRBRegClassID ? 'b'
                                           : 'r';
    };
    char first = bankOf(traits.pairFirst), second = bankOf(traits.pairSecond);
    bool isOpen = first == 'r' && second == 'r';
    EXPECT_TRUE(isOpen || first != second) << instructions->getName(op).str();
  }
}

} // namespace
