// Removes needless moves and tests.
//
// Register allocation uses general-purpose registers only, so words that a
// command has read and spilled words pass through one of them. But an
// instruction can read one source from a transfer register or local memory and
// write its result there:
//
//   alu[b0, --, B, $0]               alu[a2, $0, XOR, b1]
//   alu[a2, b0, XOR, b1]       ->
//
//   alu[a0, a1, OR, b12]             alu[$0, a1, OR, b12]
//   alu[$0, --, B, a0]         ->
//
//   alu[a0, a0, -, 0x1]              alu[a0, a0, -, 0x1]
//   alu[--, a0, -, 0x0]        ->    bne[l#]
//   bne[l#]
//
// A word that a command has read can also be used in place in other blocks,
// unless a command may have refilled its register. All other rewrites are local
// to a block and require that the register has no other reader.
//
// Below, the home of a value is the transfer register or the stack word that
// holds it.

#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordMotion.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <map>

namespace karakal::codegen {
namespace {

using target::Format;
using target::Instruction;
using target::Op;
using target::Operand;

constexpr unsigned RestrictedOffsetMax = 7;

Format formatOf(const Item &item) {
  return target::row(item.instruction.op).format;
}

bool isXfer(const Operand &o) {
  return o.kind == Operand::Kind::SXfer || o.kind == Operand::Kind::DXfer;
}

/// Whether the operand is a transfer register or a stack word, not data that a
/// pointer of the program reaches.
bool isXferOrStackWord(const Operand &o, const Item &item) {
  return isXfer(o) || o.kind == Operand::Kind::LocalMemory0 ||
         (o.kind == Operand::Kind::LocalMemory1 && item.window);
}

/// Whether the operand is data that a pointer of the program reaches. Other
/// contexts may change it while this one waits.
bool isSharedWord(const Operand &o, const Item &item) {
  return o.kind == Operand::Kind::LocalMemory1 && !item.window;
}

/// Whether the word uses the second pointer for data other than the stack.
bool usesDataPointer(const Item &item) {
  constexpr Operand::Kind second = Operand::Kind::LocalMemory1;
  const Instruction &i = item.instruction;
  return item.window == 0 &&
         (i.dest.kind == second || i.a.kind == second || i.b.kind == second);
}

/// Whether the operand fields of this format hold local-memory offsets above 7.
bool isUnrestricted(Format format) {
  return format == Format::AluUnary || format == Format::AluBinary;
}

bool fitsField(const Operand &home, Format format) {
  return !home.isLocalMemory() || isUnrestricted(format) ||
         home.value <= RestrictedOffsetMax;
}

class Forwarding {
public:
  explicit Forwarding(WordProgram &program)
      : whole(program), items(program.items), out(liveOut(program)),
        removed(items.size(), false) {}

  void run();

private:
  bool endsBlock(unsigned index) const {
    return !isWord(items[index]) ||
           target::row(items[index].instruction.op).isBranch();
  }
  bool isTail(unsigned index) const { return codegen::isTail(items, index); }
  bool isLiveOut(unsigned index, GprSet reg) const { return out[index] & reg; }
  /// Whether the value at `home` may have changed at `index`.
  bool mayChange(unsigned index, const Operand &home, unsigned window,
                 bool out) const;
  bool canRead(const Item &use, const Operand &reg, const Operand &home,
               unsigned window) const;
  void forwardRead(unsigned index);
  void forwardWrite(unsigned index);
  void forwardLiteral(unsigned index);
  void dropTest(unsigned index);
  void dropCarryTest(unsigned index);
  unsigned definitionOf(unsigned test);
  void chainCarries(unsigned index);
  void dropRingFlag(unsigned index);

  /// The GPRs that are copies of in-registers.
  struct Copies {
    std::vector<std::pair<Operand, Operand>> pairs; ///< GPR, in-register
    std::vector<int> made; ///< for each item, the pair that it creates, or -1
  };
  /// A set of pairs, one bit each.
  using PairSet = std::vector<uint64_t>;
  static uint64_t pairBit(unsigned pair) { return uint64_t(1) << pair % 64; }
  Copies findCopies() const;
  std::vector<PairSet> equalBefore(const Copies &copies) const;
  void readInPlace();

  unsigned nextWord(unsigned index) const {
    while (++index < items.size() && removed[index])
      ;
    return index;
  }

