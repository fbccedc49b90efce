// Selects operations on parts of words.
//
// Masks, shifts, merges of bytes and small products take fewer instructions
// with ld_field, the shifter and short multiply steps than with the patterns.

#include "codegen-me/target/IxpSelect.h"

#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace karakal::codegen {

/// Selects and(x [>> n], mask) == value if mask and value fit literals after a
/// right shift. The AND does the shift, and no constant needs a register.
void IxpSelect::shiftField(SDValue &a, SDValue &b, ISD::CondCode code) {
  auto *value = dyn_cast<ConstantSDNode>(b);
  if (!value || (code != ISD::SETEQ && code != ISD::SETNE) ||
      a.getOpcode() != ISD::AND || !a.hasOneUse() ||
      !isa<ConstantSDNode>(a.getOperand(1)))
    return;
  uint32_t mask = a.getConstantOperandVal(1);
  if (mask <= 0xff || byteMaskOf(mask) || byteMaskOf(~mask))
    return;
  unsigned shift = llvm::countr_zero(mask);
  if (mask >> shift > 0xff || value->getZExtValue() & ~uint64_t(mask))
    return;
  SDNode *n = a.getNode();
  SDValue x = a.getOperand(0);
  uint32_t compared = value->getZExtValue() >> shift;
  mask >>= shift;
  if (x.getOpcode() == ISD::SRL && x.hasOneUse() &&
      isa<ConstantSDNode>(x.getOperand(1)) &&
      shift + x.getConstantOperandVal(1) < 32) {
    shift += x.getConstantOperandVal(1);
    x = x.getOperand(0);
  }
  a = SDValue(
      CurDAG->getMachineNode(
          Ixp::SHFANDir, SDLoc(n), MVT::i32,
          {literal(n, mask), x, literal(n, ShiftRight), literal(n, shift)}),
      0);
  b = CurDAG->getConstant(compared, SDLoc(n), MVT::i32);
}

/// Selects and(x [shifted], mask) if it clears only low bits among those of x
/// that may be 1.
bool IxpSelect::selectClear(SDNode *n) {
  auto *constant = dyn_cast<ConstantSDNode>(n->getOperand(1));
  SDValue x = n->getOperand(0);
  if (!constant || constant->getZExtValue() <= 0xff)
    return false;
  uint32_t possible = ~CurDAG->computeKnownBits(x).Zero.getZExtValue();
  uint32_t cleared = ~uint32_t(constant->getZExtValue()) & possible;
  if (cleared > 0xff)
    return false;
  SDValue b, shift, amount;
  if (selectShifted(x, b, shift, amount))
    CurDAG->SelectNodeTo(n, Ixp::SHFNANDir, MVT::i32,
                         {literal(n, cleared), b, shift, amount});
  else
    CurDAG->SelectNodeTo(n, Ixp::ANDNri, MVT::i32, {x, literal(n, cleared)});
  return true;
}

/// Selects and(x [shifted], byte mask) as ld_field_w_clr.
bool IxpSelect::selectExtract(SDNode *n) {
  auto *constant = dyn_cast<ConstantSDNode>(n->getOperand(1));
  if (!constant || constant->getZExtValue() <= 0xff)
    return false;
  unsigned mask = byteMaskOf(constant->getZExtValue());
  if (!mask)
    return false;
  SDValue b = n->getOperand(0), shift = literal(n, NoShift),
          amount = literal(n, 0);
  selectShifted(n->getOperand(0), b, shift, amount);
  CurDAG->SelectNodeTo(n, Ixp::EXTRACTrr, MVT::i32,
                       {b, literal(n, mask), shift, amount});
  return true;
}

/// The number of words that load a constant.
static unsigned immediateWords(uint32_t value) {
  for (uint32_t v : {value, ~value})
    for (unsigned shift : {0, 8, 16})
      if (v >> shift <= 0xffff && (v >> shift) << shift == v)
        return 1;
  return 2;
}

