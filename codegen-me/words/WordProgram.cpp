// Sets local-memory pointers and assigns addresses in a WordProgram.
//
// The fourth word after a pointer write is the first that sees the new value.

#include "codegen-me/words/WordProgram.h"

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <map>

namespace karakal::codegen {

using target::Instruction;
using target::Op;

unsigned WordProgram::words() const {
  return std::count_if(items.begin(), items.end(), isWord);
}

std::set<unsigned> namedLabels(const std::vector<Item> &items) {
  std::set<unsigned> named;
  for (const Item &item : items)
    if (isWord(item) && item.label)
      named.insert(item.label);
  return named;
}

//===-- Windows -----------------------------------------------------------===//

namespace {

/// What *l$index1 points to: not reached, window 1 or 2, or something else.
enum Pointee : int { Unreached = -1, Unknown = 0 };

bool writesPointer(const Instruction &i, unsigned csr) {
  bool isLookup = csr == target::Csr_ACTIVE_LM_ADDR_1 ? i.loadLm1 : i.loadLm0;
  return isLookup || (i.op == Op::CsrWrite && i.csr == csr);
}

/// A CAM instruction directly after a branch takes effect even if the branch is
/// taken.
bool needsNop(const Item &item, const std::vector<Item> &before) {
  if (item.kind == Item::Kind::Label)
    return false;
  switch (item.instruction.op) {
  case Op::CamClear:
  case Op::CamLookup:
  case Op::CamWrite:
  case Op::CamWriteState:
  case Op::CamReadTag:
  case Op::CamReadState:
    break;
  default:
    return false;
  }
  auto last = std::find_if(before.rbegin(), before.rend(), [](const Item &i) {
    return i.kind == Item::Kind::Word;
  });
  return last != before.rend() && target::row(last->instruction.op).isBranch();
}

bool usesPointer(const Instruction &i, target::Operand::Kind kind) {
  return i.dest.kind == kind || i.a.kind == kind || i.b.kind == kind;
}

} // namespace

void placeWindows(WordProgram &program, const StackPlan &plan) {
  auto step = [&](unsigned index, int pointee) -> int {
    const Item &item = program.items[index];
    if (item.kind == Item::Kind::Label)
      return pointee;
    if (item.window)
      return item.window;
    if (writesPointer(item.instruction, target::Csr_ACTIVE_LM_ADDR_1))
      return item.pointsTo;
    return pointee;
  };
  auto meet = [](int &into, int from) {
    int result = into == Unreached ? from : into == from ? into : Unknown;
    bool changed = result != into;
    into = result;
    return changed;
  };
  std::vector<int> pointee =
      target::solveForward<int>(flowGraphOf(program).successorsThroughCalls(),
                                Unreached, Unknown, step, meet);
  std::vector<Item> placed;
  for (unsigned i = 0; i < program.items.size(); ++i) {
    const Item &item = program.items[i];
    if (item.kind == Item::Kind::Word && item.window &&
        pointee[i] != item.window && pointee[i] != Unreached) {
      int address = plan.windowWord[item.window];
      KARAKAL_ASSERT(
          address >= 0,
          "the plan has a system word for each stack window that is used");
      Item set = item;
      set.window = 0;
      set.pointsTo = item.window;
      set.isGlued = false;
      set.instruction = target::csrWrite(target::Csr_ACTIVE_LM_ADDR_1,
                                         target::localMemory(0, address));
      placed.push_back(set);
    }
    placed.push_back(item);
  }
  program.items = std::move(placed);
}

void padPointers(WordProgram &program) {
  using target::Operand;
  // Words since the last write of each pointer, at most LmAddrSlots.
  struct Age {
    unsigned pointer[2];
  };
  constexpr unsigned Old = target::LmAddrSlots;
  constexpr Operand::Kind kinds[2] = {Operand::Kind::LocalMemory0,
                                      Operand::Kind::LocalMemory1};
  constexpr unsigned csrs[2] = {target::Csr_ACTIVE_LM_ADDR_0,
                                target::Csr_ACTIVE_LM_ADDR_1};
  auto padding = [&](const Item &item, const Age &age) {
    unsigned pad = 0;
    if (item.kind == Item::Kind::Word)
      for (unsigned p = 0; p < 2; ++p)
        if (usesPointer(item.instruction, kinds[p]))
          pad = std::max(pad, Old - age.pointer[p]);
    return pad;
  };
  auto step = [&](unsigned index, Age age) {
    const Item &item = program.items[index];
    if (item.kind == Item::Kind::Label)
      return age;
    unsigned passed = padding(item, age) + 1;
    for (unsigned p = 0; p < 2; ++p)
      age.pointer[p] = writesPointer(item.instruction, csrs[p])
                           ? 0
                           : std::min(Old, age.pointer[p] + passed);
    return age;
  };
  auto meet = [](Age &into, const Age &from) {
    bool changed = false;
    for (unsigned p = 0; p < 2; ++p)
      if (from.pointer[p] < into.pointer[p]) {
        into.pointer[p] = from.pointer[p];
        changed = true;
      }
    return changed;
  };
  // Unreached items have a greater age than Old, so the first visit is a
  // change.
  std::vector<Age> ages = target::solveForward<Age>(
      flowGraphOf(program).successorsThroughCalls(), Age{{Old + 1, Old + 1}},
      Age{{Old, Old}}, step, meet);
  std::vector<Item> padded;
  for (unsigned i = 0; i < program.items.size(); ++i) {
    const Item &item = program.items[i];
    unsigned pad = ages[i].pointer[0] > Old ? 0 : padding(item, ages[i]);
    pad = std::max(pad, needsNop(item, padded) ? 1u : 0u);
    for (unsigned n = 0; n < pad; ++n) {
      Item nop = item;
      nop.instruction = target::nop();
      nop.label = 0;
      nop.window = 0;
      nop.isGlued = false;
      padded.push_back(nop);
    }
    padded.push_back(item);
  }
  program.items = std::move(padded);
}

//===-- Addresses ---------------------------------------------------------===//

namespace {

/// The source function that a word comes from: the last one that begins at or
/// before its line. Without a line, the function that contains the word.
std::string sourceOf(const WordProgram &program, const Item &item) {
  const target::SourceLine &line = program.sourceLines[item.line];
  const target::SourceFunction *found = nullptr;
  for (const target::SourceFunction &source : program.sources)
    if (line.line && source.file == line.file && source.line <= line.line &&
        (!found || found->line <= source.line))
      found = &source;
  return found ? found->name : program.functions[item.function];
}

/// Lists the largest functions with their sizes in words.
std::string sizesOf(const WordProgram &program) {
  std::map<std::string, unsigned> sizes;
  for (const Item &item : program.items)
    if (item.kind == Item::Kind::Word)
      ++sizes[sourceOf(program, item)];
  std::vector<std::pair<std::string, unsigned>> sorted(sizes.begin(),
                                                       sizes.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto &l, const auto &r) { return l.second > r.second; });
  std::string text;
  constexpr size_t Listed = 10;
  for (size_t i = 0; i < std::min(sorted.size(), Listed); ++i)
    text += (i ? ", " : "") + sorted[i].first + " " +
            std::to_string(sorted[i].second);
  return text;
}

/// Sets the address of the label that a word refers to.
void setAddress(Instruction &instruction, unsigned address) {
  if (instruction.op == Op::Immed)
    instruction.immediate = uint16_t(address);
  else
    instruction.target = uint16_t(address);
}

} // namespace