  WordProgram &whole;
  std::vector<Item> &items;
  std::vector<GprSet> out;
  std::vector<bool> removed;
};

bool Forwarding::mayChange(unsigned index, const Operand &home, unsigned window,
                           bool out) const {
  const Item &item = items[index];
  const Instruction &i = item.instruction;
  if (home.kind == Operand::Kind::LocalMemory1 && !window)
    return i.dest.kind == home.kind || item.window ||
           !(isArithmetic(i) || target::row(i.op).isBranch());
  if (isXfer(home)) // only commands change in-registers
    return commandTouches(i, home, out) || (out && i.dest == home);
  // A pointer may lead to an array, of which the stack word is an element.
  if (isSharedWord(i.dest, item) ||
      (out && (isSharedWord(i.a, item) || isSharedWord(i.b, item))))
    return true;
  if (i.dest == home && item.window == window)
    return true;
  if (out && ((i.a == home || i.b == home) && item.window == window))
    return true;
  // The second pointer must keep its window.
  bool movesPointer = i.op == Op::CsrWrite || i.dest.kind == home.kind ||
                      i.a.kind == home.kind || i.b.kind == home.kind;
  return window && movesPointer && item.window != window;
}

bool Forwarding::canRead(const Item &use, const Operand &reg,
                         const Operand &home, unsigned window) const {
  const Instruction &i = use.instruction;
  Format format = formatOf(use);
  bool isSource = isFlexible(format) ||
                  (format == Format::Command && isXfer(home)) ||
                  format == Format::BranchBit || format == Format::BranchByte ||
                  (format == Format::LdField && !(i.dest == reg));
  if (!isSource || (i.a == reg && i.b == reg) || !fitsField(home, format))
    return false;
  const Operand &other = i.a == reg ? i.b : i.a;
  if (isXfer(home) ? isXfer(other) : other.isLocalMemory())
    return false;
  if (window && usesDataPointer(use))
    return false;
  return use.window == 0 || window == 0 || use.window == window;
}

/// After "reg = home", lets the readers of reg read the home instead.
void Forwarding::forwardRead(unsigned index) {
  const Item &move = items[index];
  const Operand reg = move.instruction.dest, home = move.instruction.b;
  const unsigned window = move.window;
  if (!isMove(move) || !reg.isGpr() || window > 1 ||
      !(isXferOrStackWord(home, move) || isSharedWord(home, move)))
    return;
  const bool needsPointer =
      !isXfer(home) && (window || isSharedWord(home, move));
  GprSet bit = gprBit(reg);
  std::vector<unsigned> uses;
  bool disturbed = false;
  for (unsigned i = index + 1; i < items.size(); ++i) {
    if (removed[i])
      continue;
    if (!isWord(items[i]))
      return; // the value may be used in other blocks
    const Instruction &instruction = items[i].instruction;
    if (gprsRead(instruction) & bit) {
      if (disturbed || !canRead(items[i], reg, home, window) ||
          (needsPointer && isTail(i)) ||
          (isSharedWord(home, move) && items[i].window))
        return;
      uses.push_back(i);
    }
    disturbed |= mayChange(i, home, window, false);
    if (!isLiveOut(i, bit) || (gprsWritten(instruction) & bit))
      break;
    if (endsBlock(i))
      return;
  }
  for (unsigned i : uses) {
    Instruction &use = items[i].instruction;
    (use.a == reg ? use.a : use.b) = home;
    items[i].window = std::max(items[i].window, uint8_t(window));
  }
  removed[index] = true;
}

/// For "reg = a op b; ...; home = reg", lets the first word write the home.
void Forwarding::forwardWrite(unsigned index) {
  const Item &move = items[index];
  const Operand reg = move.instruction.b, home = move.instruction.dest;
  const unsigned window = move.window;
  if (!isMove(move) || !reg.isGpr() || !isXferOrStackWord(home, move) ||
      window > 1 || isLiveOut(index, gprBit(reg)))
    return;
  GprSet bit = gprBit(reg);
  for (unsigned i = index; i-- > 0;) {
    if (removed[i])
      continue;
    if (endsBlock(i))
      return;
    Item &item = items[i];
    Instruction &instruction = item.instruction;
    if (gprsWritten(instruction) & bit) {
      Format format = formatOf(item);
      const bool isImmed = instruction.op == Op::Immed;
      if (!canWriteXfer(items, i) || !fitsField(home, format) ||
          (isImmed && home.isLocalMemory()))
        return;
      if (window && (isTail(i) || usesDataPointer(item) ||
                     (item.window && item.window != window)))
        return;
      instruction.dest = home;
      item.window = std::max(item.window, uint8_t(window));
      removed[index] = true;
      return;
    }
    if ((gprsRead(instruction) & bit) || mayChange(i, home, window, true) ||
        (gprBit(instruction.dest) & bit))
      return;
  }
}

/// Lets local_csr_wr write a literal that an immed loads for it only.
void Forwarding::forwardLiteral(unsigned index) {
  constexpr unsigned LiteralMax = 0x7f;
  const Instruction &load = items[index].instruction;
  const unsigned next = nextWord(index);
  if (load.op != Op::Immed || load.immediate > LiteralMax || load.invert ||
      load.shift.amount != 0 || items[index].label != 0 || !load.dest.isGpr() ||
      items[index].isGlued || isTail(index) || next >= items.size() ||
      !isWord(items[next]) || isTail(next) ||
      (index > 0 && isWord(items[index - 1]) &&
       items[index - 1].instruction.op == Op::CsrRead))
    return;
  Instruction &write = items[next].instruction;
  if (write.op != Op::CsrWrite || !(write.a == load.dest) ||
      items[next].window || isLiveOut(next, gprBit(load.dest)))
    return;
  write.a = target::imm(load.immediate);
  removed[index] = true;
}

//===-- In-registers across blocks ----------------------------------------===//

/// Finds the moves of in-registers to GPRs and numbers the distinct pairs.
Forwarding::Copies Forwarding::findCopies() const {
  Copies copies;
  copies.made.assign(items.size(), -1);
  std::map<std::pair<GprSet, unsigned>, unsigned> numbers;
  auto homeKey = [](const Operand &o) {
    return unsigned(o.kind) << 8 | o.value;
  };
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isMove(items[i]) || isTail(i))
      continue;
    const Instruction &move = items[i].instruction;
    if (!move.dest.isGpr() || !isXfer(move.b))
      continue;
    auto [it, isNew] = numbers.insert(
        {{gprBit(move.dest), homeKey(move.b)}, unsigned(copies.pairs.size())});
    if (isNew)
      copies.pairs.push_back({move.dest, move.b});
    copies.made[i] = int(it->second);
  }
  return copies;
}

