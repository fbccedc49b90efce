// Lowers operations that the machine does not have, and calls.
//
// Arguments and results are passed in a1, b1, a2, b2, ..., the return address
// in a0. Further arguments are at the start of the callee's frame. Its address
// is known because frames are static and calls are direct.

#include "codegen-me/target/IxpLowering.h"

#include "codegen-me/target/IxpFunctionInfo.h"
#include "codegen-me/target/IxpRegisterInfo.h"

#include "target-ixp/chip/MemoryMap.h"

#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

#include "codegen-me/target/IxpGenCallingConv.inc"

namespace karakal::codegen {

IxpLowering::IxpLowering(const TargetMachine &machine,
                         const TargetRegisterInfo &registers)
    : TargetLowering(machine) {
  addRegisterClass(MVT::i32, &Ixp::GPRRegClass);
  computeRegisterProperties(&registers);

  setBooleanContents(ZeroOrOneBooleanContent);
  setSchedulingPreference(Sched::RegPressure);
  setMinimumJumpTableEntries(UINT_MAX);
  // There is no runtime library. LLVM expands operations without a library name
  // in place.
  for (int call = 0; call < RTLIB::UNKNOWN_LIBCALL; ++call)
    setLibcallName(static_cast<RTLIB::Libcall>(call), nullptr);
  // Copies are expanded before selection and must not become calls.
  MaxStoresPerMemcpy = MaxStoresPerMemset = MaxStoresPerMemmove = 0;

  for (unsigned op : {ISD::SELECT,      ISD::SDIV,
                      ISD::UDIV,        ISD::SREM,
                      ISD::UREM,        ISD::SDIVREM,
                      ISD::UDIVREM,     ISD::MULHU,
                      ISD::SMUL_LOHI,   ISD::FSHL,
                      ISD::SHL_PARTS,   ISD::SRL_PARTS,
                      ISD::SRA_PARTS,   ISD::CTTZ,
                      ISD::CTLZ,        ISD::CTLZ_ZERO_UNDEF,
                      ISD::BSWAP,       ISD::BITREVERSE,
                      ISD::ABS,         ISD::SMIN,
                      ISD::SMAX,        ISD::UMIN,
                      ISD::UMAX,        ISD::SADDO,
                      ISD::SSUBO,       ISD::UADDO,
                      ISD::USUBO,       ISD::SMULO,
                      ISD::UMULO,       ISD::DYNAMIC_STACKALLOC,
                      ISD::UADDO_CARRY, ISD::USUBO_CARRY})
    setOperationAction(op, MVT::i32, Expand);
  for (unsigned op : {ISD::CTPOP, ISD::CTTZ_ZERO_UNDEF, ISD::FSHR,
                      ISD::UMUL_LOHI, ISD::SETCC, ISD::SELECT_CC, ISD::BR_CC})
    setOperationAction(op, MVT::i32, Legal);
  for (unsigned op : {ISD::MULHS, ISD::ROTL, ISD::ROTR, ISD::SHL_PARTS,
                      ISD::SRL_PARTS, ISD::SRA_PARTS})
    setOperationAction(op, MVT::i32, Custom);
  for (unsigned op :
       {ISD::ADD, ISD::SUB, ISD::SETCC, ISD::SELECT_CC, ISD::BR_CC})
    setOperationAction(op, MVT::i64, Custom);
  for (MVT type : {MVT::i1, MVT::i8, MVT::i16}) {
    setOperationAction(ISD::SIGN_EXTEND_INREG, type, Expand);
    setTruncStoreAction(MVT::i32, type, Expand);
    // Memory accesses move whole words only.
    for (unsigned extension : {ISD::EXTLOAD, ISD::SEXTLOAD, ISD::ZEXTLOAD})
      setLoadExtAction(extension, MVT::i32, type, Expand);
  }
  for (unsigned op : {ISD::BR_JT, ISD::BRCOND, ISD::BRIND})
    setOperationAction(op, MVT::Other, Expand);
  setOperationAction(ISD::TRAP, MVT::Other, Legal);
}

const char *IxpLowering::getTargetNodeName(unsigned opcode) const {
  static const char *const names[] = {
      "First",      "AddWide",       "SubWide",  "SetWide",     "CommandIn",
      "CommandOut", "CommandNone",   "Exchange", "WriteMasked", "Call",
      "Return",     "ArgumentStore", "Swap",     "Barrier",     "CsrRead",
      "CsrWrite",   "RingStatus",    "Halt"};
  static_assert(std::size(names) == node::Halt - node::First + 1,
                "every target node has a name");
  unsigned index = opcode - node::First;
  return index < std::size(names) ? names[index] : nullptr;
}

/// In the address of a cache line only bits 9:6 may be 1.
void IxpLowering::computeKnownBitsForTargetNode(SDValue op, KnownBits &known,
                                                const APInt &,
                                                const SelectionDAG &,
                                                unsigned) const {
  known.resetAll();
  if (op->isMachineOpcode() && op->getMachineOpcode() == Ixp::CAMLOOKUPLINE &&
      op.getResNo() == 1)
    known.Zero = APInt(32, ~0x3c0u);
}

static std::pair<SDValue, SDValue> halves(SDValue wide, const SDLoc &where,
                                          SelectionDAG &dag) {
  auto half = [&](unsigned which) {
    return dag.getNode(ISD::EXTRACT_ELEMENT, where, MVT::i32, wide,
                       dag.getIntPtrConstant(which, where));
  };
  return {half(0), half(1)};
}

void IxpLowering::ReplaceNodeResults(SDNode *n,
                                     SmallVectorImpl<SDValue> &results,
                                     SelectionDAG &dag) const {
  if ((n->getOpcode() != ISD::ADD && n->getOpcode() != ISD::SUB) ||
      n->getValueType(0) != MVT::i64)
    return;
  SDLoc where(n);
  auto [al, ah] = halves(n->getOperand(0), where, dag);
  auto [bl, bh] = halves(n->getOperand(1), where, dag);
  SDValue sum =
      dag.getNode(n->getOpcode() == ISD::ADD ? node::AddWide : node::SubWide,
                  where, dag.getVTList(MVT::i32, MVT::i32), al, ah, bl, bh);
  results.push_back(
      dag.getNode(ISD::BUILD_PAIR, where, MVT::i64, sum, sum.getValue(1)));
}

SDValue IxpLowering::lowerMulHighSigned(SDValue op, SelectionDAG &dag) const {
  // high(a * b) signed = high unsigned - (a < 0 ? b : 0) - (b < 0 ? a : 0)
  SDLoc where(op);
  SDValue a = op.getOperand(0), b = op.getOperand(1);
  SDValue count = dag.getConstant(31, where, MVT::i32);
  auto fix = [&](SDValue x, SDValue y) {
    SDValue sign = dag.getNode(ISD::SRA, where, MVT::i32, x, count);
    return dag.getNode(ISD::AND, where, MVT::i32, sign, y);
  };
  SDValue product = dag.getNode(ISD::UMUL_LOHI, where,
                                dag.getVTList(MVT::i32, MVT::i32), a, b);
  SDValue high =
      dag.getNode(ISD::SUB, where, MVT::i32, product.getValue(1), fix(a, b));
  return dag.getNode(ISD::SUB, where, MVT::i32, high, fix(b, a));
}

SDValue IxpLowering::lowerRotate(SDValue op, SelectionDAG &dag) const {
  SDLoc where(op);
  SDValue value = op.getOperand(0), amount = op.getOperand(1);
  if (auto *constant = dyn_cast<ConstantSDNode>(amount)) {
    if (op.getOpcode() == ISD::ROTR)
      return op;
    unsigned right = (32 - constant->getZExtValue()) & 31;
    return dag.getNode(ISD::ROTR, where, MVT::i32, value,
                       dag.getConstant(right, where, MVT::i32));
  }
  if (op.getOpcode() == ISD::ROTL)
    amount = dag.getNegative(amount, where, MVT::i32);
  return dag.getNode(ISD::FSHR, where, MVT::i32, value, value, amount);
}

/// Compares with the carry chain, which decides a < b and a >= b; other orders
/// swap a and b. Returns null for equality, which LLVM expands well.
SDValue IxpLowering::compareWide(SDValue a, SDValue b, ISD::CondCode code,
                                 const SDLoc &where, SelectionDAG &dag) const {
  if (a.getValueType() != MVT::i64)
    return SDValue();
  Condition condition;
  switch (code) {
  case ISD::SETGT:
    std::swap(a, b);
    [[fallthrough]];
  case ISD::SETLT:
    condition = Less;
    break;
  case ISD::SETLE:
    std::swap(a, b);
    [[fallthrough]];
  case ISD::SETGE:
    condition = GreaterEqual;
    break;
  case ISD::SETUGT:
    std::swap(a, b);
    [[fallthrough]];
  case ISD::SETULT:
    condition = Below;
    break;
  case ISD::SETULE:
    std::swap(a, b);
    [[fallthrough]];
  case ISD::SETUGE:
    condition = AtLeast;
    break;
  default:
    return SDValue();
  }
  auto [al, ah] = halves(a, where, dag);
  auto [bl, bh] = halves(b, where, dag);
  return dag.getNode(node::SetWide, where, MVT::i32, al, ah, bl, bh,
                     dag.getTargetConstant(condition, where, MVT::i32));
}

/// Lowers setcc, select_cc and br_cc of 64-bit operands.
SDValue IxpLowering::lowerCompareWide(SDValue op, SelectionDAG &dag) const {
  SDLoc where(op);
  bool isBranch = op.getOpcode() == ISD::BR_CC;
  unsigned first = isBranch ? 2 : 0;
  unsigned codeAt = isBranch ? 1 : op.getOpcode() == ISD::SETCC ? 2 : 4;
  SDValue compared = compareWide(
      op.getOperand(first), op.getOperand(first + 1),
      cast<CondCodeSDNode>(op.getOperand(codeAt))->get(), where, dag);
  if (!compared || op.getOpcode() == ISD::SETCC)
    return compared;
  SDValue zero = dag.getConstant(0, where, MVT::i32);
  SDValue notEqual = dag.getCondCode(ISD::SETNE);
  if (isBranch)
    return dag.getNode(ISD::BR_CC, where, MVT::Other, op.getOperand(0),
                       notEqual, compared, zero, op.getOperand(4));
  return dag.getNode(ISD::SELECT_CC, where, op.getValueType(), compared, zero,
                     op.getOperand(2), op.getOperand(3), notEqual);
}

SDValue IxpLowering::LowerOperation(SDValue op, SelectionDAG &dag) const {
  switch (op.getOpcode()) {
  case ISD::MULHS:
    return lowerMulHighSigned(op, dag);
  case ISD::ROTL:
  case ISD::ROTR:
    return lowerRotate(op, dag);
  case ISD::SETCC:
  case ISD::SELECT_CC:
  case ISD::BR_CC:
    return lowerCompareWide(op, dag);
  case ISD::SHL_PARTS:
  case ISD::SRL_PARTS:
  case ISD::SRA_PARTS: {
    SDValue low, high;
    expandShiftParts(op.getNode(), low, high, dag);
    return dag.getMergeValues({low, high}, SDLoc(op));
  }
  default:
    return SDValue();
  }
}

SDValue IxpLowering::LowerFormalArguments(
    SDValue chain, CallingConv::ID cc, bool isVarArg,
    const SmallVectorImpl<ISD::InputArg> &ins, const SDLoc &where,
    SelectionDAG &dag, SmallVectorImpl<SDValue> &values) const {
  MachineFunction &function = dag.getMachineFunction();
  MachineRegisterInfo &registers = function.getRegInfo();
  auto incoming = [&](MCRegister physical) {
    Register v = registers.createVirtualRegister(&Ixp::GPRRegClass);
    registers.addLiveIn(physical, v);
    return v;
  };
  auto *info = function.getInfo<IxpFunctionInfo>();
  // The entry is not called, so nothing returns from it.
  if (!function.getFunction().hasFnAttribute("ixp-entry")) {
    Register v = incoming(Ixp::A0);
    info->returnAddress = registers.createVirtualRegister(&Ixp::GPRRegClass);
    chain = dag.getCopyToReg(chain, where, info->returnAddress,
                             dag.getCopyFromReg(chain, where, v, MVT::i32));
  }

  SmallVector<CCValAssign, 16> places;
  CCState state(cc, isVarArg, function, places, *dag.getContext());
  state.AnalyzeFormalArguments(ins, CC_Ixp);
  info->argumentBytes = state.getStackSize();
  for (CCValAssign &place : places) {
    if (place.isRegLoc()) {
      Register v = incoming(place.getLocReg());
      values.push_back(dag.getCopyFromReg(chain, where, v, MVT::i32));
      continue;
    }
    int index = function.getFrameInfo().CreateFixedObject(
        4, place.getLocMemOffset(), false);
    values.push_back(
        dag.getLoad(MVT::i32, where, chain, dag.getFrameIndex(index, MVT::i32),
                    MachinePointerInfo::getFixedStack(function, index)));
  }
  return chain;
}

bool IxpLowering::CanLowerReturn(CallingConv::ID cc, MachineFunction &function,
                                 bool isVarArg,
                                 const SmallVectorImpl<ISD::OutputArg> &outs,
                                 LLVMContext &context) const {
  if (cc == CommandCallingConv)
    return true;
  SmallVector<CCValAssign, 16> places;
  CCState state(cc, isVarArg, function, places, context);
  return state.CheckReturn(outs, RetCC_Ixp);
}

SDValue IxpLowering::LowerReturn(SDValue chain, CallingConv::ID cc,
                                 bool isVarArg,
                                 const SmallVectorImpl<ISD::OutputArg> &outs,
                                 const SmallVectorImpl<SDValue> &values,
                                 const SDLoc &where, SelectionDAG &dag) const {
  MachineFunction &function = dag.getMachineFunction();
  auto *info = function.getInfo<IxpFunctionInfo>();
  if (!info->returnAddress)
    return dag.getNode(node::Halt, where, MVT::Other, chain);

  SmallVector<CCValAssign, 16> places;
  CCState state(cc, isVarArg, function, places, *dag.getContext());
  state.AnalyzeReturn(outs, RetCC_Ixp);
  SDValue address =
      dag.getCopyFromReg(chain, where, info->returnAddress, MVT::i32);
  chain = address.getValue(1);
  SDValue glue;
  SmallVector<SDValue, 16> operands{SDValue(), address};
  for (unsigned i = 0; i < places.size(); ++i) {
    chain =
        dag.getCopyToReg(chain, where, places[i].getLocReg(), values[i], glue);
    glue = chain.getValue(1);
    operands.push_back(dag.getRegister(places[i].getLocReg(), MVT::i32));
  }
  operands[0] = chain;
  if (glue)
    operands.push_back(glue);
  return dag.getNode(node::Return, where, MVT::Other, operands);
}

SDValue IxpLowering::LowerCall(CallLoweringInfo &call,
                               SmallVectorImpl<SDValue> &values) const {
  call.IsTailCall = false;
  SDValue chain;
  if (lowerIntrinsic(call, values, chain))
    return chain;

  SelectionDAG &dag = call.DAG;
  const SDLoc &where = call.DL;
  MachineFunction &function = dag.getMachineFunction();
  SmallVector<CCValAssign, 16> places;
  CCState state(call.CallConv, call.IsVarArg, function, places,
                *dag.getContext());
  state.AnalyzeCallOperands(call.Outs, CC_Ixp);
  // checkModule has rejected indirect calls.
  SDValue callee = dag.getTargetGlobalAddress(
      cast<GlobalAddressSDNode>(call.Callee)->getGlobal(), where, MVT::i32);

  chain = dag.getCALLSEQ_START(call.Chain, 0, 0, where);
  SmallVector<SDValue, 16> operands{SDValue(), callee};
  for (unsigned i = 0; i < places.size(); ++i)
    if (!places[i].isRegLoc())
      chain = dag.getNode(
          node::ArgumentStore, where, MVT::Other, chain, call.OutVals[i],
          callee,
          dag.getTargetConstant(places[i].getLocMemOffset(), where, MVT::i32));
  SDValue glue;
  for (unsigned i = 0; i < places.size(); ++i) {
    if (!places[i].isRegLoc())
      continue;
    MCRegister reg = places[i].getLocReg();
    chain = dag.getCopyToReg(chain, where, reg, call.OutVals[i], glue);
    glue = chain.getValue(1);
    operands.push_back(dag.getRegister(reg, MVT::i32));
  }
  operands.push_back(dag.getRegisterMask(
      dag.getSubtarget().getRegisterInfo()->getCallPreservedMask(
          function, call.CallConv)));
  operands[0] = chain;
  if (glue)
    operands.push_back(glue);
  chain = dag.getNode(node::Call, where, dag.getVTList(MVT::Other, MVT::Glue),
                      operands);
  glue = chain.getValue(1);
  chain = dag.getCALLSEQ_END(chain, 0, 0, glue, where);
  glue = chain.getValue(1);

  SmallVector<CCValAssign, 16> results;
  CCState resultState(call.CallConv, call.IsVarArg, function, results,
                      *dag.getContext());
  resultState.AnalyzeCallResult(call.Ins, RetCC_Ixp);
  for (CCValAssign &place : results) {
    SDValue value =
        dag.getCopyFromReg(chain, where, place.getLocReg(), MVT::i32, glue);
    chain = value.getValue(1);
    glue = value.getValue(2);
    values.push_back(value);
  }
  return chain;
}

bool IxpLowering::isLegalAddressingMode(const DataLayout &,
                                        const AddrMode &mode, Type *,
                                        unsigned space, Instruction *) const {
  if (mode.BaseGV || mode.Scale > 1 || mode.Scale < 0)
    return false;
  bool isMemory = space >= SramSpace && space <= ScratchSpace;
  // An offset within a cache line: the low bits of the line's address are 0.
  if (space == LocalSpace && !mode.Scale)
    return mode.BaseOffs >= 0 && mode.BaseOffs < 4 * target::CacheLineWords;
  if (mode.Scale == 1 && mode.HasBaseReg)
    return isMemory && mode.BaseOffs == 0;
  return mode.BaseOffs == 0 ||
         (isMemory && mode.BaseOffs > 0 && mode.BaseOffs <= AddressLiteralMax);
}

static bool dropsHighHalf(unsigned from, unsigned to) {
  return to <= 32 && from > to;
}
bool IxpLowering::isLegalICmpImmediate(int64_t value) const {
  if (value >= 0 && value < 256)
    return true;
  if (value < 0 || value > UINT32_MAX || isPowerOf2_64(value) ||
      isPowerOf2_64(value + 1))
    return false;
  auto isOneImmed = [](uint32_t v) {
    return v >> std::min(llvm::countr_zero(v) / 8 * 8, 16) <= UINT16_MAX;
  };
  return isOneImmed(uint32_t(value)) || isOneImmed(~uint32_t(value));
}

bool IxpLowering::targetShrinkDemandedConstant(SDValue op, const APInt &,
                                               const APInt &,
                                               TargetLoweringOpt &) const {
  auto *mask = op.getOpcode() == ISD::AND && op.getValueType() == MVT::i32
                   ? dyn_cast<ConstantSDNode>(op.getOperand(1))
                   : nullptr;
  return mask && mask->getZExtValue() > 0xff &&
         byteMaskOf(uint32_t(mask->getZExtValue()));
}

bool IxpLowering::isTruncateFree(Type *from, Type *to) const {
  return from->isIntegerTy() && to->isIntegerTy() &&
         dropsHighHalf(from->getIntegerBitWidth(), to->getIntegerBitWidth());
}
bool IxpLowering::isTruncateFree(EVT from, EVT to) const {
  return from.isScalarInteger() && to.isScalarInteger() &&
         dropsHighHalf(from.getFixedSizeInBits(), to.getFixedSizeInBits());
}
bool IxpLowering::isZExtFree(Type *from, Type *to) const {
  return from->isIntegerTy(32) && to->isIntegerTy(64);
}
bool IxpLowering::isZExtFree(EVT from, EVT to) const {
  return from == MVT::i32 && to == MVT::i64;
}

} // namespace karakal::codegen
