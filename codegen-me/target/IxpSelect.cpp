// Instruction selection.
//
// The patterns of IxpInstructions.td select arithmetic. This file selects nodes
// that patterns cannot: addresses, compares with a literal on either side, bit
// and byte tests, and byte-wise field moves.

#include "codegen-me/target/IxpSelect.h"

#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

constexpr unsigned WordsMax = 16;

#define KARAKAL_WORDS(name, form)                                              \
  {Ixp::name##1##form,  Ixp::name##2##form,  Ixp::name##3##form,               \
   Ixp::name##4##form,  Ixp::name##5##form,  Ixp::name##6##form,               \
   Ixp::name##7##form,  Ixp::name##8##form,  Ixp::name##9##form,               \
   Ixp::name##10##form, Ixp::name##11##form, Ixp::name##12##form,              \
   Ixp::name##13##form, Ixp::name##14##form, Ixp::name##15##form,              \
   Ixp::name##16##form}
const unsigned commandInOpcodes[2][WordsMax] = {KARAKAL_WORDS(CIN, rr),
                                                KARAKAL_WORDS(CIN, ri)};
const unsigned commandOutOpcodes[2][WordsMax] = {KARAKAL_WORDS(COUT, rr),
                                                 KARAKAL_WORDS(COUT, ri)};
#undef KARAKAL_WORDS

class IxpSelectPass : public SelectionDAGISelLegacy {
public:
  static char ID;
  IxpSelectPass(IxpTargetMachine &machine, CodeGenOptLevel level)
      : SelectionDAGISelLegacy(ID,
                               std::make_unique<IxpSelect>(machine, level)) {}
};
char IxpSelectPass::ID = 0;

} // namespace

#define GET_DAGISEL_BODY IxpSelect
#include "codegen-me/target/IxpGenDAGISel.inc"

bool IxpSelect::selectShifted(SDValue v, SDValue &b, SDValue &shift,
                              SDValue &amount) {
  auto *count = v.getNumOperands() == 2
                    ? dyn_cast<ConstantSDNode>(v.getOperand(1))
                    : nullptr;
  // A value that only other blocks use as well is computed where they need it.
  auto isOtherUse = [](const SDNode *user) {
    return user->getOpcode() == ISD::CopyToReg;
  };
  if (!count ||
      (!v.hasOneUse() && llvm::count_if(v->uses(), isOtherUse) + 1 !=
                             std::distance(v->use_begin(), v->use_end())))
    return false;
  unsigned n = count->getZExtValue();
  if (n == 0 || n > 31)
    return false;
  unsigned kind;
  switch (v.getOpcode()) {
  case ISD::SHL:
    kind = ShiftLeft;
    break;
  case ISD::SRL:
    kind = ShiftRight;
    break;
  case ISD::ROTL:
    n = 32 - n;
    [[fallthrough]];
  case ISD::ROTR:
    kind = RotateRight;
    break;
  default:
    return false;
  }
  b = v.getOperand(0);
  shift = literal(v.getNode(), kind);
  amount = literal(v.getNode(), n);
  return true;
}

Address IxpSelect::selectAddress(SDValue address) {
  const SDNode *n = address.getNode();
  if (auto *constant = dyn_cast<ConstantSDNode>(address)) {
    uint32_t value = constant->getZExtValue();
    return {constantRegister(n, value & ~uint32_t(AddressLiteralMax)),
            literal(n, value & AddressLiteralMax), true};
  }
  if (CurDAG->isBaseWithConstantOffset(address)) {
    int64_t offset =
        cast<ConstantSDNode>(address.getOperand(1))->getSExtValue();
    if (offset >= 0 && offset <= AddressLiteralMax)
      return {address.getOperand(0), literal(n, offset), true};
  }
  if (address.getOpcode() == ISD::ADD || CurDAG->isADDLike(address))
    return {address.getOperand(0), address.getOperand(1), false};
  return {address, literal(n, 0), true};
}

bool IxpSelect::isFrame(SDValue address, SDValue &frame, SDValue &offset) {
  int64_t bytes = 0;
  if (CurDAG->isBaseWithConstantOffset(address)) {
    bytes = cast<ConstantSDNode>(address.getOperand(1))->getSExtValue();
    address = address.getOperand(0);
  }
  auto *index = dyn_cast<FrameIndexSDNode>(address);
  if (!index)
    return false;
  frame = CurDAG->getTargetFrameIndex(index->getIndex(), MVT::i32);
  offset = literal(index, bytes);
  return true;
}

