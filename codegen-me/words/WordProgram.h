// A program of words and labels, before addresses are known.
//
// The form of the program between the last machine pass and the final words: a
// list of instructions and labels. Branches name labels. The passes over it, in
// order:
//
//   forwardMoves       removes needless moves through registers and needless
//                      tests
//   writeInPlace       lets the words that compute a value on several paths
//                      write its transfer register
//   mergeCopies        lets a word that changes serve as its own copy
//   mergeParts         merges low bytes or halves on the way to a transfer
//                      register
//   parkWords          moves constant words to their transfer register once
//   rotateLoops        puts the last block of a loop before the first
//   moveDetours        lets the frequent path to a label fall through
//   dropPointerWrites  removes pointer writes that change nothing
//   placeWaits         assigns signals to commands and inserts waits
//   placeWindows       sets the second local-memory pointer before stack words
//                      beyond the first window, if it may point elsewhere
//   fillPointerSlots   moves words between a pointer write and its first use
//   fillDelaySlots     moves words into the delay slots of the branch after
//                      them
//   padPointers        adds nops between a pointer write and its first use
//   resolve            turns labels into addresses and instructions into words

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H

#include "codegen-me/machine/FramePlan.h"

#include "support/Error.h"
#include "target-ixp/image/Microcode.h"
#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/table/Instruction.h"

#include <map>
#include <set>
#include <string>
#include <utility>
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
  /// The word is a call: its label is a function, which returns to the next
  /// word.
  bool isCall = false;
  /// The word is a command that moves a stack word. It must be complete before
  /// the next word.
  bool isStack = false;
  /// Stack window 1 or 2 that *l$index1 must point to here; 0 = any.
  uint8_t window = 0;
  /// For a write of that pointer, the stack window that it then points to, or
  /// 0.
  uint8_t pointsTo = 0;
  /// The word writes the address that *l$index1 points to into its destination.
  bool isPointerAddress = false;
  unsigned function = 0; ///< index into WordProgram::functions
  uint32_t line = 0;     ///< index into WordProgram::sourceLines; 0 = unknown
  uint32_t instance = 0; ///< the call that is inlined, 0 = none
  float frequency = 0;   ///< executions, see Frequencies.h
  float taken = 0;       ///< executions that take the branch
  /// For a label, the loop that begins here (its word is not known yet); depth
  /// 0 if none.
  target::LoopHead loop;
  /// The marks of the word's basic block, an index into WordProgram::marks.
  unsigned marks = 0;
  /// Its number among the items before all passes (SourceValues.h), from 1 on;
  /// 0 = not numbered. Copies have the same.
  unsigned origin = 0;
  /// A pass lets the word compute something else than before.
  bool makesAnother = false;
};

/// Says that a part of a variable has a value from here on (SourceValues.h).
struct ValueMark {
  uint32_t variable = 0; ///< index into WordProgram::variables
  /// Part 0 of `parts` is the most significant.
  uint8_t part = 0, parts = 1;
  target::ValuePart place; ///< where it is; kind None: not known
  unsigned after = 0;      ///< the number of items before the mark
  uint32_t instance = 0;   ///< the call that is inlined, 0 = none
};

inline bool isWord(const Item &item) { return item.kind == Item::Kind::Word; }

class WordProgram {
public:
  unsigned newLabel() { return ++labelCount; }
  /// Appends a word.
  Item &add(const target::Instruction &instruction) {
    Item item;
    item.instruction = instruction;
    item.function = currentFunction;
    item.line = currentLine;
    item.instance = currentInstance;
    item.frequency = currentFrequency;
    item.marks = marks.size() - 1;
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
  std::vector<target::SourceLine> sourceLines{{}};
  std::vector<target::SourceFunction> sources; ///< by file and line
  /// The marks of basic blocks, in their order; those of the last one are
  /// current.
  std::vector<std::vector<target::PathMark>> marks{{}};
  std::vector<target::Variable> variables;
  std::vector<ValueMark> values; ///< in their order
  /// How many values LLVM IR gives to a variable in an inlined call (or 0).
  std::map<std::pair<uint32_t, uint32_t>, size_t> valueCounts;
  unsigned currentFunction = 0;
  uint32_t currentLine = 0;
  uint32_t currentInstance = 0;
  float currentFrequency = 0;
  unsigned labelCount = 0;
};

/// The labels that words name. No branch leads to another label.
std::set<unsigned> namedLabels(const std::vector<Item> &items);

void forwardMoves(WordProgram &program);
/// These return the number of rewrites.
unsigned writeInPlace(WordProgram &program);
unsigned mergeCopies(WordProgram &program);
unsigned mergeParts(WordProgram &program);
unsigned parkWords(WordProgram &program);
unsigned rotateLoops(WordProgram &program);
unsigned moveDetours(WordProgram &program);

/// Counts of commands that raise signals, ctx_arb waits, and commands with
/// ctx_swap.
struct WaitStatistics {
  unsigned commands = 0, waits = 0, swaps = 0;
};
/// Gives all commands signals and waits. They must have none yet.
WaitStatistics placeWaits(WordProgram &program);
void dropPointerWrites(WordProgram &program);
void placeWindows(WordProgram &program, const StackPlan &plan);
/// These return the number of slots filled.
unsigned fillPointerSlots(WordProgram &program);
unsigned fillDelaySlots(WordProgram &program);
void padPointers(WordProgram &program);

/// The control flow between the items; node i is `program.items[i]`.
target::FlowGraph flowGraphOf(const WordProgram &program);

/// Assigns addresses and encodes the words. Errors: E-codegen-me-020 (more than
/// `maxWords`; lists the largest functions).
Result<target::Microcode> resolve(const WordProgram &program,
                                  unsigned maxWords);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDPROGRAM_H