/// Forward dataflow analysis: which registers equal which in-registers before
/// each word. Empty for words that no path reaches.
std::vector<Forwarding::PairSet>
Forwarding::equalBefore(const Copies &copies) const {
  auto step = [&](unsigned index, PairSet set) {
    if (!isWord(items[index]))
      return set;
    const Instruction &i = items[index].instruction;
    bool isCommand = target::row(i.op).isCommand();
    GprSet written = gprBit(i.dest);
    for (unsigned p = 0; (isCommand || written) && p < copies.pairs.size(); ++p)
      if ((set[p / 64] & pairBit(p)) &&
          ((gprBit(copies.pairs[p].first) & written) ||
           (isCommand && commandTouches(i, copies.pairs[p].second, false))))
        set[p / 64] &= ~pairBit(p);
    if (int made = copies.made[index]; made >= 0)
      set[made / 64] |= pairBit(made);
    return set;
  };
  auto meet = [](PairSet &into, const PairSet &from) {
    bool changed = into.empty() && !from.empty();
    if (changed)
      into = from;
    else
      for (size_t w = 0; w < into.size(); ++w) {
        changed |= into[w] & ~from[w];
        into[w] &= from[w];
      }
    return changed;
  };
  const size_t size = (copies.pairs.size() + 63) / 64;
  return target::solveForward<PairSet>(
      flowGraphOf(whole).successorsThroughCalls(), PairSet(), PairSet(size, 0),
      step, meet);
}

/// Lets words read in-registers instead of GPRs that hold the same value on
/// all paths.
void Forwarding::readInPlace() {
  const Copies copies = findCopies();
  if (copies.pairs.empty())
    return;
  std::vector<PairSet> before = equalBefore(copies);
  KARAKAL_ASSERT(before.size() == items.size(), "each item has a state");
  for (unsigned i = 0; i < items.size(); ++i) {
    if (before[i].empty() || !isWord(items[i]))
      continue;
    for (unsigned p = 0; p < copies.pairs.size(); ++p) {
      if (!(before[i][p / 64] & pairBit(p)))
        continue;
      auto [reg, home] = copies.pairs[p];
      Instruction &use = items[i].instruction;
      if ((use.a == reg || use.b == reg) && copies.made[i] < 0 &&
          canRead(items[i], reg, home, 0))
        (use.a == reg ? use.a : use.b) = home;
    }
  }
  out = liveOut(whole);
  for (unsigned i = 0; i < items.size(); ++i)
    if (copies.made[i] >= 0 && !isLiveOut(i, gprBit(items[i].instruction.dest)))
      removed[i] = true;
}

