#include "codegen-me/words/variables/VariableRanges.h"

#include "codegen-me/target/Ixp.h"
#include "codegen-me/target/IxpRegisterInfo.h"
#include "codegen-me/words/WordEmitter.h"

#include "target-ixp/microcode/FlowGraph.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

using namespace llvm;

namespace karakal::codegen {

using target::ValuePart;

namespace {

using Place = ValuePart::Kind;

constexpr unsigned bitsPerPart = 32;

//===-- Ranges ------------------------------------------------------------===//

/// What is known before an item.
struct Known {
  bool isReached = false;
  /// By value, an index into SourceValues::values.
  std::map<uint32_t, ValuePart> places;
  /// At the end of a run: the places of values that are joined where control
  /// may go.
  std::map<uint32_t, ValuePart> joined;
  /// In-registers that commands have still to fill, by their signals.
  std::map<unsigned, XferSet> pending;
};

/// Loses what lies where words write.
void overwrite(Known &known, const PlaceWrites &writes) {
  for (auto at = known.places.begin(); at != known.places.end();)
    at = writes.include(at->second) ? known.places.erase(at) : std::next(at);
}

/// Places of values in finished words.
class Ranges {
public:
  Ranges(const WordProgram &program, const SourceValues &source);
  void write(target::Microcode &code);

private:
  using Places = std::map<uint32_t, std::vector<ValuePart>>;

  /// The block whose words each run has, by its first word.
  void findHomes();
  /// What is known where control goes from an item: after a call, where it
  /// returns.
  Known after(unsigned index, Known known);
  void enter(unsigned index, Known &known) const;
  void leave(unsigned index, Known &known) const;
  void execute(unsigned index, Known &known) const;
  static bool meet(Known &into, const Known &from);
  /// Whether an item is executed where its block of the source is.
  bool isAtHome(unsigned index) const;
  /// The variables of which all parts are known before a word, by variable.
  Places visible(unsigned index, Known known) const;

