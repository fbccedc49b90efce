// Functions that stand for instructions.
//
// Operations that LLVM IR cannot express are calls of declared functions,
// because an out-of-tree target cannot add LLVM intrinsics. Words are i32,
// addresses i32 or pointers; C marks an argument that must be a constant.
// docs/microengine-ir.md shows how to use them.
//
//   __ixp_ctx()                     number of this context
//   __ixp_swap()                    ctx_arb[voluntary]
//   __ixp_wait_for_context()         waits until another context of the engine
//                                    calls __ixp_wake_context(this one)
//   __ixp_sleep(C ticks)            sleeps that many ticks of the timestamp
//   __ixp_barrier()                 no words; memory that any context may
//                                   write is read again after it
//   __ixp_halt()                    ctx_arb[bpt]
//   __ixp_scratch_get/put(ring[, v]), __ixp_ring_status(C ring)
//   __ixp_scratch_get2/put2(ring[, v, w]): messages of two words
//   __ixp_sram_get(queue), __ixp_sram_put(queue, v)   SRAM rings; put returns a
//                                   negative word if the ring had space
//   __ixp_neighbour_get(), __ixp_neighbour_put(v)   next-neighbour ring
//   __ixp_neighbour_empty(), __ixp_neighbour_full()
//   __ixp_sram_dequeue(queue), __ixp_sram_enqueue(queue, handle)
//   __ixp_local_csr_rd/wr(C csr[, v])
//   __ixp_read.<space>.<n>(p), __ixp_write.<space>.<n>(p, words...)
//
//   atomics, U = scratch or sram; the test_and_ forms return the old word:
//   __ixp_U_{add,set,clr,incr,decr}(address[, v]), __ixp_scratch_sub
//   __ixp_U_test_and_{add,set,clr,incr,decr}(address[, v]), __ixp_U_swap(a, v)
//   __ixp_scratch_test_and_sub(a, v)
//
//   __ixp_dram_write_masked(p, mask, w0, w1)  one quadword; bit n = byte n
//   __ixp_hash_{48,64}(w0, w1), __ixp_hash_128(w0..w3)   least word first
//
//   __ixp_cam_lookup(tag)           state << 8 | hit << 7 | entry << 3
//   __ixp_cam_lookup_line(tag)      {the same, local-memory pointer to the
//                                   entry's 16 words}
//   __ixp_cam_write(entry, tag, C state), __ixp_cam_write_state(entry, C state)
//   __ixp_cam_read_tag(entry), __ixp_cam_read_state(entry), __ixp_cam_clear()
//   __ixp_ones_add(v, w)            the sum with its carry added (RFC 1071)
//   __ixp_byte_align_be.<n>(index, w0..wn), __ixp_byte_align_le.<n>(…)
//                                   n words, 1 to 8: for each two adjacent
//                                   words, the word that begins at byte index
//                                   (modulo 4); le: the first of the two has
//                                   the lower bytes
//   __ixp_crc_start(remainder), __ixp_crc(C parameters, v), __ixp_crc_end()

#include "codegen-me/target/IxpLowering.h"

#include "support/Error.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace karakal::codegen {

std::string accessName(bool isRead, unsigned space, unsigned words) {
  KARAKAL_ASSERT(words >= 1 && words <= 16, "a command moves 1 to 16 words");
  return std::string(isRead ? "__ixp_read." : "__ixp_write.") +
         std::to_string(space) + "." + std::to_string(words);
}

