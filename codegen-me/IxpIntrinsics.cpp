//===- IxpIntrinsics.cpp - functions that stand for instructions ----------===//
//
// What LLVM IR cannot say is said by calls of declared functions; new
// intrinsics of LLVM's own kind cannot be added from outside its tree.
//
//   __ixp_ctx()                     number of this context
//   __ixp_swap()                    ctx_arb[voluntary]
//   __ixp_halt()                    ctx_arb[bpt]
//   __ixp_scratch_get/put(ring[, v]), __ixp_ring_status(ring)
//   __ixp_{scratch,sram}_{add,incr}(address[, v])
//   __ixp_sram_dequeue(queue), __ixp_sram_enqueue(queue, handle)
//   __ixp_local_csr_rd/wr(csr[, v])
//   __ixp_read.<space>.<n>(p), __ixp_write.<space>.<n>(p, words...)
//
//===----------------------------------------------------------------------===//

#include "codegen-me/IxpLowering.h"

#include "target-ixp/InstructionTable.h"

#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace karakal::codegen {

std::string accessName(bool isRead, unsigned space, unsigned words) {
  return std::string(isRead ? "__ixp_read." : "__ixp_write.") +
         std::to_string(space) + "." + std::to_string(words);
}

namespace {

/// One call being lowered.
class IntrinsicLowering {
public:
  IntrinsicLowering(TargetLowering::CallLoweringInfo &call,
                    SmallVectorImpl<SDValue> &values)
      : call(call), values(values), dag(call.DAG), where(call.DL) {}

  bool lower(StringRef name);
  SDValue chain;

private:
  SDValue constant(uint64_t value) {
    return dag.getTargetConstant(value, where, MVT::i32);
  }
  SDValue add(SDValue a, SDValue b) {
    return dag.getNode(ISD::ADD, where, MVT::i32, a, b);
  }
  /// A command that delivers as many words as the call has results.
  void in(Command command, SDValue address);
  void out(Command command, SDValue address, ArrayRef<SDValue> words);
  void plain(unsigned opcode, ArrayRef<SDValue> operands, bool hasResult);
  bool access(StringRef name);

  TargetLowering::CallLoweringInfo &call;
  SmallVectorImpl<SDValue> &values;
  SelectionDAG &dag;
  const SDLoc &where;
};

void IntrinsicLowering::in(Command command, SDValue address) {
  SmallVector<EVT, 16> types(call.Ins.size(), MVT::i32);
  types.push_back(MVT::Other);
  SDValue n = dag.getNode(node::CommandIn, where, dag.getVTList(types),
                          {call.Chain, constant(command), address});
  for (unsigned i = 0; i < call.Ins.size(); ++i)
    values.push_back(n.getValue(i));
  chain = n.getValue(call.Ins.size());
}

void IntrinsicLowering::out(Command command, SDValue address,
                            ArrayRef<SDValue> words) {
  SmallVector<SDValue, 16> operands{call.Chain, constant(command), address};
  operands.append(words.begin(), words.end());
  chain = dag.getNode(words.empty() ? node::CommandNone : node::CommandOut,
                      where, MVT::Other, operands);
}

void IntrinsicLowering::plain(unsigned opcode, ArrayRef<SDValue> operands,
                              bool hasResult) {
  SmallVector<SDValue, 4> all{call.Chain};
  all.append(operands.begin(), operands.end());
  SDVTList types = hasResult ? dag.getVTList(MVT::i32, MVT::Other)
                             : dag.getVTList(MVT::Other);
  SDValue n = dag.getNode(opcode, where, types, all);
  if (hasResult)
    values.push_back(n);
  chain = n.getValue(hasResult ? 1 : 0);
}

bool IntrinsicLowering::access(StringRef name) {
  bool isRead = name.consume_front("__ixp_read.");
  if (!isRead && !name.consume_front("__ixp_write."))
    return false;
  unsigned space = name[0] - '0';
  ArrayRef<SDValue> arguments(call.OutVals);
  if (isRead)
    in(space == SramSpace   ? SramRead
       : space == DramSpace ? DramRead
                            : ScratchRead,
       arguments[0]);
  else
    out(space == SramSpace   ? SramWrite
        : space == DramSpace ? DramWrite
                             : ScratchWrite,
        arguments[0], arguments.drop_front());
  return true;
}

bool IntrinsicLowering::lower(StringRef name) {
  ArrayRef<SDValue> a(call.OutVals);
  // A ring's number stands in address bits 5:2.
  auto ring = [&] {
    return dag.getNode(ISD::SHL, where, MVT::i32, a[0],
                       dag.getConstant(2, where, MVT::i32));
  };
  auto literal = [&](SDValue v) {
    return constant(cast<ConstantSDNode>(v)->getZExtValue());
  };
  if (name == "__ixp_ctx") {
    plain(node::CsrRead, {constant(target::Csr_ACTIVE_CTX_STS)}, true);
    values[0] = dag.getNode(ISD::AND, where, MVT::i32, values[0],
                            dag.getConstant(7, where, MVT::i32));
  } else if (name == "__ixp_swap") {
    plain(node::Swap, {}, false);
  } else if (name == "__ixp_halt") {
    plain(ISD::TRAP, {}, false);
  } else if (name == "__ixp_scratch_get") {
    in(ScratchGet, ring());
  } else if (name == "__ixp_scratch_put") {
    out(ScratchPut, ring(), a.drop_front());
  } else if (name == "__ixp_ring_status") {
    plain(node::RingStatus, {literal(a[0])}, true);
  } else if (name == "__ixp_scratch_add") {
    out(ScratchAdd, a[0], a.drop_front());
  } else if (name == "__ixp_scratch_incr") {
    out(ScratchIncr, a[0], {});
  } else if (name == "__ixp_sram_add") {
    out(SramAdd, a[0], a.drop_front());
  } else if (name == "__ixp_sram_incr") {
    out(SramIncr, a[0], {});
  } else if (name == "__ixp_sram_dequeue") {
    in(SramDequeue, a[0]);
  } else if (name == "__ixp_sram_enqueue") {
    out(SramEnqueue, add(a[0], a[1]), {});
  } else if (name == "__ixp_local_csr_rd") {
    plain(node::CsrRead, {literal(a[0])}, true);
  } else if (name == "__ixp_local_csr_wr") {
    plain(node::CsrWrite, {literal(a[0]), a[1]}, false);
  } else {
    return access(name);
  }
  return true;
}

} // namespace

bool IxpLowering::lowerIntrinsic(CallLoweringInfo &call,
                                 SmallVectorImpl<SDValue> &values,
                                 SDValue &chain) const {
  auto *address = dyn_cast<GlobalAddressSDNode>(call.Callee);
  if (!address || !address->getGlobal()->getName().starts_with("__ixp_"))
    return false;
  IntrinsicLowering lowering(call, values);
  if (!lowering.lower(address->getGlobal()->getName()))
    return false;
  chain = lowering.chain;
  return true;
}

} // namespace karakal::codegen
