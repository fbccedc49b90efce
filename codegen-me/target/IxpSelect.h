// Instruction selection.
//
// The pass that createIxpSelect (IxpTargetMachine.h) creates. IxpSelect.cpp
// selects memory accesses, compares and branches, IxpSelectFields.cpp parts of
// words.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPSELECT_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPSELECT_H

#include "codegen-me/target/IxpTargetMachine.h"

#include "llvm/CodeGen/SelectionDAGISel.h"

namespace karakal::codegen {

// TableGen's output uses these names without a namespace.
using llvm::SDNode;
using llvm::SDValue;
using llvm::SmallVectorImpl;

/// Two address operands; the second may be a literal.
struct Address {
  SDValue x, y;
  bool isLiteral;
};

/// The operands of a compare and the opcode form that they need.
struct ComparedPair {
  SDValue a, b;
  Condition condition;
  unsigned form; ///< 0 rr, 1 ri, 2 ir
};

class IxpSelect : public llvm::SelectionDAGISel {
public:
  IxpSelect(IxpTargetMachine &machine, llvm::CodeGenOptLevel level)
      : llvm::SelectionDAGISel(machine, level) {}

private:
  void Select(SDNode *n) override;
  void PreprocessISelDAG() override;
  bool selectShifted(SDValue v, SDValue &b, SDValue &shift, SDValue &amount);

  SDValue literal(const SDNode *n, uint64_t value) {
    return CurDAG->getTargetConstant(value, llvm::SDLoc(n), llvm::MVT::i32);
  }
  SDValue constantRegister(const SDNode *n, uint64_t value) {
    return SDValue(CurDAG->getMachineNode(llvm::Ixp::LI, llvm::SDLoc(n),
                                          llvm::MVT::i32, literal(n, value)),
                   0);
  }
  Address selectAddress(SDValue address);
  bool isFrame(SDValue address, SDValue &frame, SDValue &offset);
  /// Splits a local-memory address into a register and an offset into the bits
  /// that are 0 in it.
  std::pair<SDValue, SDValue> selectLocal(const llvm::MemSDNode *access);
  void shiftField(SDValue &a, SDValue &b, llvm::ISD::CondCode code);
  ComparedPair selectCompare(SDValue a, SDValue b, llvm::ISD::CondCode code);

  void selectCommandIn(SDNode *n);
  void selectCommandOut(SDNode *n);
  void selectExchange(SDNode *n);
  void selectWriteMasked(SDNode *n);
  void selectLoad(SDNode *n);
  void selectStore(SDNode *n);
  bool selectBranchOnSelf(SDNode *n, SDValue a, SDValue b,
                          llvm::ISD::CondCode code);
  void selectBranch(SDNode *n);
  void selectSelect(SDNode *n);
  void selectSet(SDNode *n);
  void selectWide(SDNode *n);
  bool selectClear(SDNode *n);
  bool selectExtract(SDNode *n);
  bool selectShiftPair(SDNode *n);
  bool selectInsert(SDNode *n);
  bool selectPartAdd(SDNode *n);
  bool selectMultiply(SDNode *n);
  void selectTargetNode(llvm::SDNode *n);
  bool selectGenericNode(llvm::SDNode *n);
  void selectCall(SDNode *n);

#define GET_DAGISEL_DECL
#include "codegen-me/target/IxpGenDAGISel.inc"
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPSELECT_H
