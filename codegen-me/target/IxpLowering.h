// Declares which operations the machine has.
//
// Only i32 is legal. Wider integers are split, except that 64-bit addition,
// subtraction and ordering keep the machine's carry. Loads and stores of
// several words arrive as calls that PrepareMemory.cpp makes.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPLOWERING_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPLOWERING_H

#include "codegen-me/target/Ixp.h"

#include "llvm/CodeGen/TargetLowering.h"

namespace llvm {
struct KnownBits;
} // namespace llvm

namespace karakal::codegen {

/// Target nodes.
namespace node {
enum Node : unsigned {
  First = llvm::ISD::BUILTIN_OP_END,
  AddWide, ///< (lo, hi) = al, ah, bl, bh
  SubWide,
  SetWide,       ///< i32 = al, ah, bl, bh, Condition
  CommandIn,     ///< (words..., chain) = chain, Command, address
  CommandOut,    ///< chain = chain, Command, address, words...
  CommandNone,   ///< chain = chain, Command, address
  Exchange,      ///< (i32, chain) = chain, Command, address, word
  WriteMasked,   ///< chain = chain, Command, address, words..., override
  Call,          ///< (chain, glue) = chain, callee, registers..., mask, glue
  Return,        ///< chain, return address, registers..., glue
  ArgumentStore, ///< chain = chain, value, callee, byte offset
  Swap,          ///< chain = chain, signal to wait for, 0 = none
  Barrier,       ///< chain = chain
  CsrRead,       ///< (i32, chain) = chain, CSR
  CsrWrite,      ///< chain = chain, CSR, value
  RingStatus,    ///< (i32, chain) = chain, input state
  Halt,
};
} // namespace node

class IxpLowering : public llvm::TargetLowering {
public:
  IxpLowering(const llvm::TargetMachine &machine,
              const llvm::TargetRegisterInfo &registers);

  const char *getTargetNodeName(unsigned opcode) const override;
  llvm::SDValue LowerOperation(llvm::SDValue op,
                               llvm::SelectionDAG &dag) const override;
  void ReplaceNodeResults(llvm::SDNode *n,
                          llvm::SmallVectorImpl<llvm::SDValue> &results,
                          llvm::SelectionDAG &dag) const override;

  /// Expands wide shifts in registers; on the stack they would need unaligned
  /// loads.
  ShiftLegalizationStrategy
  preferredShiftLegalizationStrategy(llvm::SelectionDAG &, llvm::SDNode *,
                                     unsigned) const override {
    return ShiftLegalizationStrategy::ExpandToParts;
  }

  llvm::SDValue LowerFormalArguments(
      llvm::SDValue chain, llvm::CallingConv::ID cc, bool isVarArg,
      const llvm::SmallVectorImpl<llvm::ISD::InputArg> &ins,
      const llvm::SDLoc &where, llvm::SelectionDAG &dag,
      llvm::SmallVectorImpl<llvm::SDValue> &values) const override;
  bool CanLowerReturn(llvm::CallingConv::ID cc, llvm::MachineFunction &,
                      bool isVarArg,
                      const llvm::SmallVectorImpl<llvm::ISD::OutputArg> &outs,
                      llvm::LLVMContext &context) const override;
  llvm::SDValue
  LowerReturn(llvm::SDValue chain, llvm::CallingConv::ID cc, bool isVarArg,
              const llvm::SmallVectorImpl<llvm::ISD::OutputArg> &outs,
              const llvm::SmallVectorImpl<llvm::SDValue> &values,
              const llvm::SDLoc &where, llvm::SelectionDAG &dag) const override;
  llvm::SDValue
  LowerCall(CallLoweringInfo &call,
            llvm::SmallVectorImpl<llvm::SDValue> &values) const override;

  bool isLegalAddressingMode(const llvm::DataLayout &, const AddrMode &mode,
                             llvm::Type *, unsigned space,
                             llvm::Instruction *) const override;
  /// A literal, or what one immed loads before the loop: else DAG combining
  /// shifts the other operand down to a literal, for each packet. With a power
  /// of two only the shift remains, and nothing to compare.
  bool isLegalICmpImmediate(int64_t value) const override;
  bool isLegalAddImmediate(int64_t value) const override {
    return value > -256 && value < 256;
  }
  void computeKnownBitsForTargetNode(llvm::SDValue op, llvm::KnownBits &known,
                                     const llvm::APInt &elements,
                                     const llvm::SelectionDAG &dag,
                                     unsigned depth) const override;
  /// Masks of whole bytes stay as they are, because ld_field needs no register
  /// for them.
  bool targetShrinkDemandedConstant(llvm::SDValue op, const llvm::APInt &bits,
                                    const llvm::APInt &elements,
                                    TargetLoweringOpt &opt) const override;
  bool isTruncateFree(llvm::Type *from, llvm::Type *to) const override;
  bool isTruncateFree(llvm::EVT from, llvm::EVT to) const override;
  bool isZExtFree(llvm::Type *from, llvm::Type *to) const override;
  bool isZExtFree(llvm::EVT from, llvm::EVT to) const override;
  bool shouldReduceLoadWidth(llvm::SDNode *, llvm::ISD::LoadExtType,
                             llvm::EVT) const override {
    return false;
  }
  bool decomposeMulByConstant(llvm::LLVMContext &, llvm::EVT type,
                              llvm::SDValue) const override {
    return type == llvm::MVT::i32;
  }
  bool hasAndNot(llvm::SDValue) const override { return true; }
  llvm::EVT getSetCCResultType(const llvm::DataLayout &, llvm::LLVMContext &,
                               llvm::EVT) const override {
    return llvm::MVT::i32;
  }

private:
  /// Lowers a call of a function that stands for an instruction
  /// (IxpIntrinsics.cpp). Returns false if the callee is an ordinary function.
  bool lowerIntrinsic(CallLoweringInfo &call,
                      llvm::SmallVectorImpl<llvm::SDValue> &values,
                      llvm::SDValue &chain) const;
  llvm::SDValue lowerMulHighSigned(llvm::SDValue op,
                                   llvm::SelectionDAG &dag) const;
  llvm::SDValue lowerRotate(llvm::SDValue op, llvm::SelectionDAG &dag) const;
  llvm::SDValue compareWide(llvm::SDValue a, llvm::SDValue b,
                            llvm::ISD::CondCode code, const llvm::SDLoc &where,
                            llvm::SelectionDAG &dag) const;
  llvm::SDValue lowerCompareWide(llvm::SDValue op,
                                 llvm::SelectionDAG &dag) const;
};

/// The name of a function that moves a burst: "__ixp_read.<space>.<n>".
std::string accessName(bool isRead, unsigned space, unsigned words);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPLOWERING_H
