// Assigns signals to commands and places waits.
//
// A command runs while its context continues. It is pending from its issue to
// the wait for its signal. The wait is placed as late as possible: before the
// first read of a register that the command fills, before the first write of
// one that it reads, before a command that must come after it
// (CommandEffects.h), and before words that no other context may interrupt.
//
//   dram[read, $$0, a0, 0, 2], sig_done[s2]
//   sram[read, $0, b1, 4, 1], sig_done[s1]
//   alu[a3, a3, +, 1]
//   ctx_arb[s1, s2, s3]
//   alu[b2, $0, +, $$1]
//
// A wait also takes the signals that would need a wait a few words later. If a
// wait is for one command and follows soon, the command waits itself
// (ctx_swap). So does a command if such waits follow soon on all frequent
// paths.
//
// A signal arrives once, so the pending commands must be the same on all paths
// into a block. A junction is the set of block ends and block starts that edges
// connect. All of them agree on one set of pending commands, the largest that
// all ends can deliver, and each end waits for its other commands. At calls,
// returns and halts nothing is pending.
//
// Signals are assigned by graph colouring: commands that are pending together
// get different signals. A command that raises two takes an even number and the
// next.

#include "codegen-me/target/Ixp.h"
#include "codegen-me/words/CommandEffects.h"
#include "support/Error.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace karakal::codegen {
namespace {

using target::Instruction;
using target::Op;
using target::Operand;

/// Signals for commands: all below the timer's.
constexpr unsigned SignalCount = TimerSignal - 1;
/// Most signals pending at once; with this limit colouring rarely fails.
constexpr unsigned SignalsBusyMax = 10;
/// A wait includes commands that would need a wait within this many words.
constexpr unsigned HorizonWords = 12;
/// A command may be its own wait if the wait follows within this many words.
constexpr unsigned SwapWords = 8;

/// Paths that so few of a command's executions take are rare.
constexpr float RareShare = 1.0f / 8;

/// The pending commands by item. The flag says that the register in the
/// command's address has not changed since.
using Pending = std::map<unsigned, bool>;

struct Block {
  unsigned first, last; ///< items
  unsigned entry, exit; ///< junctions
};

class WaitPlacement {
public:
  WaitPlacement(WordProgram &program, WaitStatistics &statistics)
      : program(program), items(program.items), statistics(statistics),
        waitsAtOnce(items.size(), false), signalOf(items.size(), 0) {}

  void run();

private:
  const Instruction &instruction(unsigned item) const {
    return items[item].instruction;
  }
  bool isWord(unsigned item) const {
    return items[item].kind == Item::Kind::Word;
  }
  /// A command that raises signals.
  bool isCommand(unsigned item) const {
    return isWord(item) && target::row(instruction(item).op).signals > 0;
  }
  unsigned signals(unsigned item) const {
    return target::row(instruction(item).op).signals;
  }
  bool endsBlock(unsigned item) const {
    return target::row(instruction(item).op).isBranch() ||
           target::endsFlow(instruction(item));
  }

  void findBlocks();
  unsigned junction(unsigned node);
  void meet(unsigned junction, const Pending &exit);
  Pending scan(const Block &block);
  void solve();
  bool assignSignals();
  void insert();

  bool mustWait(unsigned pending, bool sameBase, unsigned item) const;
  std::vector<unsigned> dueSoon(const Block &block, const Pending &pending,
                                unsigned from) const;
  void issue(unsigned item, unsigned head, Pending &pending);
  void waitFor(unsigned before, const std::vector<unsigned> &commands,
               Pending &pending);
  void forgetBases(unsigned item, Pending &pending) const;
  unsigned chainHead(const Block &block, unsigned item) const;
  bool becomesSwap(unsigned before, unsigned command) const;
  std::set<unsigned> swapsAhead() const;
  bool waitsSoon(unsigned command, const std::set<unsigned> &places,
                 const std::vector<std::vector<uint32_t>> &successors) const;