  const WordProgram &program;
  const SourceValues &source;
  const target::FlowGraph graph;
  const std::vector<bool> isHead;
  FunctionWrites written;
  std::vector<uint32_t> homes; ///< by item: a block of the source
  /// Runs into which control comes from where the source has no edge.
  std::vector<bool> isEnteredAskew;
  std::map<unsigned, std::vector<uint32_t>> made; ///< by Item::origin
  /// Joined values and what they are, by the block from which control comes.
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> joinedFrom;
  std::map<uint32_t, unsigned> partCount; ///< by variable
};

Ranges::Ranges(const WordProgram &program, const SourceValues &source)
    : program(program), source(source), graph(flowGraphOf(program)),
      isHead(headsOf(graph)), written(program.items, graph) {
  for (const ValueMark &mark : program.values)
    partCount[mark.variable] = mark.parts;
  for (uint32_t i = 0; i < source.values().size(); ++i) {
    if (source.values()[i].kind == SourceValue::Kind::Made)
      made[source.values()[i].maker].push_back(i);
    for (auto [before, from] : source.values()[i].from)
      joinedFrom[before].push_back({i, from});
  }
  findHomes();
}

void Ranges::findHomes() {
  homes.resize(program.items.size(), SourceValues::noBlock);
  isEnteredAskew.resize(program.items.size(), false);
  for (size_t begin = 0, end; begin < homes.size(); begin = end) {
    for (end = begin + 1; end < homes.size() && !isHead[end];)
      ++end;
    uint32_t home = SourceValues::noBlock;
    for (bool isLabel : {false, true})
      for (size_t i = begin; i < end && home == SourceValues::noBlock; ++i)
        if (isWord(program.items[i]) != isLabel)
          home = source.blockOf(program.items[i].origin);
    std::fill(homes.begin() + begin, homes.begin() + end, home);
  }
  for (uint32_t i = 0; i < homes.size(); ++i)
    for (const target::FlowEdge &edge : graph.edgesOf(i))
      if (isHead[edge.to] && homes[edge.to] != SourceValues::noBlock)
        isEnteredAskew[edge.to] =
            isEnteredAskew[edge.to] ||
            !source.blocks()[homes[edge.to]].before.count(homes[i]);
}

bool Ranges::isAtHome(unsigned index) const {
  uint32_t block = source.blockOf(program.items[index].origin);
  return block != SourceValues::noBlock && block == homes[index];
}

/// Control comes to the first item of a run: what its block made before is of
/// an earlier time.
void Ranges::enter(unsigned index, Known &known) const {
  const auto joined = std::exchange(known.joined, {});
  const uint32_t home = homes[index];
  if (home == SourceValues::noBlock)
    return;
  const SourceValues::Block &block = source.blocks()[home];
  for (auto at = known.places.begin(); at != known.places.end();)
    at = source.values()[at->first].block == home ? known.places.erase(at)
                                                  : std::next(at);
  if (program.items[index].origin != block.first)
    return;
  if (!isEnteredAskew[index])
    for (auto [value, place] : joined)
      if (source.values()[value].block == home)
        known.places[value] = place;
  if (!block.beginsFunction)
    return;
  for (uint32_t i = 0; i < source.values().size(); ++i) {
    const SourceValue &value = source.values()[i];
    if (value.kind == SourceValue::Kind::Argument && value.block == home)
      known.places[i] = value.place;
  }
}

/// Control leaves a run: values that are joined where it may go are, on this
/// path, what they are joined from.
void Ranges::leave(unsigned index, Known &known) const {
  auto joins = joinedFrom.find(homes[index]);
  if (joins == joinedFrom.end())
    return;
  for (auto [value, from] : joins->second) {
    auto at = known.places.find(from);
    if (at != known.places.end())
      known.joined[value] = at->second;
  }
}

void Ranges::execute(unsigned index, Known &known) const {
  const Item &item = program.items[index];
  const target::Instruction &i = item.instruction;
  PlaceWrites writes;
  writes.add(item);
  overwrite(known, writes);
  auto values = made.find(item.origin);
  if (values != made.end())
    for (uint32_t value : values->second) {
      ValuePart place = source.values()[value].place;
      known.places.erase(value);
      // Passes may have sent the result to a register that nobody can read.
      if (!isAtHome(index) || item.makesAnother || !makes(item, place))
        continue;
      known.places[value] = place.kind == Place::None ? placeOf(i.dest) : place;
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

Known Ranges::after(unsigned index, Known known) {
  if (isHead[index])
    enter(index, known);
  if (isWord(program.items[index]))
    execute(index, known);
  for (const target::FlowEdge &edge : graph.edgesOf(index))
    if (edge.callee)
      overwrite(known, written.of(*edge.callee));
  if (index + 1 == isHead.size() || isHead[index + 1])
    leave(index, known);
  return known;
}

/// Keeps what is the same on both paths. Returns whether something is lost.
bool keepSame(std::map<uint32_t, ValuePart> &into,
              const std::map<uint32_t, ValuePart> &from) {
  const size_t size = into.size();
  for (auto at = into.begin(); at != into.end();) {
    auto other = from.find(at->first);
    bool isSame = other != from.end() && other->second == at->second;
    at = isSame ? std::next(at) : into.erase(at);
  }
  return into.size() != size;
}

bool Ranges::meet(Known &into, const Known &from) {
  if (!into.isReached) {
    into = from;
    into.isReached = true;
    return true;
  }
  bool isChanged = keepSame(into.places, from.places);
  isChanged |= keepSame(into.joined, from.joined);
  for (auto [signal, fills] : from.pending) {
    XferSet &pending = into.pending[signal];
    isChanged |= (fills & ~pending) != 0;
    pending |= fills;
  }
  return isChanged;
}

Ranges::Places Ranges::visible(unsigned index, Known known) const {
  if (!isAtHome(index) || !known.isReached)
    return {};
  if (isHead[index])
    enter(index, known);
  XferSet pending = 0;
  for (auto [signal, fills] : known.pending)
    pending |= fills;
  const Item &item = program.items[index];
  Places found;
  for (auto [part, given] : source.before(item.origin)) {
    if (part.instance != item.instance)
      continue;
    const SourceValue &value = source.values()[given.value];
    auto at = known.places.find(given.value);
    std::optional<ValuePart> place;
    if (value.kind == SourceValue::Kind::Constant)
      place = value.place;
    else if (at != known.places.end() && !(xferBit(at->second) & pending))
      place = at->second;
    std::vector<ValuePart> &places = found[part.variable];
    if (place && part.number == places.size() &&
        !source.isOutOfOrder(item.origin, part, given.value))
      places.push_back(*place);
  }
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
  for (uint32_t i = 0; i < program.items.size(); ++i) {
    if (!isWord(program.items[i]))
      continue;
    Places now = visible(i, before[i]);
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

void placeVariables(const WordProgram &program, const SourceValues &source,
                    target::Microcode &code) {
  if (program.variables.empty())
    return;
  code.locals.variables = program.variables;
  for (target::Variable &variable : code.locals.variables)
    variable.lastLine = lastLineOf(program, variable.declared);
  Ranges(program, source).write(code);
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

uint32_t WordEmitter::instanceOf(const DILocation &line) {
  const DILocation *call = line.getInlinedAt();
  return call ? instances.try_emplace(call, instances.size() + 1).first->second
              : 0;
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

void WordEmitter::countValues(const MachineFunction &function) {
  using Values = DenseSet<const Metadata *>;
  std::map<std::pair<uint32_t, uint32_t>, Values> values;
  for (const BasicBlock &block : function.getFunction())
    for (const Instruction &instr : block)
      for (const DbgVariableRecord &record :
           filterDbgVars(instr.getDbgRecordRange()))
        values[{numberOf(*record.getVariable()),
                instanceOf(*record.getDebugLoc())}]
            .insert(record.getRawLocation());
  for (const auto &[variable, all] : values)
    program.valueCounts[variable] = all.size();
  // A value that is part of a wider one has the fragments of that.
  for (const MachineBasicBlock &block : function)
    for (const MachineInstr &instr : block)
      if (instr.isDebugValue())
        if (auto fragment = instr.getDebugExpression()->getFragmentInfo())
          if (sizeOf(instr) <= bitsPerPart ||
              fragment->OffsetInBits + fragment->SizeInBits >
                  alignTo(sizeOf(instr), bitsPerPart))
            widened.insert(instr.getDebugVariable());
}

void WordEmitter::markValue(const MachineInstr &instr) {
  const DILocalVariable &variable = *instr.getDebugVariable();
  auto parts = uint8_t((sizeOf(instr) + bitsPerPart - 1) / bitsPerPart);
  // The first bits are the most significant.
  auto fragment = instr.getDebugExpression()->getFragmentInfo();
  uint8_t begin = fragment ? uint8_t(fragment->OffsetInBits / bitsPerPart) : 0;
  uint8_t end = fragment ? uint8_t(begin + 1) : parts;
  end = std::min(end, parts);
  for (uint8_t part = begin; part < end; ++part) {
    ValueMark value;
    value.variable = numberOf(variable);
    value.part = part;
    value.parts = parts;
    if (!widened.contains(&variable))
      value.place =
          placeOf(instr, (fragment ? 0 : parts - 1u - part) * bitsPerPart,
                  end - begin == 1);
    value.after = unsigned(program.items.size());
    if (const DILocation *line = instr.getDebugLoc())
      value.instance = instanceOf(*line);
    program.values.push_back(value);
  }
}

} // namespace karakal::codegen