ComparedPair IxpSelect::selectCompare(SDValue a, SDValue b,
                                      ISD::CondCode code) {
  shiftField(a, b, code);
  // Unsigned > and <= do not exist: they are < and >= with swapped operands.
  if (code == ISD::SETUGT || code == ISD::SETULE) {
    std::swap(a, b);
    code = ISD::getSetCCSwappedOperands(code);
  }
  ComparedPair pair{a, b, Equal, 0};
  switch (code) {
  case ISD::SETNE:
    pair.condition = NotEqual;
    break;
  case ISD::SETLT:
    pair.condition = Less;
    break;
  case ISD::SETGE:
    pair.condition = GreaterEqual;
    break;
  case ISD::SETLE:
    pair.condition = LessEqual;
    break;
  case ISD::SETGT:
    pair.condition = Greater;
    break;
  case ISD::SETULT:
    pair.condition = Below;
    break;
  case ISD::SETUGE:
    pair.condition = AtLeast;
    break;
  default:
    pair.condition = Equal;
    break;
  }
  auto asLiteral = [&](SDValue &v) {
    auto *constant = dyn_cast<ConstantSDNode>(v);
    if (!constant || constant->getZExtValue() > 255)
      return false;
    v = literal(v.getNode(), constant->getZExtValue());
    return true;
  };
  if (asLiteral(pair.b))
    pair.form = 1;
  else if (asLiteral(pair.a))
    pair.form = 2;
  return pair;
}

void IxpSelect::selectCommandIn(SDNode *n) {
  unsigned words = n->getNumValues() - 1;
  Address address = selectAddress(n->getOperand(2));
  CurDAG->SelectNodeTo(
      n, commandInOpcodes[address.isLiteral][words - 1], n->getVTList(),
      {n->getOperand(1), address.x, address.y, n->getOperand(0)});
}

void IxpSelect::selectCommandOut(SDNode *n) {
  unsigned words = n->getNumOperands() - 3;
  Address address = selectAddress(n->getOperand(2));
  SmallVector<SDValue, 20> operands{n->getOperand(1), address.x, address.y};
  for (unsigned i = 0; i < words; ++i)
    operands.push_back(n->getOperand(3 + i));
  operands.push_back(n->getOperand(0));
  unsigned opcode = words ? commandOutOpcodes[address.isLiteral][words - 1]
                    : address.isLiteral ? Ixp::TNONEri
                                        : Ixp::TNONErr;
  CurDAG->SelectNodeTo(n, opcode, MVT::Other, operands);
}

void IxpSelect::selectExchange(SDNode *n) {
  Address address = selectAddress(n->getOperand(2));
  CurDAG->SelectNodeTo(n, address.isLiteral ? Ixp::CSWAPri : Ixp::CSWAPrr,
                       n->getVTList(),
                       {n->getOperand(1), address.x, address.y,
                        n->getOperand(3), n->getOperand(0)});
}

void IxpSelect::selectWriteMasked(SDNode *n) {
  static const unsigned opcodes[2][2] = {{Ixp::CMASKrr, Ixp::CMASKri},
                                         {Ixp::CMASKIrr, Ixp::CMASKIri}};
  Address address = selectAddress(n->getOperand(2));
  SDValue over = n->getOperand(5);
  auto *constant = dyn_cast<ConstantSDNode>(over);
  if (constant)
    over = literal(n, constant->getZExtValue());
  CurDAG->SelectNodeTo(
      n, opcodes[constant != nullptr][address.isLiteral], MVT::Other,
      {n->getOperand(1), address.x, address.y, n->getOperand(3),
       n->getOperand(4), over, n->getOperand(0)});
}

