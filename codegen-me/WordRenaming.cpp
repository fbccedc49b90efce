//===- WordRenaming.cpp - transfer registers in turn ----------------------===//
//
// Register allocation gives each command the first free run of transfer
// registers, so that the next command soon refills what the last one has read
// and its words must be copied. Taking runs in turn keeps them in place:
//
//   sram[read, $0, a1, 0, 2]           sram[read, $0, a1, 0, 2]
//   alu[b0, --, B, $0]                 alu[b0, --, B, $0]
//   alu[b1, --, B, $1]                 alu[b1, --, B, $1]
//   sram[read, $0, a2, 0, 2]     ->    sram[read, $2, a2, 0, 2]
//   alu[b2, --, B, $0]                 alu[b2, --, B, $2]
//
// and forwarding makes the first copies unnecessary. Likewise a write can be
// prepared while another one is under way.
//
// Who fills or writes each register before each word is computed before and
// after; if any reader would find another one's value, nothing is renamed.
//
//===----------------------------------------------------------------------===//

#include "codegen-me/FlowGraph.h"

#include "target-ixp/InstructionTable.h"

#include <algorithm>
#include <array>
#include <map>

namespace karakal::codegen {
namespace {

using target::Instruction;
using target::Operand;
using target::XferUse;

constexpr unsigned InTurn = 15; ///< registers 0..14; 15 moves stack words

/// Slots of the analysis: S in, D in, S out, D out, 16 each.
constexpr unsigned SlotCount = 64;
constexpr unsigned OutSlots = 32;

int slotOf(const Operand &o, bool isOut) {
  unsigned base = isOut ? OutSlots : 0;
  if (o.kind == Operand::Kind::SXfer)
    return int(base + (o.value & 15));
  if (o.kind == Operand::Kind::DXfer)
    return int(base + 16 + (o.value & 15));
  return -1;
}

/// The item that made what is in each register.
using Makers = std::array<int, SlotCount>;
enum : int { Unreached = -3, Several = -2, Nobody = -1 };

unsigned wordsOf(const Instruction &command) {
  return std::max<unsigned>(command.count, 1) *
         target::row(command.op).unitBytes / 4;
}

class Renaming {
public:
  explicit Renaming(WordProgram &program)
      : program(program), items(program.items) {}
  void run();

private:
  bool isWord(unsigned i) const { return items[i].kind == Item::Kind::Word; }
  const target::InstructionRow &row(unsigned i) const {
    return target::row(items[i].instruction.op);
  }
  bool isRenamed(unsigned i) const {
    return isWord(i) && row(i).isCommand() && !items[i].isStack &&
           !items[i].instruction.indirectRef &&
           (row(i).xfer == XferUse::In || row(i).xfer == XferUse::Out) &&
           slotOf(items[i].instruction.xfer, false) >= 0;
  }
  std::vector<Makers> makers() const;
  /// What each word reads: item and operand number, to the maker.
  std::map<std::pair<unsigned, unsigned>, int> readers() const;
  void choose();
  void renameReaders();
  bool renameWriters(unsigned command, unsigned from, unsigned to);

