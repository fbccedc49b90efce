// Lets words of several blocks write a transfer register directly.
//
// A value that goes to a transfer register and is computed on several paths
// reaches it by a move where the paths meet. The words that compute it can
// write the transfer register instead:
//
//     alu[b2, --, B, $4]                alu[$$0, --, B, $4]
//     br[meet#]                         br[meet#]
//   other#:                           other#:
//     immed[b2, 4]             ->       immed[$$0, 4]
//   meet#:                            meet#:
//     alu[$$0, --, B, b2]
//
// A rare word that changes the value needs it in a register. It gets it by a
// copy of the word that computes it:
//
//     alu[b3, $$2, +, b0]               alu[$$2, $$2, +, b0]
//     bcs[carry#]                       bcs[carry#]
//   out#:                             out#:
//     alu[$$2, --, B, b3]      ->       ...
//     ...                             carry#:
//   carry#:                             alu[b3, $$2, +, b0]
//     alu[b3, b3, +, a3]                alu[$$2, b3, +, a3]
//     br[out#]                          br[out#]
//
// forwardMoves does the same within a block.

#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"
#include "target-ixp/microcode/FlowGraph.h"

#include <algorithm>
#include <optional>
#include <set>

namespace karakal::codegen {

namespace {

using target::Instruction;
using target::Op;
using target::Operand;

/// Items between a value's words and its move, at most.
constexpr unsigned ItemsMax = 64;
/// The executions that a copy must save, for each execution of it.
constexpr float GainMin = 8;

bool isXfer(const Operand &o) { return o.isSXfer() || o.isDXfer(); }

/// The items on all paths from the words that define a register to one reader.
struct Paths {
  std::set<unsigned> definitions, between;
};

class OutWrites {
public:
  explicit OutWrites(WordProgram &program);

  /// Rewrites until a copy is made, after which the flow is another. Returns
  /// the number of moves removed.
  unsigned run();
  bool hasCopied() const { return copied; }

private:
  std::optional<Paths> pathsTo(unsigned reader, const Operand &reg) const;
  bool passes(unsigned index, const Instruction &move) const;
  bool isPlain(unsigned index) const;
  bool losesNothing(const Paths &paths, unsigned move, unsigned changer) const;
  unsigned changerAmong(const Paths &paths, GprSet reg) const;
  bool canCopy(const Paths &paths, unsigned changer, unsigned move) const;
  bool rewrite(unsigned move);
  void copyTo(unsigned changer, Item copy);

  unsigned none() const { return unsigned(items.size()); }