/// Whether an access is `offset` bytes into a cache line from a CAM look-up.
/// Known bits do not show this across blocks.
static bool isInLine(const MemSDNode *access, uint64_t offset,
                     const DataLayout &layout) {
  const Value *pointer = access->getMemOperand()->getValue();
  if (!pointer)
    return false;
  APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const auto *part = dyn_cast<ExtractValueInst>(
      pointer->stripAndAccumulateConstantOffsets(layout, distance, true));
  const auto *call =
      part ? dyn_cast<CallInst>(part->getAggregateOperand()) : nullptr;
  return distance == offset && call && call->getCalledFunction() &&
         call->getCalledFunction()->getName() ==
             target::intrinsic::CamLookupLine;
}

/// The offset in bytes of a local-memory access within a cache line, from the
/// known bits of the IR pointer and the offset of the part of a wide value.
/// Empty if unknown.
static std::optional<uint64_t> bytesInLine(const MemSDNode *access,
                                           const DataLayout &layout) {
  const Value *pointer = access->getMemOperand()->getValue();
  if (!pointer)
    return std::nullopt;
  KnownBits known = computeKnownBits(pointer, layout);
  unsigned width =
      std::min((known.Zero | known.One).countr_one(),
               unsigned(llvm::countr_zero(4 * target::CacheLineWords)));
  uint64_t size = uint64_t(1) << width;
  uint64_t bytes = (known.One.getZExtValue() & (size - 1)) +
                   uint64_t(access->getMemOperand()->getOffset());
  return bytes < size ? std::optional(bytes) : std::nullopt;
}

/// Rewrites accesses to one cache line to one address plus offsets:
///
///   load (x + 0x244), load (x + 0x240)  ->  load ((x + 0x240) + 4), …
void IxpSelect::PreprocessISelDAG() {
  for (SDNode &node : make_early_inc_range(CurDAG->allnodes())) {
    auto *access = dyn_cast<LSBaseSDNode>(&node);
    if (!access || access->getAddressSpace() != LocalSpace)
      continue;
    SDValue address = access->getBasePtr();
    std::optional<uint64_t> inLine =
        bytesInLine(access, CurDAG->getDataLayout());
    if (!inLine || !CurDAG->isBaseWithConstantOffset(address))
      continue;
    uint64_t offset =
        cast<ConstantSDNode>(address.getOperand(1))->getZExtValue();
    if (offset <= *inLine)
      continue; // selectLocal handles it
    auto add = [&](SDValue base, uint64_t bytes) {
      SDLoc where(address);
      return bytes == 0
                 ? base
                 : CurDAG->getNode(ISD::ADD, where, MVT::i32, base,
                                   CurDAG->getConstant(bytes, where, MVT::i32));
    };
    SDValue placed = add(add(address.getOperand(0), offset - *inLine), *inLine);
    SmallVector<SDValue, 4> operands(access->ops());
    operands[isa<StoreSDNode>(access) ? 2 : 1] = placed;
    SDNode *updated = CurDAG->UpdateNodeOperands(access, operands);
    if (updated != access)
      CurDAG->ReplaceAllUsesWith(access, updated);
  }
  CurDAG->RemoveDeadNodes();
}

std::pair<SDValue, SDValue> IxpSelect::selectLocal(const MemSDNode *access) {
  SDValue address = access->getBasePtr();
  const SDNode *n = address.getNode();
  constexpr uint32_t reach = 4 * target::CacheLineWords - 1;
  if (auto *constant = dyn_cast<ConstantSDNode>(address)) {
    uint32_t value = constant->getZExtValue();
    return {constantRegister(n, value & ~reach), literal(n, value & reach)};
  }
  if (CurDAG->isBaseWithConstantOffset(address)) {
    uint64_t offset =
        cast<ConstantSDNode>(address.getOperand(1))->getZExtValue();
    if (offset <= reach &&
        (CurDAG->MaskedValueIsZero(address.getOperand(0), APInt(32, offset)) ||
         isInLine(access, offset, CurDAG->getDataLayout()) ||
         bytesInLine(access, CurDAG->getDataLayout()) == offset))
      return {address.getOperand(0), literal(n, offset)};
  }
  return {address, literal(n, 0)};
}