  WordProgram &program;
  std::vector<Item> &items;
  WaitStatistics &statistics;
  std::vector<Block> blocks;
  std::vector<unsigned> parent;               ///< union-find of junctions
  std::vector<bool> isEmpty;                  ///< junctions with none pending
  std::vector<std::optional<Pending>> agreed; ///< by junction
  /// For each item, the commands waited for before it, from the last scan.
  std::map<unsigned, std::vector<unsigned>> waits;
  std::vector<std::pair<unsigned, unsigned>> interference;
  std::vector<bool> waitsAtOnce; ///< commands that are waited for at once
  std::vector<unsigned> signalOf;
};

//===-- Blocks and junctions ----------------------------------------------===//

unsigned WaitPlacement::junction(unsigned node) {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

void WaitPlacement::findBlocks() {
  auto successors = flowGraphOf(program).successorsThroughCalls();
  std::vector<unsigned> blockOf(items.size(), 0);
  for (unsigned i = 0; i < items.size(); ++i) {
    bool starts = i == 0 || items[i].kind == Item::Kind::Label ||
                  (isWord(i - 1) && endsBlock(i - 1));
    if (starts)
      blocks.push_back({i, i, 0, 0});
    blocks.back().last = i;
    blockOf[i] = unsigned(blocks.size() - 1);
  }
  // Node 2b is the end of block b, node 2b + 1 its start.
  for (unsigned n = 0; n < 2 * blocks.size(); ++n)
    parent.push_back(n);
  for (unsigned b = 0; b < blocks.size(); ++b)
    for (unsigned next : successors[blocks[b].last])
      parent[junction(2 * b)] = junction(2 * blockOf[next] + 1);
  isEmpty.assign(parent.size(), false);
  for (unsigned b = 0; b < blocks.size(); ++b) {
    Block &block = blocks[b];
    block.exit = junction(2 * b);
    block.entry = junction(2 * b + 1);
    const Item &last = items[block.last];
    if (isWord(block.last) &&
        (last.isCall || last.instruction.op == Op::Jump ||
         (target::endsFlow(last.instruction) && last.instruction.op != Op::Br)))
      isEmpty[block.exit] = true;
  }
  isEmpty[blocks.front().entry] = true;
}

//===-- One block ---------------------------------------------------------===//

/// Whether `pending` must be complete before word `item`.
bool WaitPlacement::mustWait(unsigned pending, bool sameBase,
                             unsigned item) const {
  if (!isWord(item))
    return false;
  const Instruction &word = instruction(item);
  CommandEffect effect = effectOf(instruction(pending));
  if (waitsAtOnce[pending] || items[pending].isStack || pending == item)
    return true;
  if ((xfersRead(word) & effect.fills) || (xfersWritten(word) & effect.pulls))
    return true;
  if (usesSharedState(items[item]))
    return true;
  if (!target::row(word.op).isCommand())
    return false;
  // Stack words overlap no other memory.
  if (items[item].isStack)
    return effectOf(word).fills & effect.fills;
  bool isSame = sameBase && word.a == instruction(pending).a;
  return (effectOf(word).fills & effect.fills) ||
         mustPrecede(instruction(pending), word, isSame);
}

/// The commands of `pending` that need a wait within the next few words from
/// item `from` on, or at the end of the block if it is that close.
std::vector<unsigned> WaitPlacement::dueSoon(const Block &block,
                                             const Pending &pending,
                                             unsigned from) const {
  unsigned to = std::min(block.last, from + HorizonWords - 1);
  bool seesEnd = from + HorizonWords > block.last;
  std::vector<unsigned> due;
  for (auto [command, sameBase] : pending) {
    bool isDue =
        seesEnd && agreed[block.exit] && !agreed[block.exit]->count(command);
    for (unsigned i = from; i <= to && !isDue; ++i)
      isDue = mustWait(command, sameBase, i);
    if (isDue)
      due.push_back(command);
  }
  return due;
}

void WaitPlacement::waitFor(unsigned before,
                            const std::vector<unsigned> &commands,
                            Pending &pending) {
  for (unsigned command : commands) {
    waits[before].push_back(command);
    pending.erase(command);
  }
}

/// The first word of the chain of glued words that contains `item`. A wait for
/// `item` goes before it.
unsigned WaitPlacement::chainHead(const Block &block, unsigned item) const {
  while (item > block.first && isWord(item - 1) && items[item - 1].isGlued)
    --item;
  return item;
}

void WaitPlacement::issue(unsigned item, unsigned head, Pending &pending) {
  unsigned busy = signals(item);
  for (auto [command, sameBase] : pending)
    busy += signals(command);
  if (busy > SignalsBusyMax) {
    std::vector<unsigned> all;
    for (auto [command, sameBase] : pending)
      all.push_back(command);
    waitFor(head, all, pending);
  }
  for (auto [command, sameBase] : pending)
    interference.push_back({command, item});
  pending[item] = true;
}

void WaitPlacement::forgetBases(unsigned item, Pending &pending) const {
  const Operand &dest = instruction(item).dest;
  for (auto &[command, sameBase] : pending) {
    const Operand &base = instruction(command).a;
    if (!base.isGpr() || base == dest)
      sameBase = false;
  }
}

/// Scans a block from the set of its entry junction. Returns the commands
/// pending at its end, and records the waits inside.
Pending WaitPlacement::scan(const Block &block) {
  Pending pending = *agreed[block.entry];
  for (unsigned head = block.first; head <= block.last;) {
    unsigned tail = head;
    while (tail < block.last && isWord(tail) && items[tail].isGlued)
      ++tail;
    bool isDue = false;
    for (unsigned i = head; i <= tail; ++i)
      for (auto [command, sameBase] : pending)
        isDue |= mustWait(command, sameBase, i);
    if (isDue) {
      // The chain may be longer than the horizon, so add what it needs.
      std::vector<unsigned> due = dueSoon(block, pending, head);
      for (unsigned i = head; i <= tail; ++i)
        for (auto [command, sameBase] : pending)
          if (mustWait(command, sameBase, i) &&
              std::find(due.begin(), due.end(), command) == due.end())
            due.push_back(command);
      waitFor(head, due, pending);
    }
    for (unsigned i = head; i <= tail; ++i) {
      if (isWord(i))
        forgetBases(i, pending);
      if (isCommand(i))
        issue(i, head, pending);
    }
    head = tail + 1;
  }
  return pending;
}

//===-- All blocks --------------------------------------------------------===//

/// The dataflow meet: a junction's set becomes its intersection with `exit`.
void WaitPlacement::meet(unsigned junction, const Pending &exit) {
  std::optional<Pending> &set = agreed[junction];
  if (!set) {
    set = exit;
    return;
  }
  for (auto it = set->begin(); it != set->end();) {
    auto other = exit.find(it->first);
    if (other == exit.end()) {
      it = set->erase(it);
      continue;
    }
    it->second &= other->second;
    ++it;
  }
}

/// Finds the sets of the junctions, then the waits.
void WaitPlacement::solve() {
  agreed.assign(parent.size(), std::nullopt);
  for (unsigned j = 0; j < parent.size(); ++j)
    if (isEmpty[j])
      agreed[j].emplace();
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Block &block : blocks) {
      if (!agreed[block.entry])
        continue;
      std::optional<Pending> before = agreed[block.exit];
      meet(block.exit, scan(block));
      changed |= before != agreed[block.exit];
    }
  }
  waits.clear();
  interference.clear();
  for (const Block &block : blocks) {
    if (!agreed[block.entry]) // never reached
      agreed[block.entry].emplace();
    Pending pending = scan(block);
    std::vector<unsigned> rest;
    for (auto [command, sameBase] : pending)
      if (!agreed[block.exit] || !agreed[block.exit]->count(command))
        rest.push_back(command);
    bool branches = isWord(block.last) && endsBlock(block.last);
    waitFor(branches ? chainHead(block, block.last) : block.last + 1, rest,
            pending);
  }
}