/// Selects and(x [>> c], mask) as two shifts if the ones of the mask are
/// consecutive, the mask would take two words to load, and the field reaches
/// one end of the bits of x that may be 1.
bool IxpSelect::selectShiftPair(SDNode *n) {
  auto *constant = dyn_cast<ConstantSDNode>(n->getOperand(1));
  uint32_t mask = constant ? constant->getZExtValue() : 0;
  unsigned low, length;
  if (!constant || immediateWords(mask) < 2 ||
      !isShiftedMask_32(mask, low, length))
    return false;
  unsigned above = 32 - low - length; // zeros above the ones
  SDValue x = n->getOperand(0);
  auto shf = [&](SDValue b, unsigned kind, unsigned count) {
    return SDValue(CurDAG->getMachineNode(Ixp::SHF, SDLoc(n), MVT::i32, b,
                                          literal(n, kind), literal(n, count)),
                   0);
  };
  if (low &&
      CurDAG->MaskedValueIsZero(x, ~APInt(32, mask | ((1u << low) - 1)))) {
    unsigned right = low;
    if (x.getOpcode() == ISD::SRL && x.hasOneUse() &&
        isa<ConstantSDNode>(x.getOperand(1)) &&
        x.getConstantOperandVal(1) + low < 32) {
      right += x.getConstantOperandVal(1);
      x = x.getOperand(0);
    }
    CurDAG->SelectNodeTo(
        n, Ixp::SHF, MVT::i32,
        {shf(x, ShiftRight, right), literal(n, ShiftLeft), literal(n, low)});
    return true;
  }
  if (low)
    return false;
  CurDAG->SelectNodeTo(
      n, Ixp::SHF, MVT::i32,
      {shf(x, ShiftLeft, above), literal(n, ShiftRight), literal(n, above)});
  return true;
}

/// Selects or(and(x, ~mask), y [shifted]) as ld_field if y is within the mask.
bool IxpSelect::selectInsert(SDNode *n) {
  for (unsigned side = 0; side < 2; ++side) {
    SDValue kept = n->getOperand(side), field = n->getOperand(1 - side);
    if (kept.getOpcode() != ISD::AND ||
        !isa<ConstantSDNode>(kept.getOperand(1)))
      continue;
    uint32_t keep = kept.getConstantOperandVal(1);
    unsigned mask = byteMaskOf(~keep);
    if (!mask || isa<ConstantSDNode>(field) ||
        !CurDAG->MaskedValueIsZero(field, APInt(32, keep)))
      continue;
    if (field.getOpcode() == ISD::AND && field.hasOneUse() &&
        isa<ConstantSDNode>(field.getOperand(1)) &&
        uint32_t(field.getConstantOperandVal(1)) == ~keep)
      field = field.getOperand(0);
    SDValue b = field, shift = literal(n, NoShift), amount = literal(n, 0);
    selectShifted(field, b, shift, amount);
    CurDAG->SelectNodeTo(
        n, Ixp::INSERTrr, MVT::i32,
        {kept.getOperand(0), b, literal(n, mask), shift, amount});
    return true;
  }
  return false;
}

/// Selects or(x, and(y, low byte or half)) as an addition of the part, which
/// masks it, if no bit is 1 in both.
bool IxpSelect::selectPartAdd(SDNode *n) {
  if (!CurDAG->isADDLike(SDValue(n, 0)))
    return false;
  for (unsigned side = 0; side < 2; ++side) {
    SDValue part = n->getOperand(side);
    if (part.getOpcode() != ISD::AND || !part.hasOneUse() ||
        !isa<ConstantSDNode>(part.getOperand(1)))
      continue;
    uint64_t mask = part.getConstantOperandVal(1);
    if (mask != 0xff && mask != 0xffff)
      continue;
    CurDAG->SelectNodeTo(n, mask == 0xff ? Ixp::ADD8rr : Ixp::ADD16rr, MVT::i32,
                         {n->getOperand(1 - side), part.getOperand(0)});
    return true;
  }
  return false;
}

/// Selects a multiplication; small factors need fewer steps.
bool IxpSelect::selectMultiply(SDNode *n) {
  SDValue a = n->getOperand(0), b = n->getOperand(1);
  unsigned bitsA = CurDAG->computeKnownBits(a).countMaxActiveBits();
  unsigned bitsB = CurDAG->computeKnownBits(b).countMaxActiveBits();
  if (bitsA < bitsB) {
    std::swap(a, b);
    std::swap(bitsA, bitsB);
  }
  if (bitsA > 24 || bitsB > 16 || (bitsA > 16 && bitsB > 8))
    return false;
  unsigned opcode = bitsB > 8 ? Ixp::MUL16rr : Ixp::MUL24rr;
  if (auto *constant = dyn_cast<ConstantSDNode>(b); constant && bitsB <= 8) {
    opcode = Ixp::MUL24ri;
    b = literal(n, constant->getZExtValue());
  }
  CurDAG->SelectNodeTo(n, opcode, MVT::i32, {a, b});
  return true;
}

} // namespace karakal::codegen