  WordProgram &program;
  std::vector<Item> &items;
  std::map<unsigned, unsigned> start; ///< of renamed commands
};

std::vector<Makers> Renaming::makers() const {
  Makers unreached, start;
  unreached.fill(Unreached);
  start.fill(Nobody);
  auto step = [&](unsigned index, Makers state) {
    if (!isWord(index))
      return state;
    const Instruction &i = items[index].instruction;
    const target::InstructionRow &r = row(index);
    int first = slotOf(i.xfer, false);
    if (r.isCommand() && first >= 0 &&
        (r.xfer == XferUse::In || r.xfer == XferUse::InOut))
      for (unsigned k = 0; k < wordsOf(i); ++k)
        state[(first + k) % SlotCount] = int(index);
    if (int slot = slotOf(i.dest, true); slot >= 0)
      state[slot] = int(index);
    return state;
  };
  auto meet = [](Makers &into, const Makers &from) {
    bool changed = false;
    for (unsigned s = 0; s < SlotCount; ++s) {
      int result = into[s] == Unreached                         ? from[s]
                   : from[s] == Unreached || from[s] == into[s] ? into[s]
                                                                : int(Several);
      changed |= result != into[s];
      into[s] = result;
    }
    return changed;
  };
  return flowForward<Makers>(program, unreached, start, step, meet);
}

std::map<std::pair<unsigned, unsigned>, int> Renaming::readers() const {
  std::vector<Makers> before = makers();
  std::map<std::pair<unsigned, unsigned>, int> found;
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isWord(i))
      continue;
    const Instruction &instruction = items[i].instruction;
    const Operand *sources[] = {&instruction.a, &instruction.b};
    for (unsigned n = 0; n < 2; ++n)
      if (int slot = slotOf(*sources[n], false); slot >= 0)
        found[{i, n}] = before[i][slot];
    int first = slotOf(instruction.xfer, true);
    if (row(i).isCommand() && first >= 0 && row(i).xfer != XferUse::In)
      for (unsigned k = 0; k < wordsOf(instruction); ++k)
        found[{i, 2 + k}] = before[i][first + k];
  }
  return found;
}

/// Runs in turn, each of the four files for itself.
void Renaming::choose() {
  unsigned next[4] = {0, 0, 0, 0};
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isRenamed(i))
      continue;
    const Instruction &command = items[i].instruction;
    unsigned file = (command.xfer.isDXfer() ? 1 : 0) +
                    (row(i).xfer == XferUse::Out ? 2 : 0);
    unsigned words = wordsOf(command);
    if (words > InTurn)
      continue;
    if (next[file] + words > InTurn)
      next[file] = 0;
    start[i] = next[file];
    next[file] += words;
  }
}

/// In-registers of renamed commands, wherever they are read.
void Renaming::renameReaders() {
  std::vector<Makers> before = makers();
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isWord(i))
      continue;
    Instruction &use = items[i].instruction;
    for (Operand *source : {&use.a, &use.b}) {
      int slot = slotOf(*source, false);
      auto maker = slot < 0 ? start.end() : start.find(before[i][slot]);
      if (maker == start.end())
        continue;
      const Instruction &command = items[maker->first].instruction;
      source->value =
          uint16_t(source->value - command.xfer.value + maker->second);
    }
  }
}

/// The words before a command that write its run; false if they are not all
/// in its block.
bool Renaming::renameWriters(unsigned command, unsigned from, unsigned to) {
  const Instruction &pulls = items[command].instruction;
  std::vector<unsigned> writers;
  uint32_t missing = (1u << wordsOf(pulls)) - 1;
  for (unsigned i = command; missing && i-- > 0;) {
    if (!isWord(i) || row(i).isBranch())
      return false;
    const Operand &dest = items[i].instruction.dest;
    unsigned k = dest.value - from;
    if (dest.kind != pulls.xfer.kind || dest.value < from || k > 15 ||
        !(missing >> k & 1))
      continue;
    missing &= ~(1u << k);
    writers.push_back(i);
  }
  if (missing)
    return false;
  for (unsigned i : writers) {
    Operand &dest = items[i].instruction.dest;
    dest.value = uint16_t(dest.value - from + to);
  }
  return true;
}

void Renaming::run() {
  auto expected = readers();
  const std::vector<Item> original = items;
  choose();
  renameReaders();
  for (auto [command, to] : start) {
    Operand &run = items[command].instruction.xfer;
    if (row(command).xfer == XferUse::In ||
        renameWriters(command, run.value, to))
      run.value = uint16_t(to);
  }
  if (readers() != expected)
    items = original;
}

} // namespace

void renameTransfers(WordProgram &program) {
  if (!program.items.empty())
    Renaming(program).run();
}

} // namespace karakal::codegen
