// Words and labels before addresses.
//
// The program between the last machine pass and the final words: a list of
// instructions and labels, in which branches name labels and stack words have
// numbers. The passes over it, in order:
//
//   forwardMoves    moves through registers and tests that are not needed go
//   dropPointerWrites  pointer writes that change nothing go
//   placeWaits      commands get signals; waits for these, late and together
//   placeWindows    a stack word beyond the first window needs the second
//                   local-memory pointer set; sets it where it may differ
//   fillPointerSlots  moves words between a pointer's write and its first use
//   fillDelaySlots  moves words behind the branch they precede
//   padPointers     nops between a pointer's write and its first use
//   resolve         labels to addresses, instructions to 40-bit words

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H

#include "codegen-me/machine/FramePlan.h"

#include "support/Error.h"
#include "target-ixp/image/Microcode.h"
#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/table/Instruction.h"

#include <string>
#include <vector>

namespace karakal::codegen {

/// A label or a word.
struct Item {
  enum class Kind : uint8_t { Word, Label };
  Kind kind = Kind::Word;
  target::Instruction instruction;
  /// Label: its number. Word: the label whose address goes into the branch
  /// target (or, of an immed, into the literal); 0 = none.
  unsigned label = 0;
  /// The next word must follow this one directly.
  bool isGlued = false;
  /// The word is a delay slot of a branch before it.
  bool isSlot = false;
  /// A branch that returns behind itself: its label is a function.
  bool isCall = false;
  /// A command that moves a stack word: complete before the next word.
  bool isStack = false;
  /// Stack window 1, 2 that *l$index1 must show here; 0 = any.
  uint8_t window = 0;
  /// A write of that pointer: the stack window it shows from then on, or 0.
  uint8_t shows = 0;
  /// What is written here is the address that *l$index1 shows from then on.
  bool isShown = false;
  unsigned function = 0; ///< index into WordProgram::functions
  uint32_t line = 0;     ///< index into WordProgram::places; 0 = unknown
  float frequency = 0;   ///< executions, see Frequencies.h
  float taken = 0;       ///< those in which a branch is taken
  /// Label: the loop that begins here (its word is not yet known), or depth 0.
  target::LoopHead loop;
};

class WordProgram {
public:
  unsigned newLabel() { return ++labelCount; }
  /// Appends a word.
  Item &add(const target::Instruction &instruction) {
    Item item;
    item.instruction = instruction;
    item.function = currentFunction;
    item.line = currentLine;
    item.frequency = currentFrequency;
    items.push_back(item);
    return items.back();
  }
  /// Appends a word that refers to a label.
  Item &add(const target::Instruction &instruction, unsigned label) {
    Item &item = add(instruction);
    item.label = label;
    return item;
  }
  Item &bind(unsigned label) {
    Item item;
    item.kind = Item::Kind::Label;
    item.label = label;
    item.function = currentFunction;
    items.push_back(item);
    return items.back();
  }
  unsigned words() const;

  std::vector<Item> items;
  std::vector<std::string> functions;
  std::vector<target::SourceLine> places{{}};
  std::vector<target::SourceFunction> sources; ///< by file and line
  unsigned currentFunction = 0;
  uint32_t currentLine = 0;
  float currentFrequency = 0;
  unsigned labelCount = 0;
};

void forwardMoves(WordProgram &program);

/// Commands that raise signals; waits by ctx_arb; commands with ctx_swap.
struct WaitStatistics {
  unsigned commands = 0, waits = 0, swaps = 0;
};
/// Gives the program's commands signals and waits; they have none before.
WaitStatistics placeWaits(WordProgram &program);
void dropPointerWrites(WordProgram &program);
void placeWindows(WordProgram &program, const StackPlan &plan);
/// These return the number of slots filled.
unsigned fillPointerSlots(WordProgram &program);
unsigned fillDelaySlots(WordProgram &program);
void padPointers(WordProgram &program);

/// Where control goes between the items; node i is `program.items[i]`.
target::FlowGraph flowGraphOf(const WordProgram &program);

/// Addresses and words; refuses a program of more than `maxWords`
/// (E-codegen-me-020, with the functions by size).
Result<target::Microcode> resolve(const WordProgram &program,
                                  unsigned maxWords);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H
