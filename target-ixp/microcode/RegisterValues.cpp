// Propagates constants through registers.

#include "target-ixp/microcode/RegisterValues.h"
#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>

namespace karakal::target {

uint32_t RegisterValue::channel(uint32_t channels) const {
  if (kind == Kind::InChannel)
    return bits;
  // Bits 31:30 of a negative number are not a channel.
  constexpr uint32_t offsetBits = 26;
  uint32_t offset = bits & ((1u << SramChannelShift) - 1);
  if (!isConstant() || offset >> offsetBits != 0)
    return 0;
  uint32_t channel = bits >> SramChannelShift;
  return channel < channels ? channel : 0;
}

/// The dataflow meet: a value survives if both predecessors agree on it, a
/// channel if both values are addresses of it.
RegisterValue RegisterValues::meet(RegisterValue a, RegisterValue b) const {
  if (a.kind == RegisterValue::Kind::Unreached || a == b)
    return b;
  if (b.kind == RegisterValue::Kind::Unreached)
    return a;
  uint32_t channel = a.channel(channels);
  if (channel != 0 && channel == b.channel(channels))
    return RegisterValue::inChannel(channel);
  return RegisterValue::unknown();
}

/// The sum or the OR of two values. An address keeps its channel.
RegisterValue RegisterValues::sumOf(RegisterValue a, RegisterValue b,
                                    bool isOr) const {
  if (a.isConstant() && b.isConstant())
    return RegisterValue::constant(isOr ? a.bits | b.bits : a.bits + b.bits);
  uint32_t channelA = a.channel(channels), channelB = b.channel(channels);
  if (channelA != 0 && channelB != 0 && channelA != channelB)
    return RegisterValue::unknown();
  uint32_t channel = std::max(channelA, channelB);
  return channel != 0 ? RegisterValue::inChannel(channel)
                      : RegisterValue::unknown();
}

/// Replaces the bytes in `mask`. The channel depends on the high byte only.
RegisterValue RegisterValues::replaced(RegisterValue old, uint32_t mask,
                                       uint32_t bits) const {
  if (old.isConstant())
    return RegisterValue::constant((old.bits & ~mask) | bits);
  constexpr uint32_t highByte = 0xff000000;
  if ((mask & highByte) == 0)
    return old;
  uint32_t channel = RegisterValue::constant(bits).channel(channels);
  return channel != 0 ? RegisterValue::inChannel(channel)
                      : RegisterValue::unknown();
}

static RegisterValue shifted(RegisterValue value, const Shift &shift) {
  if (shift.kind == Shift::Kind::None)
    return value;
  if (!value.isConstant())
    return RegisterValue::unknown();
  if (shift.kind == Shift::Kind::Left)
    return RegisterValue::constant(value.bits << shift.amount);
  if (shift.kind == Shift::Kind::Right)
    return RegisterValue::constant(value.bits >> shift.amount);
  return RegisterValue::unknown();
}

std::optional<unsigned> RegisterValues::indexOf(const Operand &operand) {
  if (operand.value >= bankRegisters)
    return std::nullopt;
  switch (operand.kind) {
  case Operand::Kind::GprA:
    return operand.value;
  case Operand::Kind::GprB:
    return bankRegisters + operand.value;
  case Operand::Kind::SXfer:
    return 2 * bankRegisters + operand.value;
  default:
    return std::nullopt;
  }
}

/// The value of an operand. Transfer registers are unknown as sources because
/// commands fill them.
RegisterValue RegisterValues::valueOf(const State &state,
                                      const Operand &operand) {
  if (operand.isImmediate())
    return RegisterValue::constant(operand.value);
  if (operand.isNone())
    return RegisterValue::constant(0);
  auto index = indexOf(operand);
  return index && operand.isGpr() ? state[*index] : RegisterValue::unknown();
}

RegisterValue RegisterValues::resultOf(const State &state,
                                       const Instruction &i) const {
  RegisterValue b = shifted(valueOf(state, i.b), i.shift);
  auto byteOf = [&](unsigned byte) {
    return replaced(valueOf(state, i.dest), 0xffu << 8 * byte,
                    uint32_t(i.immediate) << 8 * byte);
  };
  switch (i.op) {
  case Op::Immed: {
    uint32_t bits = uint32_t(i.immediate) << i.shift.amount;
    return RegisterValue::constant(i.invert ? ~bits : bits);
  }
  case Op::ImmedB0:
  case Op::ImmedB1:
  case Op::ImmedB2:
  case Op::ImmedB3:
    return byteOf(unsigned(i.op) - unsigned(Op::ImmedB0));
  case Op::ImmedW0:
    return replaced(valueOf(state, i.dest), 0xffff, i.immediate);
  case Op::ImmedW1:
    return replaced(valueOf(state, i.dest), 0xffff0000,
                    uint32_t(i.immediate) << 16);
  case Op::AluB:
  case Op::ShfB:
    return b;
  case Op::AluAdd:
    return sumOf(valueOf(state, i.a), b, /*isOr=*/false);
  case Op::AluOr:
  case Op::ShfOr:
    return sumOf(valueOf(state, i.a), b, /*isOr=*/true);
  default:
    return RegisterValue::unknown();
  }
}

/// Words with a lower frequency relative to the most frequent word do not
/// affect the values of other words, except words before the first message.
constexpr float coldShare = 1e-3f;

static std::vector<bool> coldWords(const Microcode &code,
                                   const WordFlow &flow) {
  std::vector<bool> isCold(code.words.size());
  if (code.frequencies.empty())
    return isCold;
  float most =
      *std::max_element(code.frequencies.begin(), code.frequencies.end());
  for (size_t i = 0; i < isCold.size(); ++i)
    isCold[i] = code.frequencies[i] < coldShare * most;
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    uint32_t word = open.back();
    open.pop_back();
    if (word >= isCold.size() || !isCold[word])
      continue;
    isCold[word] = false;
    for (const FlowEdge &edge : flow.graph.edgesOf(word))
      open.push_back(edge.to);
  }
  return isCold;
}