namespace {

/// The name after "__ixp_"; "be" or "le" follows.
constexpr StringRef byteAlignName = "byte_align_";

/// Input states that a branch can test; 2..13 are rings 0..11.
constexpr unsigned NeighbourEmpty = 0, NeighbourFull = 1, Ring0State = 2;

/// A function that is one memory command.
struct CommandFunction {
  StringRef name; ///< after "__ixp_"
  Command command;
  enum Shape { In, Out, Exchange, Hash } shape;
};
constexpr auto In = CommandFunction::In, Out = CommandFunction::Out,
               Both = CommandFunction::Exchange, Key = CommandFunction::Hash;
const CommandFunction commandFunctions[] = {
    {"scratch_add", ScratchAdd, Out},
    {"scratch_sub", ScratchSub, Out},
    {"scratch_set", ScratchSet, Out},
    {"scratch_clr", ScratchClr, Out},
    {"scratch_incr", ScratchIncr, Out},
    {"scratch_decr", ScratchDecr, Out},
    {"scratch_test_and_add", ScratchTestAdd, Both},
    {"scratch_test_and_sub", ScratchTestSub, Both},
    {"scratch_test_and_set", ScratchTestSet, Both},
    {"scratch_test_and_clr", ScratchTestClr, Both},
    {"scratch_test_and_incr", ScratchTestIncr, In},
    {"scratch_test_and_decr", ScratchTestDecr, In},
    {"scratch_swap", ScratchSwap, Both},
    {"sram_add", SramAdd, Out},
    {"sram_set", SramSet, Out},
    {"sram_clr", SramClr, Out},
    {"sram_incr", SramIncr, Out},
    {"sram_decr", SramDecr, Out},
    {"sram_test_and_add", SramTestAdd, Both},
    {"sram_test_and_set", SramTestSet, Both},
    {"sram_test_and_clr", SramTestClr, Both},
    {"sram_test_and_incr", SramTestIncr, In},
    {"sram_test_and_decr", SramTestDecr, In},
    {"sram_swap", SramSwap, Both},
    {"sram_get", SramGet, In},
    {"sram_put", SramPut, Both},
    {"sram_dequeue", SramDequeue, In},
    {"hash_48", Hash48, Key},
    {"hash_64", Hash64, Key},
    {"hash_128", Hash128, Key},
};

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
  void exchange(Command command, SDValue address, SDValue word);
  void plain(unsigned opcode, ArrayRef<SDValue> operands, bool hasResult);
  /// An instruction of the machine, with as many results as the call.
  void machine(unsigned opcode, ArrayRef<SDValue> operands);
  SDValue literal(SDValue v) {
    return constant(cast<ConstantSDNode>(v)->getZExtValue());
  }
  void writeMasked();
  void sleep();
  bool access(StringRef name);
  bool command(StringRef name);
  bool unit(StringRef name);

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

void IntrinsicLowering::exchange(Command command, SDValue address,
                                 SDValue word) {
  SDValue n =
      dag.getNode(node::Exchange, where, dag.getVTList(MVT::i32, MVT::Other),
                  {call.Chain, constant(command), address, word});
  values.push_back(n);
  chain = n.getValue(1);
}

void IntrinsicLowering::machine(unsigned opcode, ArrayRef<SDValue> operands) {
  SmallVector<EVT, 5> types(call.Ins.size(), MVT::i32);
  types.push_back(MVT::Other);
  SmallVector<SDValue, 12> all(operands);
  all.push_back(call.Chain);
  SDNode *n = dag.getMachineNode(opcode, where, dag.getVTList(types), all);
  for (unsigned i = 0; i < call.Ins.size(); ++i)
    values.push_back(SDValue(n, i));
  chain = SDValue(n, call.Ins.size());
}

/// Lowers a masked write. The mask is part of the word of an indirect
/// reference.
void IntrinsicLowering::writeMasked() {
  ArrayRef<SDValue> a(call.OutVals);
  auto number = [&](uint32_t value) {
    return dag.getConstant(value, where, MVT::i32);
  };
  SDValue over = dag.getNode(ISD::OR, where, MVT::i32,
                             dag.getNode(ISD::SHL, where, MVT::i32, a[1],
                                         number(target::IndirectByteMaskShift)),
                             number(target::IndirectByteMask));
  chain =
      dag.getNode(node::WriteMasked, where, MVT::Other,
                  {call.Chain, constant(DramWrite), a[0], a[2], a[3], over});
}

/// Lowers a sleep. The hardware raises the context's signal when the timestamp
/// reaches FUTURE_COUNT.
void IntrinsicLowering::sleep() {
  auto number = [&](uint32_t value) {
    return dag.getConstant(value, where, MVT::i32);
  };
  auto write = [&](uint32_t csr, SDValue value) {
    call.Chain = dag.getNode(node::CsrWrite, where, MVT::Other,
                             {call.Chain, constant(csr), value});
  };
  write(target::Csr_ACTIVE_FUTURE_COUNT_SIGNAL, number(TimerSignal));
  SDValue now =
      dag.getNode(node::CsrRead, where, dag.getVTList(MVT::i32, MVT::Other),
                  {call.Chain, constant(target::Csr_TIMESTAMP_LOW)});
  call.Chain = now.getValue(1);
  write(target::Csr_ACTIVE_CTX_FUTURE_COUNT,
        dag.getNode(ISD::ADD, where, MVT::i32, now, call.OutVals[0]));
  plain(node::Swap, {constant(TimerSignal)}, false);
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

bool IntrinsicLowering::command(StringRef name) {
  ArrayRef<SDValue> a(call.OutVals);
  for (const CommandFunction &row : commandFunctions) {
    if (row.name != name)
      continue;
    switch (row.shape) {
    case CommandFunction::In:
      in(row.command, a[0]);
      break;
    case CommandFunction::Out:
      out(row.command, a[0], a.drop_front());
      break;
    case CommandFunction::Exchange:
      exchange(row.command, a[0], a[1]);
      break;
    case CommandFunction::Hash: {
      SmallVector<SDValue, 5> operands{constant(row.command)};
      operands.append(a.begin(), a.end());
      machine(a.size() == 2 ? Ixp::CHASH2 : Ixp::CHASH4, operands);
      break;
    }
    }
    return true;
  }
  return false;
}

/// Lowers functions of CAM, CRC and the next-neighbour ring.
bool IntrinsicLowering::unit(StringRef name) {
  ArrayRef<SDValue> a(call.OutVals);
  if (name == "cam_lookup") {
    machine(Ixp::CAMLOOKUP, {a[0]});
  } else if (name == "cam_lookup_line") {
    machine(Ixp::CAMLOOKUPLINE, {a[0]});
  } else if (name == "cam_write") {
    if (isa<ConstantSDNode>(a[0]))
      machine(Ixp::CAMWRITEir, {literal(a[0]), a[1], literal(a[2])});
    else
      machine(Ixp::CAMWRITErr, {a[0], a[1], literal(a[2])});
  } else if (name == "cam_write_state") {
    machine(Ixp::CAMWRITESTATE, {a[0], literal(a[1])});
  } else if (name == "cam_read_tag") {
    machine(Ixp::CAMREADTAG, {a[0]});
  } else if (name == "cam_read_state") {
    machine(Ixp::CAMREADSTATE, {a[0]});
  } else if (name == "cam_clear") {
    machine(Ixp::CAMCLEAR, {});
  } else if (name == "crc_start") {
    machine(Ixp::CRCSTART, {a[0]});
  } else if (name == "crc") {
    machine(Ixp::CRC, {literal(a[0]), a[1]});
  } else if (name == "crc_end") {
    machine(Ixp::CRCEND, {});
  } else if (name.starts_with(byteAlignName)) {
    static const unsigned opcodes[2][ByteAlignMax] = {
        {Ixp::BYTEALIGNBE1, Ixp::BYTEALIGNBE2, Ixp::BYTEALIGNBE3,
         Ixp::BYTEALIGNBE4, Ixp::BYTEALIGNBE5, Ixp::BYTEALIGNBE6,
         Ixp::BYTEALIGNBE7, Ixp::BYTEALIGNBE8},
        {Ixp::BYTEALIGNLE1, Ixp::BYTEALIGNLE2, Ixp::BYTEALIGNLE3,
         Ixp::BYTEALIGNLE4, Ixp::BYTEALIGNLE5, Ixp::BYTEALIGNLE6,
         Ixp::BYTEALIGNLE7, Ixp::BYTEALIGNLE8}};
    bool isLittle = name.drop_front(byteAlignName.size()).starts_with("le");
    machine(opcodes[isLittle][call.Ins.size() - 1], a);
  } else if (name == "neighbour_get") {
    machine(Ixp::NEIGHBOURGET, {});
  } else if (name == "neighbour_put") {
    machine(Ixp::NEIGHBOURPUT, {a[0]});
  } else {
    return false;
  }
  return true;
}

bool IntrinsicLowering::lower(StringRef name) {
  ArrayRef<SDValue> a(call.OutVals);
  // Address bits 5:2 hold a ring's number.
  auto ring = [&] {
    return dag.getNode(ISD::SHL, where, MVT::i32, a[0],
                       dag.getConstant(2, where, MVT::i32));
  };
  if (access(name))
    return true;
  name.consume_front("__ixp_");
  if (name == "ctx") {
    plain(node::CsrRead, {constant(target::Csr_ACTIVE_CTX_STS)}, true);
    values[0] = dag.getNode(ISD::AND, where, MVT::i32, values[0],
                            dag.getConstant(7, where, MVT::i32));
  } else if (name == "swap") {
    plain(node::Swap, {constant(0)}, false);
  } else if (name == "barrier") {
    plain(node::Barrier, {}, false);
  } else if (name == "sleep") {
    sleep();
  } else if (name == "wait_for_context") {
    plain(node::Swap, {constant(TimerSignal)}, false);
  } else if (name == "wake_context") {
    SDValue signal = dag.getConstant(TimerSignal << 3, where, MVT::i32);
    plain(node::CsrWrite,
          {constant(target::Csr_SAME_ME_SIGNAL),
           dag.getNode(ISD::OR, where, MVT::i32, a[0], signal)},
          false);
  } else if (name == "halt") {
    plain(ISD::TRAP, {}, false);
  } else if (name == "scratch_get" || name == "scratch_get2") {
    in(ScratchGet, ring());
  } else if (name == "scratch_put" || name == "scratch_put2") {
    out(ScratchPut, ring(), a.drop_front());
  } else if (name == "ring_status") {
    uint64_t ring = cast<ConstantSDNode>(a[0])->getZExtValue();
    plain(node::RingStatus, {constant(Ring0State + ring)}, true);
  } else if (name == "neighbour_empty") {
    plain(node::RingStatus, {constant(NeighbourEmpty)}, true);
  } else if (name == "neighbour_full") {
    plain(node::RingStatus, {constant(NeighbourFull)}, true);
  } else if (name == "sram_enqueue") {
    out(SramEnqueue, add(a[0], a[1]), {});
  } else if (name == "local_csr_rd") {
    plain(node::CsrRead, {literal(a[0])}, true);
  } else if (name == "local_csr_wr") {
    plain(node::CsrWrite, {literal(a[0]), a[1]}, false);
  } else if (name == "ones_add") {
    machine(Ixp::ONESADDrr, {a[0], a[1]});
  } else if (name == "dram_write_masked") {
    writeMasked();
  } else {
    return command(name) || unit(name);
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