void IxpSelect::selectLoad(SDNode *n) {
  auto *load = cast<LoadSDNode>(n);
  SDValue frame, offset, pointer = load->getBasePtr();
  MachineMemOperand *memory = load->getMemOperand();
  unsigned space = load->getAddressSpace();
  SDNode *selected;
  if (space == SramSpace || space == ScratchSpace) {
    Address address = selectAddress(pointer);
    selected = CurDAG->getMachineNode(
        commandInOpcodes[address.isLiteral][0], SDLoc(n), n->getVTList(),
        {literal(n, space == SramSpace ? SramRead : ScratchRead), address.x,
         address.y, load->getChain()});
  } else if (isFrame(pointer, frame, offset)) {
    selected = CurDAG->getMachineNode(Ixp::FRAMELOAD, SDLoc(n), n->getVTList(),
                                      {frame, offset, load->getChain()});
  } else {
    auto [base, place] = selectLocal(load);
    selected = CurDAG->getMachineNode(Ixp::LOCALLOAD, SDLoc(n), n->getVTList(),
                                      {base, place, load->getChain()});
  }
  CurDAG->setNodeMemRefs(cast<MachineSDNode>(selected), {memory});
  ReplaceNode(n, selected);
}

void IxpSelect::selectStore(SDNode *n) {
  auto *store = cast<StoreSDNode>(n);
  SDValue frame, offset, pointer = store->getBasePtr();
  SDValue value = store->getValue();
  unsigned space = store->getAddressSpace();
  SDNode *selected;
  if (space == SramSpace || space == ScratchSpace) {
    Address address = selectAddress(pointer);
    selected = CurDAG->getMachineNode(
        commandOutOpcodes[address.isLiteral][0], SDLoc(n), MVT::Other,
        {literal(n, space == SramSpace ? SramWrite : ScratchWrite), address.x,
         address.y, value, store->getChain()});
  } else if (isFrame(pointer, frame, offset)) {
    selected =
        CurDAG->getMachineNode(Ixp::FRAMESTORE, SDLoc(n), MVT::Other,
                               {value, frame, offset, store->getChain()});
  } else {
    auto [base, place] = selectLocal(store);
    selected = CurDAG->getMachineNode(Ixp::LOCALSTORE, SDLoc(n), MVT::Other,
                                      {value, base, place, store->getChain()});
  }
  CurDAG->setNodeMemRefs(cast<MachineSDNode>(selected),
                         {store->getMemOperand()});
  ReplaceNode(n, selected);
}

/// Selects branches on a bit, a byte or a 64-bit order, which need no separate
/// compare.
bool IxpSelect::selectBranchOnSelf(SDNode *n, SDValue a, SDValue b,
                                   ISD::CondCode code) {
  auto *right = dyn_cast<ConstantSDNode>(b);
  if (!right || (code != ISD::SETEQ && code != ISD::SETNE))
    return false;
  uint64_t value = right->getZExtValue();
  bool isEqual = code == ISD::SETEQ;
  SDValue chain = n->getOperand(0), target = n->getOperand(4);
  if (a.getOpcode() == node::SetWide && a.hasOneUse() && value <= 1) {
    auto condition = static_cast<Condition>(a.getConstantOperandVal(4));
    if (isEqual == (value == 0))
      condition = inverse(condition);
    CurDAG->SelectNodeTo(n, Ixp::BRCCWIDErr, MVT::Other,
                         {a.getOperand(0), a.getOperand(1), a.getOperand(2),
                          a.getOperand(3), literal(n, condition), target,
                          chain});
    return true;
  }
  if (a.getOpcode() != ISD::AND || !isa<ConstantSDNode>(a.getOperand(1)))
    return false;
  uint64_t mask = a.getConstantOperandVal(1);
  SDValue x = a.getOperand(0);
  if (isPowerOf2_64(mask) && (value == 0 || value == mask)) {
    bool onSet = isEqual == (value == mask);
    unsigned bit = Log2_64(mask);
    if (x.getOpcode() == ISD::SRL && isa<ConstantSDNode>(x.getOperand(1)) &&
        bit + x.getConstantOperandVal(1) < 32) {
      bit += x.getConstantOperandVal(1);
      x = x.getOperand(0);
    }
    CurDAG->SelectNodeTo(n, onSet ? Ixp::BRSET : Ixp::BRCLR, MVT::Other,
                         {x, literal(n, bit), target, chain});
    return true;
  }
  unsigned byte = 0;
  if (x.getOpcode() == ISD::SRL && isa<ConstantSDNode>(x.getOperand(1)) &&
      mask == 0xff && x.getConstantOperandVal(1) % 8 == 0) {
    byte = x.getConstantOperandVal(1) / 8;
    x = x.getOperand(0);
  } else {
    while (byte < 3 && mask > 0xff && !(mask & 0xff)) {
      mask >>= 8;
      if (value & 0xff)
        return false;
      value >>= 8;
      ++byte;
    }
  }
  if (mask != 0xff || value > 0xff)
    return false;
  CurDAG->SelectNodeTo(n, isEqual ? Ixp::BRBYTE : Ixp::BRNBYTE, MVT::Other,
                       {x, literal(n, byte), literal(n, value), target, chain});
  return true;
}