//===-- Tests -------------------------------------------------------------===//

/// Finds the word that computes the value which `test` compares with 0, and
/// moves it to just before the test. Returns its index, or that of `test` if
/// there is none or it cannot move.
unsigned Forwarding::definitionOf(unsigned test) {
  constexpr unsigned DistanceMax = 8;
  const Operand reg = items[test].instruction.a;
  GprSet written = 0, read = 0;
  unsigned passed = 0;
  for (unsigned i = test; i-- > 0 && passed < DistanceMax;) {
    if (removed[i])
      continue;
    if (endsBlock(i))
      return test;
    const Instruction &definition = items[i].instruction;
    // As a destination, a transfer register's number names the out-register.
    if ((reg.isGpr() && definition.dest == reg) ||
        (isMove(items[i]) && definition.b == reg)) {
      if (passed == 0)
        return i;
      auto isPlain = [](const Operand &o) {
        return o.isNone() || o.isImmediate() || o.isGpr() || isXfer(o);
      };
      bool isIndirect =
          definition.shift.kind == target::Shift::Kind::LeftIndirect ||
          definition.shift.kind == target::Shift::Kind::RightIndirect;
      if (!isFlexible(formatOf(items[i])) || definition.op == Op::Asr ||
          isIndirect || items[i].isGlued || isTail(i) || isTail(test) ||
          !isPlain(definition.dest) || !isPlain(definition.a) ||
          !isPlain(definition.b) || (gprsRead(definition) & written) ||
          (gprBit(definition.dest) & (written | read)))
        return test;
      std::rotate(items.begin() + i, items.begin() + i + 1,
                  items.begin() + test);
      bool isRemoved = removed[i];
      removed.erase(removed.begin() + i);
      removed.insert(removed.begin() + test - 1, isRemoved);
      return test - 1;
    }
    if (items[i].isGlued || target::row(definition.op).isCommand() ||
        definition.op == Op::CtxArb || (gprsRead(definition) & gprBit(reg)))
      return test;
    written |= gprBit(definition.dest);
    read |= gprsRead(definition);
    ++passed;
  }
  return test;
}

/// Removes the flag for a ring's status if only the next branch tests it:
///
///   immed[r, 1]
///   br_inp_state[s, l#]
///   immed[r, 0]                 ->    br_!inp_state[s, t#]
/// l#:
///   ...                         ...
///   alu[--, r, -, 0]
///   beq[t#]
void Forwarding::dropRingFlag(unsigned index) {
  constexpr unsigned DistanceMax = 8;
  const GprSet flagBit = gprBit(items[index].instruction.dest);
  // A word that may be between the label and the test.
  auto isOther = [&](unsigned at) {
    const Instruction &other = items[at].instruction;
    return isWord(items[at]) && !endsBlock(at) &&
           !((gprsRead(other) | gprBit(other.dest)) & flagBit);
  };
  unsigned at[6] = {index};
  for (unsigned i = 1; i < 6; ++i) {
    at[i] = nextWord(at[i - 1]);
    for (unsigned passed = 0; i == 4 && passed < DistanceMax &&
                              at[i] < items.size() && isOther(at[i]);
         ++passed)
      at[i] = nextWord(at[i]);
    if (at[i] >= items.size() || isWord(items[at[i]]) == (i == 3))
      return;
  }
  auto word = [&](unsigned i) -> Instruction & {
    return items[at[i]].instruction;
  };
  const Operand flag = word(0).dest;
  Op branch = word(5).op;
  bool isFlag = word(0) == target::immed(flag, 1) &&
                word(1).op == Op::BrInpState &&
                word(2) == target::immed(flag, 0) &&
                items[at[1]].label == items[at[3]].label &&
                word(4) == target::alu(Op::AluSub, target::none(), flag,
                                       target::imm(0)) &&
                (branch == Op::Beq || branch == Op::Bne) && flag.isGpr() &&
                !isLiveOut(at[5], gprBit(flag));
  if (!isFlag)
    return;
  word(5) =
      target::branchOn(branch == Op::Beq ? Op::BrNotInpState : Op::BrInpState,
                       word(1).parameter, 0);
  for (unsigned i = 0; i < 5; ++i)
    removed[at[i]] = i != 3; // the label may have other branches
}

