#include "codegen-me/words/VariableRanges.h"

#include "codegen-me/target/Ixp.h"
#include "codegen-me/target/IxpRegisterInfo.h"
#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordEmitter.h"
#include "codegen-me/words/WordLiveness.h"

#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

using namespace llvm;

namespace karakal::codegen {

using target::Instruction;
using target::Operand;
using target::ValuePart;

namespace {

using Place = ValuePart::Kind;

constexpr unsigned bitsPerPart = 32;

/// The place of a register as a source names it, or none.
ValuePart placeOf(const Operand &source) {
  switch (source.kind) {
  case Operand::Kind::GprA:
    return {Place::GprA, source.value, 0};
  case Operand::Kind::GprB:
    return {Place::GprB, source.value, 0};
  case Operand::Kind::SXfer:
    return {Place::SXfer, source.value, 0};
  case Operand::Kind::DXfer:
    return {Place::DXfer, source.value, 0};
  default:
    return {};
  }
}

/// In-registers that a command fills, as CommandEffect has them.
XferSet xferBit(const ValuePart &place) {
  if (place.kind == Place::SXfer)
    return 1u << place.value;
  if (place.kind == Place::DXfer)
    return 1u << (16 + place.value);
  return 0;
}

bool isGpr(const ValuePart &place) {
  return place.kind == Place::GprA || place.kind == Place::GprB;
}

GprSet gprBit(const ValuePart &place) {
  KARAKAL_ASSERT(isGpr(place), "the place is a GPR");
  return codegen::gprBit(place.kind == Place::GprA ? target::gprA(place.value)
                                                   : target::gprB(place.value));
}

/// The word of the context's stack that an item writes.
std::optional<unsigned> stackWordOf(const Item &item) {
  const Operand &to = item.instruction.dest;
  if (to.kind == Operand::Kind::LocalMemory0)
    return to.value;
  if (to.kind == Operand::Kind::LocalMemory1 && item.window)
    return item.window * WindowWords + to.value;
  return std::nullopt;
}

/// A word's destination has the value, or will have it.
bool makes(const Item &item, const ValuePart &place) {
  const Instruction &i = item.instruction;
  if (place.kind == Place::Stack)
    return stackWordOf(item) == place.value;
  if (isGpr(place))
    return codegen::gprBit(i.dest) == gprBit(place);
  return target::row(i.op).isCommand() &&
         (effectOf(i).fills & xferBit(place)) != 0;
}

//===-- Ranges ------------------------------------------------------------===//

/// What is known before an item.
struct Known {
  bool isReached = false;
  /// By variable and part.
  std::map<std::pair<uint32_t, unsigned>, ValuePart> places;
  /// In-registers that commands have still to fill, by their signals.
  std::map<unsigned, XferSet> pending;
};

/// What words write.
struct Writes {
  GprSet gprs = 0;
  XferSet xfers = 0;
  std::set<unsigned> stackWords;

  void add(const Item &item) {
    gprs |= codegen::gprBit(item.instruction.dest);
    if (target::row(item.instruction.op).isCommand())
      xfers |= effectOf(item.instruction).fills;
    if (auto word = stackWordOf(item))
      stackWords.insert(*word);
  }
};

/// Loses what lies where words write.
void overwrite(Known &known, const Writes &writes) {
  for (auto at = known.places.begin(); at != known.places.end();) {
    const ValuePart &place = at->second;
    bool isLost = place.kind == Place::Stack
                      ? writes.stackWords.count(place.value) != 0
                  : isGpr(place) ? (writes.gprs & gprBit(place)) != 0
                                 : (writes.xfers & xferBit(place)) != 0;
    at = isLost ? known.places.erase(at) : std::next(at);
  }
}

class Ranges {
public:
  explicit Ranges(const WordProgram &program)
      : program(program), graph(flowGraphOf(program)),
        lost(program.lostVariables) {
    findLost();
    for (const std::vector<ValueMark> &values : program.values)
      for (const ValueMark &value : values)
        partCount[value.variable] = value.parts;
  }
  void write(target::Microcode &code);

private:
  /// Values whose words passes have removed.
  void findLost();
  /// What a function and those that it calls write.
  const Writes &writesOf(uint32_t function);
  /// What is known where control goes from an item: after a call, where it
  /// returns.
  Known after(unsigned index, Known known);
  void afterItem(const Item &item, Known &known) const;
  void mark(Known &known, const ValueMark &value, const ValuePart &place) const;
  static bool meet(Known &into, const Known &from);
  /// The variables of which all parts have arrived.
  std::map<uint32_t, std::vector<ValuePart>> visible(const Known &known) const;