void IxpSelect::selectBranch(SDNode *n) {
  auto code = cast<CondCodeSDNode>(n->getOperand(1))->get();
  SDValue a = n->getOperand(2), b = n->getOperand(3);
  if (selectBranchOnSelf(n, a, b, code))
    return;
  ComparedPair pair = selectCompare(a, b, code);
  static const unsigned opcodes[] = {Ixp::BRCCrr, Ixp::BRCCri, Ixp::BRCCir};
  CurDAG->SelectNodeTo(n, opcodes[pair.form], MVT::Other,
                       {pair.a, pair.b, literal(n, pair.condition),
                        n->getOperand(4), n->getOperand(0)});
}

void IxpSelect::selectSelect(SDNode *n) {
  auto code = cast<CondCodeSDNode>(n->getOperand(4))->get();
  ComparedPair pair = selectCompare(n->getOperand(0), n->getOperand(1), code);
  SDValue then = n->getOperand(2), otherwise = n->getOperand(3);
  // Only the value that is moved in ($else) may be a literal.
  if (isa<ConstantSDNode>(then) && !isa<ConstantSDNode>(otherwise)) {
    std::swap(then, otherwise);
    pair.condition = inverse(pair.condition);
  }
  static const unsigned opcodes[2][3] = {
      {Ixp::SELCCrr, Ixp::SELCCri, Ixp::SELCCir},
      {Ixp::SELCCIrr, Ixp::SELCCIri, Ixp::SELCCIir}};
  auto *constant = dyn_cast<ConstantSDNode>(otherwise);
  bool isLiteral = constant && constant->getZExtValue() <= 0xffff;
  if (isLiteral)
    otherwise = literal(n, constant->getZExtValue());
  CurDAG->SelectNodeTo(
      n, opcodes[isLiteral][pair.form], MVT::i32,
      {pair.a, pair.b, literal(n, pair.condition), then, otherwise});
}

void IxpSelect::selectSet(SDNode *n) {
  auto code = cast<CondCodeSDNode>(n->getOperand(2))->get();
  ComparedPair pair = selectCompare(n->getOperand(0), n->getOperand(1), code);
  static const unsigned opcodes[] = {Ixp::SETCCrr, Ixp::SETCCri, Ixp::SETCCir};
  CurDAG->SelectNodeTo(n, opcodes[pair.form], MVT::i32,
                       {pair.a, pair.b, literal(n, pair.condition)});
}

void IxpSelect::selectWide(SDNode *n) {
  bool isAdd = n->getOpcode() == node::AddWide;
  auto *low = dyn_cast<ConstantSDNode>(n->getOperand(2));
  auto *high = dyn_cast<ConstantSDNode>(n->getOperand(3));
  SmallVector<SDValue, 4> operands(n->op_begin(), n->op_end());
  bool isLiteral = false;
  if (low && high) {
    int64_t value = int64_t(high->getZExtValue() << 32 |
                            (low->getZExtValue() & 0xffffffff));
    if (value < 0 && value > -256) {
      isAdd = !isAdd;
      value = -value;
    }
    isLiteral = value >= 0 && value < 256;
    if (isLiteral) {
      operands[2] = literal(n, value);
      operands[3] = literal(n, 0);
    }
  }
  unsigned opcode = isAdd       ? isLiteral ? Ixp::ADDWIDEri : Ixp::ADDWIDErr
                    : isLiteral ? Ixp::SUBWIDEri
                                : Ixp::SUBWIDErr;
  CurDAG->SelectNodeTo(n, opcode, n->getVTList(), operands);
}