  std::vector<Item> &items;
  target::FlowGraph graph;
  std::vector<std::vector<unsigned>> before;
  std::vector<GprSet> out;
  std::vector<bool> removed;
  bool copied = false;
};

OutWrites::OutWrites(WordProgram &program)
    : items(program.items), graph(flowGraphOf(program)), before(graph.size()),
      out(liveOut(program)), removed(items.size(), false) {
  for (unsigned node = 0; node < graph.size(); ++node)
    for (const target::FlowEdge &edge : graph.edgesOf(node))
      before[edge.to].push_back(node);
}

/// Nothing where a path begins outside the function or cannot be followed.
std::optional<Paths> OutWrites::pathsTo(unsigned reader,
                                        const Operand &reg) const {
  Paths paths;
  std::vector<unsigned> work{reader};
  while (!work.empty()) {
    const unsigned node = work.back();
    work.pop_back();
    if (before[node].empty())
      return std::nullopt;
    for (unsigned from : before[node]) {
      if (from == reader || items[from].isCall || graph.returnOf(from))
        return std::nullopt;
      const Instruction &i = items[from].instruction;
      if (isWord(items[from]) && (gprBit(i.dest) & gprBit(reg))) {
        if (isPartial(i))
          return std::nullopt;
        paths.definitions.insert(from);
      } else if (paths.between.insert(from).second) {
        work.push_back(from);
      }
    }
    if (paths.between.size() > ItemsMax)
      return std::nullopt;
  }
  return paths;
}

/// Whether the item neither reads what the move reads nor uses the out-register
/// that it writes.
bool OutWrites::passes(unsigned index, const Instruction &move) const {
  const Instruction &i = items[index].instruction;
  return !isWord(items[index]) || !(commandTouches(i, move.dest, true) ||
                                    (xfersWritten(i) & xfersWritten(move)) ||
                                    (gprsRead(i) & gprBit(move.b)));
}

bool OutWrites::isPlain(unsigned index) const {
  const Item &item = items[index];
  return !removed[index] && item.window == 0 && canWriteXfer(items, index);
}

/// Whether each path from the definitions comes to the move or to another
/// definition before anything uses the out-register, so that none misses what
/// it held.
bool OutWrites::losesNothing(const Paths &paths, unsigned move,
                             unsigned changer) const {
  std::set<unsigned> aside;
  std::vector<unsigned> work(paths.between.begin(), paths.between.end());
  work.insert(work.end(), paths.definitions.begin(), paths.definitions.end());
  while (!work.empty()) {
    const unsigned node = work.back();
    work.pop_back();
    if (items[node].isCall || graph.returnOf(node) ||
        graph.edgesOf(node).empty() || aside.size() > ItemsMax)
      return false;
    for (const target::FlowEdge &edge : graph.edgesOf(node)) {
      const unsigned to = edge.to;
      if (to == move || to == changer || paths.between.count(to) ||
          paths.definitions.count(to) || !aside.insert(to).second)
        continue;
      if (!passes(to, items[move].instruction))
        return false;
      work.push_back(to);
    }
  }
  return true;
}

/// The definition that reads the value too; none() if there is none.
unsigned OutWrites::changerAmong(const Paths &paths, GprSet reg) const {
  for (unsigned d : paths.definitions)
    if (gprsRead(items[d].instruction) & reg)
      return d;
  return none();
}

/// Whether the only definition of what `changer` reads can be repeated there.
bool OutWrites::canCopy(const Paths &paths, unsigned changer,
                        unsigned move) const {
  if (paths.definitions.size() != 1 ||
      items[move].frequency < GainMin * items[changer].frequency ||
      isTail(items, changer))
    return false;
  const Instruction &first = items[*paths.definitions.begin()].instruction;
  const bool isRepeatable = first.op == Op::AluAdd || first.op == Op::AluSub ||
                            first.op == Op::AluAnd || first.op == Op::AluOr ||
                            first.op == Op::AluXor;
  if (!isRepeatable || first.shift.kind != target::Shift::Kind::None)
    return false;
  for (unsigned at : paths.between) {
    const Instruction &i = items[at].instruction;
    if (!isWord(items[at]))
      continue;
    for (const Operand *source : {&first.a, &first.b}) {
      const bool isKept =
          source->isImmediate() || (source->isGpr() && i.dest != *source) ||
          (isXfer(*source) && !commandTouches(i, *source, false));
      if (!isKept)
        return false;
    }
  }
  return true;
}

bool OutWrites::rewrite(unsigned move) {
  if (removed[move] || !isMove(items[move]) || items[move].window ||
      isTail(items, move))
    return false;
  const Operand home = items[move].instruction.dest;
  const Operand reg = items[move].instruction.b;
  const GprSet bit = gprBit(reg);
  if (!isXfer(home) || !bit || (out[move] & bit))
    return false;
  std::optional<Paths> paths = pathsTo(move, reg);
  if (!paths || paths->definitions.empty())
    return false;
  const unsigned changer = changerAmong(*paths, bit);
  Item copy;
  if (changer != none()) {
    std::optional<Paths> into = pathsTo(changer, reg);
    if (!into || !canCopy(*into, changer, move))
      return false;
    copy = items[*into->definitions.begin()];
    paths->between.merge(into->between);
    paths->definitions.merge(into->definitions);
  }
  for (unsigned at : paths->between)
    if (!passes(at, items[move].instruction))
      return false;
  for (unsigned at : paths->definitions)
    if (!isPlain(at) ||
        (at != changer && (gprsRead(items[at].instruction) & bit)))
      return false;
  if (!losesNothing(*paths, move, changer))
    return false;
  KARAKAL_ASSERT(!paths->definitions.count(move), "a move defines no GPR");
  for (unsigned at : paths->definitions)
    items[at].instruction.dest = home;
  removed[move] = true;
  if (changer != none())
    copyTo(changer, copy);
  return true;
}

/// Repeats a word before `changer`, for its condition codes never.
void OutWrites::copyTo(unsigned changer, Item copy) {
  copy.isGlued = false;
  copy.frequency = items[changer].frequency;
  copy.marks = items[changer].marks;
  copy.function = items[changer].function;
  items.insert(items.begin() + changer, copy);
  removed.insert(removed.begin() + changer, false);
  copied = true;
}

unsigned OutWrites::run() {
  unsigned count = 0;
  for (unsigned i = 0; i < graph.size() && !copied; ++i)
    count += rewrite(i);
  std::vector<Item> kept;
  for (unsigned i = 0; i < items.size(); ++i)
    if (!removed[i])
      kept.push_back(items[i]);
  items = std::move(kept);
  return count;
}

} // namespace

unsigned writeInPlace(WordProgram &program) {
  unsigned count = 0;
  for (bool again = true; again;) {
    OutWrites pass(program);
    count += pass.run();
    again = pass.hasCopied();
  }
  return count;
}

} // namespace karakal::codegen