  const WordProgram &program;
  const target::FlowGraph graph;
  std::map<uint32_t, Writes> written; ///< by the first item of a function
  std::set<uint32_t> lost;
  std::map<uint32_t, unsigned> partCount; ///< by variable
};

void Ranges::findLost() {
  std::vector<bool> isThere(program.values.size(), false);
  for (const Item &item : program.items)
    isThere[item.valuesMade] = isThere[item.valuesBefore] = true;
  for (size_t i = 0; i < program.values.size(); ++i)
    for (const ValueMark &value : program.values[i])
      if (!isThere[i])
        lost.insert(value.variable);
}

const Writes &Ranges::writesOf(uint32_t function) {
  auto [at, isNew] = written.try_emplace(function);
  Writes &all = at->second;
  if (!isNew)
    return all;
  for (uint32_t index : graph.reachedFrom(function)) {
    if (isWord(program.items[index]))
      all.add(program.items[index]);
    for (const target::FlowEdge &edge : graph.edgesOf(index))
      if (edge.callee) {
        const Writes &called = writesOf(*edge.callee);
        all.gprs |= called.gprs;
        all.xfers |= called.xfers;
        all.stackWords.insert(called.stackWords.begin(),
                              called.stackWords.end());
      }
  }
  return all;
}

void Ranges::mark(Known &known, const ValueMark &value,
                  const ValuePart &place) const {
  if (lost.count(value.variable))
    return;
  if (place.kind != Place::None) {
    known.places[{value.variable, value.part}] = place;
    return;
  }
  for (unsigned part = 0; part < value.parts; ++part)
    known.places.erase({value.variable, part});
}

Known Ranges::after(unsigned index, Known known) {
  afterItem(program.items[index], known);
  for (const target::FlowEdge &edge : graph.edgesOf(index))
    if (edge.callee)
      overwrite(known, writesOf(*edge.callee));
  return known;
}

void Ranges::afterItem(const Item &item, Known &known) const {
  for (const ValueMark &value : program.values[item.valuesBefore])
    mark(known, value, value.place);
  if (!isWord(item))
    return;
  const Instruction &i = item.instruction;
  Writes writes;
  writes.add(item);
  overwrite(known, writes);
  for (const ValueMark &value : program.values[item.valuesMade]) {
    ValuePart place = value.place;
    if (place.kind == Place::None && i.dest.isGpr())
      place = codegen::placeOf(i.dest);
    // Passes may have sent the result to a register that nobody can read.
    mark(known, value, makes(item, place) ? place : ValuePart());
  }
  if (writes.xfers && i.signal)
    known.pending[i.signal] |= writes.xfers;
  if (i.ctxSwap)
    known.pending.erase(i.signal);
  if (i.op == target::Op::CtxArb)
    for (unsigned signal = 1; signal <= 15; ++signal)
      if (!i.any && i.signalMask >> signal & 1)
        known.pending.erase(signal);
}

bool Ranges::meet(Known &into, const Known &from) {
  if (!into.isReached) {
    into = from;
    into.isReached = true;
    return true;
  }
  bool isChanged = false;
  for (auto at = into.places.begin(); at != into.places.end();) {
    auto other = from.places.find(at->first);
    bool isSame = other != from.places.end() && other->second == at->second;
    isChanged |= !isSame;
    at = isSame ? std::next(at) : into.places.erase(at);
  }
  for (auto [signal, fills] : from.pending) {
    XferSet &pending = into.pending[signal];
    isChanged |= (fills & ~pending) != 0;
    pending |= fills;
  }
  return isChanged;
}

std::map<uint32_t, std::vector<ValuePart>>
Ranges::visible(const Known &known) const {
  XferSet pending = 0;
  for (auto [signal, fills] : known.pending)
    pending |= fills;
  std::map<uint32_t, std::vector<ValuePart>> found;
  for (const auto &[key, place] : known.places)
    if (!(xferBit(place) & pending) && key.second == found[key.first].size())
      found[key.first].push_back(place);
  for (auto at = found.begin(); at != found.end();)
    at = at->second.size() == partCount.at(at->first) ? std::next(at)
                                                      : found.erase(at);
  return found;
}

void Ranges::write(target::Microcode &code) {
  Known start;
  start.isReached = true;
  std::vector<std::vector<uint32_t>> next(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i)
    for (const target::FlowEdge &edge : graph.edgesOf(i)) {
      next[i].push_back(edge.to);
      if (edge.callee)
        next[i].push_back(*edge.callee);
    }
  std::vector<Known> before = target::solveForward<Known>(
      next, Known(), start,
      [&](unsigned index, const Known &known) { return after(index, known); },
      meet);
  std::map<uint32_t, target::VariableRange> open;
  auto close = [&](uint32_t variable) {
    code.locals.ranges.push_back(open.at(variable));
    open.erase(variable);
  };
  uint32_t word = 0;
  for (size_t i = 0; i < program.items.size(); ++i) {
    if (!isWord(program.items[i]))
      continue;
    Known known = before[i];
    for (const ValueMark &value : program.values[program.items[i].valuesBefore])
      mark(known, value, value.place);
    std::map<uint32_t, std::vector<ValuePart>> now = visible(known);
    for (uint32_t variable = 0; variable < program.variables.size();
         ++variable) {
      auto at = open.find(variable);
      auto value = now.find(variable);
      if (at != open.end() &&
          (value == now.end() || value->second != at->second.parts))
        close(variable);
      if (value != now.end() && !open.count(variable))
        open[variable] = {variable, word, word, value->second};
      if (value != now.end())
        open[variable].end = word + 1;
    }
    ++word;
  }
  while (!open.empty())
    close(open.begin()->first);
  std::sort(code.locals.ranges.begin(), code.locals.ranges.end(),
            [](const target::VariableRange &l, const target::VariableRange &r) {
              return std::tie(l.variable, l.begin) <
                     std::tie(r.variable, r.begin);
            });
}

/// The last line of the function that contains a line: the next one begins
/// after it.
uint32_t lastLineOf(const WordProgram &program,
                    const target::SourceLine &line) {
  uint32_t last = std::numeric_limits<uint32_t>::max();
  for (const target::SourceFunction &source : program.sources)
    if (source.file == line.file && source.line > line.line)
      last = std::min(last, source.line - 1);
  return last;
}

} // namespace

void placeVariables(const WordProgram &program, target::Microcode &code) {
  if (program.variables.empty())
    return;
  code.locals.variables = program.variables;
  for (target::Variable &variable : code.locals.variables)
    variable.lastLine = lastLineOf(program, variable.declared);
  Ranges(program).write(code);
}

//===-- Marks -------------------------------------------------------------===//

uint32_t WordEmitter::numberOf(const DILocalVariable &variable) {
  auto [at, isNew] =
      variables.try_emplace(&variable, uint32_t(program.variables.size()));
  if (isNew) {
    const DIType *type = variable.getType();
    KARAKAL_ASSERT(type, "a variable has a type (LineScopes.cpp)");
    program.variables.push_back(
        {variable.getName().str(),
         type->getName().str(),
         {variable.getFilename().str(), variable.getLine()}});
  }
  return at->second;
}

/// The bits of the variable that DBG_VALUE is about.
static unsigned sizeOf(const MachineInstr &instr) {
  return unsigned(
      instr.getDebugVariable()->getSizeInBits().value_or(bitsPerPart));
}

/// Where DBG_VALUE says that 32 bits of a value are: of a constant, those from
/// bit `shift` on. `isWhole`: the instruction is about no more bits.
ValuePart WordEmitter::placeOf(const MachineInstr &instr, unsigned shift,
                               bool isWhole) const {
  const MachineOperand &from = instr.getDebugOperand(0);
  int64_t offset = 0;
  SmallVector<uint64_t> rest;
  if (!instr.getDebugExpression()->extractLeadingOffset(offset, rest))
    return {};
  // What may be left is a fragment, an operation with two operands.
  bool isPlain = rest.empty() ||
                 (rest.size() == 3 && rest[0] == dwarf::DW_OP_LLVM_fragment);
  if (instr.isIndirectDebugValue()) {
    // IxpFrameLowering has left the index of the frame object as offset.
    unsigned word = plan.systemWords +
                    frames.wordOf(&instr.getMF()->getFunction(), int(offset));
    if (!isPlain || !isWhole || word >= plan.localWords)
      return {};
    return {Place::Stack, word, plan.localWords};
  }
  if (!isPlain || offset != 0)
    return {};
  if (from.isImm()) {
    uint64_t bits = uint64_t(from.getImm()) &
                    maskTrailingOnes<uint64_t>(std::min(64u, sizeOf(instr)));
    return {Place::Constant, uint32_t(bits >> shift), 0};
  }
  if (!from.isReg() || !from.getReg() || !isWhole ||
      Ixp::SOUTRegClass.contains(from.getReg()) ||
      Ixp::DOUTRegClass.contains(from.getReg()))
    return {};
  return codegen::placeOf(operand(instr, 0));
}

void WordEmitter::markValue(const MachineInstr &instr, size_t first) {
  const DILocalVariable &variable = *instr.getDebugVariable();
  auto parts = uint8_t((sizeOf(instr) + bitsPerPart - 1) / bitsPerPart);
  // The first bits are the most significant.
  auto fragment = instr.getDebugExpression()->getFragmentInfo();
  uint8_t begin = fragment ? uint8_t(fragment->OffsetInBits / bitsPerPart) : 0;
  uint8_t end = fragment ? uint8_t(begin + 1) : parts;
  for (uint8_t part = begin; part < end; ++part) {
    ValueMark value;
    value.variable = numberOf(variable);
    value.part = part;
    value.parts = parts;
    value.place =
        placeOf(instr, (fragment ? 0 : parts - 1u - part) * bitsPerPart,
                end - begin == 1);
    addMark(value, first);
  }
}

void WordEmitter::addMark(ValueMark value, size_t first) {
  auto add = [&](unsigned &values) {
    if (values == 0) {
      values = unsigned(program.values.size());
      program.values.emplace_back();
    }
    program.values[values].push_back(value);
  };
  if (!movesWords)
    return add(program.currentValues);
  for (size_t i = program.items.size(); i-- > first;) {
    Item &item = program.items[i];
    if (!isWord(item) || !makes(item, value.place))
      continue;
    if (isGpr(value.place))
      value.place = {};
    return add(item.valuesMade);
  }
  program.lostVariables.insert(value.variable);
}

} // namespace karakal::codegen