/// Finds the registers that each function and its callees write.
void RegisterValues::findWrites(const Microcode &code) {
  writes.resize(flow.instructions.size());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const FunctionRange &range : code.functions)
      for (uint32_t word = range.begin; word < range.end; ++word) {
        auto mark = [&](unsigned index) {
          isChanged |= !writes[range.begin][index];
          writes[range.begin][index] = true;
        };
        if (auto index = indexOf(flow.instructions[word].dest))
          mark(*index);
        for (const FlowEdge &edge : flow.graph.edgesOf(word))
          for (unsigned i = 0; edge.callee && i < stateSize; ++i)
            if (writes[*edge.callee][i])
              mark(i);
      }
  }
}

RegisterValues::State RegisterValues::after(uint32_t word) const {
  const Instruction &instruction = flow.instructions[word];
  State state = before[word];
  if (auto index = indexOf(instruction.dest))
    state[*index] = resultOf(before[word], instruction);
  return state;
}

bool RegisterValues::join(uint32_t word, const State &from) {
  bool isChanged = false;
  for (unsigned i = 0; i < stateSize; ++i) {
    RegisterValue met = meet(before[word][i], from[i]);
    isChanged |= !(met == before[word][i]);
    before[word][i] = met;
  }
  return isChanged;
}

void RegisterValues::run(const Microcode &code) {
  State start;
  start.fill(RegisterValue::unknown());
  before.resize(flow.instructions.size());
  std::vector<bool> isCold = coldWords(code, flow);
  join(0, start);
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    uint32_t word = open.back();
    open.pop_back();
    State state = after(word);
    for (const FlowEdge &edge : flow.graph.edgesOf(word)) {
      State brought = state;
      if (edge.callee) {
        if (join(*edge.callee, state))
          open.push_back(*edge.callee);
        for (unsigned i = 0; i < stateSize; ++i)
          if (writes[*edge.callee][i])
            brought[i] = RegisterValue::unknown();
      }
      bool isRare = edge.to < before.size() && isCold[word] && !isCold[edge.to];
      if (edge.to < before.size() && !isRare && join(edge.to, brought))
        open.push_back(edge.to);
    }
  }
}

RegisterValues::RegisterValues(const Microcode &code, const WordFlow &flow,
                               const ChipParameters &chip)
    : flow(flow), channels(uint32_t(chip.sramChannels)) {
  findWrites(code);
  if (!flow.instructions.empty())
    run(code);
}

uint32_t RegisterValues::sramChannel(uint32_t word) const {
  const Instruction &command = flow.instructions[word];
  KARAKAL_ASSERT(row(command.op).isCommand(),
                 "only a command goes to a channel");
  return sumOf(valueOf(before[word], command.a),
               valueOf(before[word], command.b), /*isOr=*/false)
      .channel(channels);
}

bool RegisterValues::sendsPacket(uint32_t word) const {
  const Instruction &command = flow.instructions[word];
  return command.op == Op::ScratchPut &&
         sumOf(valueOf(before[word], command.a),
               valueOf(before[word], command.b),
               /*isOr=*/false) == RegisterValue::constant(RingTx << 2);
}

bool RegisterValues::lacksHead(uint32_t word) const {
  Operand second = flow.instructions[word].xfer;
  ++second.value;
  auto index = indexOf(second);
  return index && before[word][*index] == RegisterValue::constant(0);
}

} // namespace karakal::target