/// Removes a compare with 0 of a value that a word shortly before computes. The
/// branch uses the condition codes of that word instead.
void Forwarding::dropTest(unsigned index) {
  const Instruction &test = items[index].instruction;
  if (test.op != Op::AluSub || !test.dest.isNone() ||
      test.b != target::imm(0) || index == 0 ||
      !(test.a.isGpr() || isXfer(test.a)) || index + 1 >= items.size() ||
      !isWord(items[index + 1]))
    return;
  unsigned at = index + 1;
  // Only Z and N are the same as after the compare. The branch may come after
  // words that do not change the flags.
  while (at < items.size() && isWord(items[at]) && items[at - 1].isGlued &&
         items[at].instruction.op == Op::Immed)
    ++at;
  if (at >= items.size() || !isWord(items[at]))
    return;
  Op &branch = items[at].instruction.op;
  if (branch != Op::Beq && branch != Op::Bne && branch != Op::Blt &&
      branch != Op::Bge)
    return;
  unsigned before = definitionOf(index);
  if (before == index || isTail(index))
    return;
  Instruction &definition = items[before].instruction;
  if (formatOf(items[before]) == Format::LdField)
    definition.loadCc = true;
  else if (!target::row(definition.op).setsConditionCodes)
    return;
  if (branch == Op::Blt)
    branch = Op::Bmi;
  else if (branch == Op::Bge)
    branch = Op::Bpl;
  items[before].isGlued = true;
  removed[index] = true;
}

/// Removes a compare of a sum with one of its summands. The sum is less than
/// the summand if the addition has a carry:
///
///   alu[a0, $1, +, b2]
///   alu[--, a0, -, b2]          ->    alu[a0, $1, +, b2]
///   bcc[t#]                           bcs[t#]
void Forwarding::dropCarryTest(unsigned index) {
  const Instruction test = items[index].instruction;
  if (test.op != Op::AluSub || !test.dest.isNone() || !test.a.isGpr() ||
      index == 0 || index + 1 >= items.size() || !isWord(items[index + 1]))
    return;
  Op &branch = items[index + 1].instruction.op;
  if ((branch != Op::Bcc && branch != Op::Bcs) || isTail(index))
    return;
  unsigned before = definitionOf(index);
  const Instruction &definition = items[before].instruction;
  bool isSum = before != index && definition.op == Op::AluAdd &&
               definition.dest == test.a && !(test.b == test.a) &&
               (definition.a == test.b || definition.b == test.b);
  if (!isSum)
    return;
  branch = branch == Op::Bcc ? Op::Bcs : Op::Bcc;
  items[before].isGlued = true;
  removed[index] = true;
}

/// Chains ones-complement additions: the second one adds the carry of the
/// first:
///
///   alu[a0, a0, +, $1]
///   alu[a0, a0, +carry, 0]
///   alu[a0, a0, +, $2]          ->    alu[a0, a0, +, $1]
///   alu[a0, a0, +carry, 0]            alu[a0, a0, +carry, $2]
///                                     alu[a0, a0, +carry, 0]
void Forwarding::chainCarries(unsigned index) {
  auto isFinish = [&](unsigned at) {
    const Instruction &word = items[at].instruction;
    return isWord(items[at]) && word.op == Op::AluAddCarry &&
           word.dest.isGpr() && word.a == word.dest && word.b == target::imm(0);
  };
  unsigned add = nextWord(index);
  if (!isFinish(index) || add + 1 >= items.size() || !isWord(items[add]) ||
      items[add].instruction.op != Op::AluAdd || !isFinish(add + 1) ||
      removed[add + 1])
    return;
  const Operand sum = items[index].instruction.dest;
  Instruction &next = items[add].instruction;
  bool takesSum = (next.a == sum) != (next.b == sum);
  if (!takesSum || !(next.dest == items[add + 1].instruction.dest) ||
      (!(next.dest == sum) && isLiveOut(add, gprBit(sum))))
    return;
  next.op = Op::AluAddCarry;
  removed[index] = true;
}

void Forwarding::run() {
  readInPlace();
  for (unsigned i = 0; i < items.size(); ++i)
    forwardRead(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i])
      forwardWrite(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i] && isWord(items[i]))
      forwardLiteral(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i] && isWord(items[i]))
      chainCarries(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i] && isWord(items[i]))
      dropRingFlag(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i] && isWord(items[i]))
      dropTest(i);
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i] && isWord(items[i]))
      dropCarryTest(i);
  KARAKAL_ASSERT(removed.size() == items.size() && out.size() == items.size(),
                 "words are dropped only at the end");
  std::vector<Item> kept;
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i])
      kept.push_back(items[i]);
  items = std::move(kept);
}

} // namespace

void forwardMoves(WordProgram &program) { Forwarding(program).run(); }

} // namespace karakal::codegen
