// Comments on the words of a program, for `--emit=asm`.
//
// Each word has a note:
//
//   ctx_arb[s14, s15]     ; 23: 1+2 cycles; waits for dram[read] of 21; live
//                           a0-a3 b1; router.baker:40
//
// Cycles are issue cycles: one per word and, after a plus, the unfilled slots
// of a swap or of a taken branch. Time in memory is not included. "live" lists
// the live-out general-purpose registers.

#include "codegen-me/words/Annotation.h"

#include "codegen-me/words/WordLiveness.h"

#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {
namespace {

using target::Instruction;
using target::Op;

constexpr unsigned SignalCount = 16;

/// "a0-a3 b1"
std::string registersOf(GprSet set) {
  std::string text;
  for (unsigned bank = 0; bank < 2; ++bank)
    for (unsigned n = 0; n < 16; ++n) {
      auto has = [&](unsigned r) {
        return r < 16 && (set >> (16 * bank + r) & 1);
      };
      if (!has(n))
        continue;
      unsigned last = n;
      while (has(last + 1))
        ++last;
      auto name = [&](unsigned r) {
        return (bank ? "b" : "a") + std::to_string(r);
      };
      text += (text.empty() ? "" : " ") + name(n);
      if (last > n)
        text += "-" + name(last);
      n = last;
    }
  return text.empty() ? "none" : text;
}

std::string cyclesOf(const Instruction &i) {
  const target::InstructionRow &row = target::row(i.op);
  bool swaps = i.ctxSwap || i.op == Op::CtxArb;
  unsigned slots = swaps            ? target::row(Op::CtxArb).slots
                   : row.isBranch() ? row.slots
                                    : 0;
  std::string text = "1";
  if (slots > i.defer)
    text += "+" + std::to_string(slots - i.defer);
  if (text == "1")
    return "1 cycle";
  bool isSure = swaps || i.op == Op::Br || i.op == Op::Jump;
  return text + (isSure ? " cycles" : " cycles if taken");
}

/// Describes the commands that a word waits for: for each signal, the last
/// command before it that raises the signal.
class Waits {
public:
  std::string of(const Instruction &i, unsigned address) {
    uint32_t mask = i.ctxSwap            ? 1u << i.signal
                    : i.op == Op::CtxArb ? i.signalMask & ~1u
                                         : 0;
    if (i.signal) {
      raisedBy[i.signal] = {&i, address};
      if (target::row(i.op).signals == 2 && i.signal + 1u < SignalCount)
        raisedBy[i.signal + 1] = {nullptr, address};
    }
    if (i.ctxSwap)
      return "waits until it is done";
    std::string text;
    for (unsigned s = 1; s < SignalCount; ++s) {
      if (!(mask >> s & 1))
        continue;
      auto [command, at] = raisedBy[s];
      if (!command && at)
        continue; // the second signal of a pair
      text += text.empty() ? "waits for " : ", ";
      if (!command) {
        text += "signal " + std::to_string(s);
        continue;
      }
      const target::InstructionRow &row = target::row(command->op);
      text += std::string(row.mnemonic) +
              (*row.variant ? std::string("[") + row.variant + "]" : "") +
              " of " + std::to_string(at);
    }
    return text;
  }

private:
  std::pair<const Instruction *, unsigned> raisedBy[SignalCount] = {};
};

/// The frequency of a word relative to that of the most frequent one.
std::string shareOf(float frequency, float most) {
  if (frequency >= most)
    return "";
  char text[32];
  std::snprintf(text, sizeof(text), " x %.2g", double(frequency / most));
  return text;
}

} // namespace

std::vector<std::string> annotate(const WordProgram &program) {
  std::vector<GprSet> out = liveOut(program);
  std::vector<std::string> notes;
  Waits waits;
  uint32_t line = 0;
  float most = 0;
  for (const Item &item : program.items)
    most = std::max(most, item.frequency);
  for (unsigned i = 0; i < program.items.size(); ++i) {
    const Item &item = program.items[i];
    if (item.kind == Item::Kind::Label)
      continue;
    unsigned address = notes.size();
    std::string note = std::to_string(address) + ": " +
                       cyclesOf(item.instruction) +
                       shareOf(item.frequency, most);
    if (std::string wait = waits.of(item.instruction, address); !wait.empty())
      note += "; " + wait;
    note += "; live " + registersOf(out[i]);
    const target::SourceLine &source = program.sourceLines[item.line];
    if (item.line != line && source.line)
      note += "; " + source.file + ":" + std::to_string(source.line);
    line = item.line;
    notes.push_back(note);
  }
  return notes;
}

std::string withNotes(const std::string &text,
                      const std::vector<std::string> &notes) {
  constexpr size_t Column = 56;
  std::string result;
  size_t word = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end;
    std::string row = text.substr(at, end - at);
    // Words are indented, labels are not.
    if (row.compare(0, 4, "    ") == 0 && word < notes.size()) {
      row.resize(std::max(row.size() + 1, Column), ' ');
      row += "; " + notes[word++];
    }
    result += row + "\n";
    at = end + 1;
  }
  return result;
}

} // namespace karakal::codegen