/// Assigns signals to commands. If none is free for a command, marks it and all
/// that are pending together with it to be waited for at once, and returns
/// false.
bool WaitPlacement::assignSignals() {
  std::map<unsigned, std::vector<unsigned>> rivals;
  std::vector<unsigned> commands;
  for (unsigned i = 0; i < items.size(); ++i)
    if (isCommand(i))
      commands.push_back(i);
  for (auto [x, y] : interference) {
    rivals[x].push_back(y);
    rivals[y].push_back(x);
  }
  std::fill(signalOf.begin(), signalOf.end(), 0);
  // Pairs first and from the top, because single signals begin at the bottom.
  std::sort(commands.begin(), commands.end(), [&](unsigned l, unsigned r) {
    return signals(l) != signals(r) ? signals(l) > signals(r) : l < r;
  });
  for (unsigned command : commands) {
    uint32_t taken = 1; // there is no signal 0
    for (unsigned rival : rivals[command])
      if (signalOf[rival])
        taken |= (signals(rival) == 2 ? 3u : 1u) << signalOf[rival];
    bool isPair = signals(command) == 2;
    for (unsigned n = 1; n <= SignalCount && !signalOf[command]; ++n) {
      unsigned s = isPair ? SignalCount - n : n;
      if (isPair && (s < 2 || s % 2))
        continue;
      uint32_t mask = (isPair ? 3u : 1u) << s;
      if (!(taken & mask))
        signalOf[command] = s;
    }
    if (!signalOf[command]) {
      waitsAtOnce[command] = true;
      for (unsigned rival : rivals[command])
        waitsAtOnce[rival] = true;
      return false;
    }
  }
  return true;
}

