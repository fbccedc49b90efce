// Which value each local variable has, in the order of the source.
//
// LLVM says in the machine code where a variable lies from here on (DBG_VALUE).
// Passes move, rename and remove words later, so places and positions do not
// last. What lasts is which word makes the value, and at which words of the
// source the variable has it. Both are found here, before any pass:
//
//     1  alu[a3, a1, +, b2]
//     -  x: a3                  x is what word 1 makes
//     2  beq[else#]
//     3  alu[a3, --, B, b1]     x is still that, wherever it is now
//     -  x: a3                  x is what word 3 makes
//        else#:                 x is either of them, by the path
//
// The basic blocks are those of the words.

#ifndef KARAKAL_CODEGEN_ME_WORDS_VARIABLES_SOURCEVALUES_H
#define KARAKAL_CODEGEN_ME_WORDS_VARIABLES_SOURCEVALUES_H

#include "codegen-me/words/variables/ValuePlaces.h"

#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace karakal::codegen {

/// 32 bits of a value.
struct SourceValue {
  enum class Kind {
    Constant, ///< `place` says which
    Made,     ///< by the word `maker`
    Argument, ///< in `place` where its function begins
    Joined,   ///< one of `from`, by the block from which control comes
  };
  Kind kind = Kind::Constant;
  target::ValuePart place;
  uint32_t block = 0; ///< where it is made
  unsigned maker = 0; ///< an Item::origin
  /// Values by the block before; 0 where it is unknown.
  std::map<uint32_t, uint32_t> from;
};

class SourceValues {
public:
  /// 32 bits of a variable, in one inlined call of its function.
  struct Part {
    uint32_t variable, instance;
    unsigned number;
    bool operator<(const Part &o) const {
      return std::tie(variable, instance, number) <
             std::tie(o.variable, o.instance, o.number);
    }
  };
  struct Given {
    uint32_t value = 0; ///< index into values()
    /// Where it is, until a word writes there.
    target::ValuePart place;
  };
  /// A part that is missing has no known value.
  using State = std::map<Part, Given>;

  static constexpr uint32_t noBlock = std::numeric_limits<uint32_t>::max();

  struct Block {
    unsigned first = 0, last = 0; ///< origins of its items
    std::set<uint32_t> before;    ///< the blocks from which control comes
    bool beginsFunction = false;
  };

  /// Numbers the items of a program that no pass has changed, Item::origin.
  explicit SourceValues(WordProgram &program);

  /// Value 0 is none.
  const std::vector<SourceValue> &values() const { return all; }
  const std::vector<Block> &blocks() const { return blockList; }
  /// The block of an item, or noBlock.
  uint32_t blockOf(unsigned origin) const;
  /// The values before an item.
  State before(unsigned origin) const;
  /// Whether LLVM has moved an item over a change of a variable: by its line,
  /// the item is before what has made the value, or after what makes the next.
  bool isOutOfOrder(unsigned origin, const Part &part, uint32_t value) const;

private:
  void findBlocks();
  void takeMarks();
  uint32_t valueOf(const ValueMark &mark);
  /// The value at a place after the items of a block up to `origin`.
  uint32_t find(const target::ValuePart &place, uint32_t block,
                unsigned origin);
  uint32_t atEntry(const target::ValuePart &place, uint32_t block);
  uint32_t atEnd(const target::ValuePart &place, uint32_t block) {
    return find(place, block, blockList[block].last);
  }
  uint32_t madeBy(unsigned origin, const target::ValuePart &place);
  uint32_t add(SourceValue value);
  /// Joined values that are always the same value are that value.
  void simplify();
  uint32_t simple(uint32_t number) const {
    return number < simplified.size() ? simplified[number] : number;
  }
  void findStates();
  State enter(uint32_t block, const State &state) const;
  void findOrder();
  /// The line of the word that makes a value, the last of them if it is joined;
  /// 0 = unknown.
  uint32_t lineOf(const SourceValue &value) const;
  uint32_t lineOf(const Item &item) const {
    return program.sourceLines[item.line].line;
  }
  /// Whether a loop that begins in a line of its own, `line`, has both blocks:
  /// its step is in that line.
  bool isStep(uint32_t line, uint32_t instance, uint32_t from,
              uint32_t to) const;
  /// Executes an item, with what the marks after it say.
  void step(State &state, unsigned origin) const;

  /// A register or stack word.
  using Place = std::pair<target::ValuePart::Kind, uint32_t>;

  const WordProgram &program;
  const std::vector<Item> items; ///< as no pass has changed them
  const target::FlowGraph graph;
  FunctionWrites written;
  std::vector<uint32_t> blocksOfItems;
  std::vector<Block> blockList;
  std::vector<SourceValue> all{{}};
  std::map<std::pair<unsigned, Place>, uint32_t> made;    ///< by maker
  std::map<std::pair<uint32_t, Place>, uint32_t> entered; ///< by block
  std::vector<uint32_t> simplified;                       ///< by value
  /// The values of the marks, by the item that each follows.
  std::multimap<unsigned, std::pair<Part, Given>> marks;
  std::map<Part, std::vector<std::pair<unsigned, Given>>> marksOfParts;
  std::vector<State> entryStates; ///< by block
  /// By block: the blocks to which control comes from it without a branch back.
  std::vector<std::set<uint32_t>> ahead;
  struct Loop {
    uint32_t first, last;                ///< blocks
    std::map<uint32_t, uint32_t> begins; ///< its first line, by instance
  };
  std::vector<Loop> loops;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_VARIABLES_SOURCEVALUES_H