void IxpSelect::selectCall(SDNode *n) {
  SmallVector<SDValue, 20> operands(n->op_begin() + 1, n->op_end());
  SDValue glue;
  if (operands.back().getValueType() == MVT::Glue)
    glue = operands.pop_back_val();
  operands.push_back(n->getOperand(0));
  if (glue)
    operands.push_back(glue);
  CurDAG->SelectNodeTo(n, n->getOpcode() == node::Call ? Ixp::CALL : Ixp::RET,
                       n->getVTList(), operands);
}

/// The opcode of a node whose instruction has the same operands with the chain
/// last; 0 for other nodes.
static unsigned chainedOpcode(unsigned node) {
  switch (node) {
  case node::ArgumentStore:
    return Ixp::ARGUMENTSTORE;
  case node::Swap:
    return Ixp::SWAP;
  case node::Barrier:
    return Ixp::BARRIER;
  case node::Halt:
    return Ixp::HALT;
  case node::CsrRead:
    return Ixp::CSRREAD;
  case node::CsrWrite:
    return Ixp::CSRWRITE;
  case node::RingStatus:
    return Ixp::RINGSTATUS;
  default:
    return 0;
  }
}

/// Selects a node that IxpLowering.h defines.
void IxpSelect::selectTargetNode(SDNode *n) {
  switch (n->getOpcode()) {
  case node::CommandIn:
    return selectCommandIn(n);
  case node::CommandOut:
  case node::CommandNone:
    return selectCommandOut(n);
  case node::Exchange:
    return selectExchange(n);
  case node::WriteMasked:
    return selectWriteMasked(n);
  case node::AddWide:
  case node::SubWide:
    return selectWide(n);
  case node::SetWide:
    CurDAG->SelectNodeTo(n, Ixp::SETCCWIDErr, MVT::i32,
                         SmallVector<SDValue, 5>(n->op_begin(), n->op_end()));
    return;
  case node::Call:
  case node::Return:
    return selectCall(n);
  default:
    break;
  }
  unsigned opcode = chainedOpcode(n->getOpcode());
  KARAKAL_ASSERT(opcode, "every target node has an instruction");
  SmallVector<SDValue, 4> operands(n->op_begin() + 1, n->op_end());
  operands.push_back(n->getOperand(0));
  CurDAG->SelectNodeTo(n, opcode, n->getVTList(), operands);
}

/// Selects a generic node for which patterns do not suffice. Returns false if
/// the patterns should select it.
bool IxpSelect::selectGenericNode(SDNode *n) {
  switch (n->getOpcode()) {
  case ISD::LOAD:
    selectLoad(n);
    return true;
  case ISD::STORE:
    selectStore(n);
    return true;
  case ISD::BR_CC:
    selectBranch(n);
    return true;
  case ISD::SELECT_CC:
    selectSelect(n);
    return true;
  case ISD::SETCC:
    selectSet(n);
    return true;
  case ISD::UMUL_LOHI:
    CurDAG->SelectNodeTo(n, Ixp::MULFULLrr, n->getVTList(),
                         {n->getOperand(0), n->getOperand(1)});
    return true;
  case ISD::MUL:
    return selectMultiply(n);
  case ISD::AND:
    return selectClear(n) || selectExtract(n) || selectShiftPair(n);
  case ISD::OR:
    return selectInsert(n) || selectPartAdd(n);
  case ISD::FrameIndex:
    CurDAG->SelectNodeTo(n, Ixp::FRAMEADDRESS, MVT::i32,
                         {CurDAG->getTargetFrameIndex(
                              cast<FrameIndexSDNode>(n)->getIndex(), MVT::i32),
                          literal(n, 0)});
    return true;
  default:
    return false;
  }
}

void IxpSelect::Select(SDNode *n) {
  if (n->isMachineOpcode())
    n->setNodeId(-1);
  else if (n->getOpcode() > node::First)
    selectTargetNode(n);
  else if (!selectGenericNode(n))
    SelectCode(n);
}

FunctionPass *createIxpSelect(IxpTargetMachine &machine,
                              CodeGenOptLevel level) {
  return new IxpSelectPass(machine, level);
}

} // namespace karakal::codegen