/// Whether `command` can be its own wait instead of the wait before `before`,
/// which is for this command only.
bool WaitPlacement::becomesSwap(unsigned before, unsigned command) const {
  if (signals(command) != 1 || before <= command ||
      before - command > SwapWords || items[command].isGlued)
    return false;
  for (unsigned i = command + 1; i < before; ++i)
    if (!isWord(i) || target::row(instruction(i).op).isCommand() ||
        endsBlock(i) || instruction(i).op == Op::CtxArb)
      return false;
  return true;
}

/// Whether each frequent path from `command` soon comes to one of the waits at
/// `places`, and meets no other command before.
bool WaitPlacement::waitsSoon(
    unsigned command, const std::set<unsigned> &places,
    const std::vector<std::vector<uint32_t>> &successors) const {
  std::set<unsigned> seen{command};
  std::vector<std::pair<unsigned, unsigned>> work{{command, 0}};
  while (!work.empty()) {
    auto [from, distance] = work.back();
    work.pop_back();
    for (unsigned item : successors[from]) {
      const bool isRare =
          isWord(item) &&
          items[item].frequency < RareShare * items[command].frequency;
      if (isRare || places.count(item) || !seen.insert(item).second)
        continue;
      const unsigned next = distance + isWord(item);
      if (next > SwapWords || isCommand(item) ||
          (isWord(item) && instruction(item).op == Op::CtxArb))
        return false;
      work.push_back({item, next});
    }
  }
  return true;
}

/// The commands that can be their own waits instead of all waits for them,
/// which are for one command only.
std::set<unsigned> WaitPlacement::swapsAhead() const {
  std::map<unsigned, std::set<unsigned>> places;
  std::set<unsigned> shared;
  for (const auto &[before, commands] : waits)
    for (unsigned command : commands) {
      places[command].insert(before);
      if (commands.size() > 1)
        shared.insert(command);
    }
  const auto successors = flowGraphOf(program).successorsThroughCalls();
  std::set<unsigned> swaps;
  for (const auto &[command, at] : places)
    if (signals(command) == 1 && !items[command].isGlued &&
        !shared.count(command) && waitsSoon(command, at, successors))
      swaps.insert(command);
  return swaps;
}

void WaitPlacement::insert() {
  for (unsigned i = 0; i < items.size(); ++i)
    if (isCommand(i)) {
      KARAKAL_ASSERT(items[i].instruction.signal == 0 &&
                         !items[i].instruction.ctxSwap,
                     "commands have no signals before their waits are placed");
      KARAKAL_ASSERT(signalOf[i] != 0, "every command has found a signal");
      items[i].instruction.signal = uint8_t(signalOf[i]);
    }
  std::vector<Item> placed;
  std::map<unsigned, uint16_t> masks;
  const std::set<unsigned> ahead = swapsAhead();
  for (unsigned command : ahead) {
    items[command].instruction.ctxSwap = true;
    ++statistics.swaps;
  }
  for (const auto &[before, commands] : waits) {
    if (commands.size() == 1 && ahead.count(commands[0]))
      continue;
    if (commands.size() == 1 && becomesSwap(before, commands[0])) {
      items[commands[0]].instruction.ctxSwap = true;
      ++statistics.swaps;
      continue;
    }
    uint16_t mask = 0;
    for (unsigned command : commands)
      mask |= uint16_t((signals(command) == 2 ? 3u : 1u) << signalOf[command]);
    if (mask) {
      masks[before] = mask;
      ++statistics.waits;
    }
  }
  for (unsigned i = 0; i <= items.size(); ++i) {
    auto found = masks.find(i);
    if (found != masks.end()) {
      Item wait;
      const Item &near = items[i ? i - 1 : 0];
      wait.function = near.function;
      wait.frequency =
          i < items.size() && isWord(i) ? items[i].frequency : near.frequency;
      wait.line = i < items.size() && isWord(i) ? items[i].line : near.line;
      wait.instruction = target::ctxArb(found->second);
      placed.push_back(wait);
    }
    if (i < items.size())
      placed.push_back(items[i]);
  }
  items = std::move(placed);
}

void WaitPlacement::run() {
  if (items.empty())
    return;
  findBlocks();
  do
    solve();
  while (!assignSignals());
  for (unsigned i = 0; i < items.size(); ++i)
    statistics.commands += isCommand(i);
  insert();
}

} // namespace

WaitStatistics placeWaits(WordProgram &program) {
  WaitStatistics statistics;
  WaitPlacement(program, statistics).run();
  return statistics;
}

} // namespace karakal::codegen