target::FlowGraph flowGraphOf(const WordProgram &program) {
  const std::vector<Item> &items = program.items;
  constexpr unsigned Unbound = ~0u;
  std::vector<unsigned> nodeOfLabel(program.labelCount + 1, Unbound);
  for (unsigned i = 0; i < items.size(); ++i)
    if (items[i].kind == Item::Kind::Label)
      nodeOfLabel[items[i].label] = i;
  std::vector<target::FlowNode> nodes(items.size());
  for (unsigned i = 0; i < items.size(); ++i) {
    bool isFirst = i == 0 || items[i - 1].function != items[i].function;
    nodes[i].function = isFirst ? i : nodes[i - 1].function;
    if (items[i].kind == Item::Kind::Label)
      continue;
    nodes[i].instruction = &items[i].instruction;
    nodes[i].isCall = items[i].isCall;
    if (!items[i].label)
      continue;
    KARAKAL_ASSERT(nodeOfLabel[items[i].label] != Unbound,
                   "a branch names a label of the program");
    nodes[i].target = nodeOfLabel[items[i].label];
  }
  return target::FlowGraph(nodes);
}

Result<target::Microcode> resolve(const WordProgram &program,
                                  unsigned maxWords) {
  target::Microcode code;
  constexpr unsigned Unbound = ~0u;
  std::vector<unsigned> address(program.labelCount + 1, Unbound);
  unsigned count = 0;
  for (const Item &item : program.items) {
    if (code.functions.size() == item.function)
      code.functions.push_back(
          {program.functions[item.function], count, count});
    KARAKAL_ASSERT(item.function < code.functions.size(),
                   "functions are emitted in the order of their numbers");
    if (item.kind == Item::Kind::Label) {
      KARAKAL_ASSERT(address[item.label] == Unbound, "a label is bound once");
      address[item.label] = count;
      if (item.loop.depth != 0)
        code.loops.push_back({count, item.loop.depth, item.loop.iterationsMax});
    } else {
      ++count;
    }
    code.functions[item.function].end = count;
  }
  if (count > maxWords)
    return makeError("E-codegen-me-020",
                     "the program does not fit: " + std::to_string(count) +
                         " words, " + std::to_string(maxWords) +
                         " available, " + std::to_string(count - maxWords) +
                         " too many; largest: " + sizesOf(program),
                     Resource::ControlStore);
  for (const Item &item : program.items) {
    if (item.kind == Item::Kind::Label)
      continue;
    Instruction instruction = item.instruction;
    KARAKAL_ASSERT(address[item.label] != Unbound || !item.label,
                   "a word names a label of the program");
    if (item.label)
      setAddress(instruction, address[item.label]);
    Result<uint64_t> word = target::encode(instruction);
    KARAKAL_ASSERT(bool(word), word.error().message + " (in function '" +
                                   program.functions[item.function] + "')");
    for (const target::PathMark &mark : program.marks[item.marks])
      code.marks[mark].insert(uint32_t(code.words.size()));
    if (item.isCall)
      code.calls.push_back(
          {uint32_t(code.words.size()), uint32_t(address[item.label])});
    code.words.push_back(*word);
    code.taken.push_back(item.taken);
    code.lines.push_back(program.sourceLines[item.line]);
    code.frequencies.push_back(item.frequency);
  }
  // Waits and pointer writes that passes insert get the frequency of the next
  // word.
  for (size_t i = code.frequencies.size(); i-- > 1;)
    if (code.frequencies[i - 1] == 0)
      code.frequencies[i - 1] = code.frequencies[i];
  KARAKAL_ASSERT(code.words.size() == count, "every item has its address");
  return code;
}

} // namespace karakal::codegen
