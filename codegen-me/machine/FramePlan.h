// Places frame objects on the stacks.
//
// Every frame object has a fixed address on the stack of a context: the call
// graph has no cycles, and two objects are live together only if they belong to
// one function or if the function of one calls that of the other directly or
// indirectly. The stack has three zones. The last one continues in SRAM if it
// does not fit into local memory:
//
//   system words | objects that pointers reach | spilled registers, arguments
//
// In each zone, the most used objects come first (section 5.4 of the paper). An
// object takes the first words that no more used object that is live with it
// has taken.

#ifndef KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H
#define KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H

#include "codegen-me/machine/Frequencies.h"

#include "support/Error.h"

#include "target-ixp/chip/ChipParameters.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class MachineFunction;
class MachineModuleInfo;
} // namespace llvm

namespace karakal::codegen {

constexpr unsigned WindowWords = 16;     ///< reach of one pointer
constexpr unsigned StackWordsMax = 48;   ///< local memory of one context
constexpr unsigned SramChunkBytes = 128; ///< reach of a command's literal
constexpr unsigned SramChunksDirect = 4; ///< chunks with address system words

/// The word of each frame object, counted from the end of the system words.
class FrameMap {
public:
  /// `frequencies` tell which objects are used most.
  FrameMap(const CallOrder &order, llvm::MachineModuleInfo &machine,
           const BlockFrequencies &frequencies);

  /// Word of frame index `index`; negative indices are incoming arguments.
  unsigned wordOf(const llvm::Function *function, int index) const;
  /// First word of a function's incoming stack arguments.
  unsigned argumentsOf(const llvm::Function *function) const {
    return objects + argumentBase.lookup(function);
  }
  unsigned words() const { return objects + slots; }
  /// Size of the zone that must be in local memory.
  unsigned objectWords() const { return objects; }

private:
  /// A frame object, or the incoming arguments of a function.
  struct Item {
    const llvm::Function *function;
    int index; ///< frame index of the object; -1: the arguments
    unsigned words;
    bool isSlot; ///< in the last zone
    double uses;
  };
  void collect(llvm::MachineFunction &function,
               const BlockFrequencies &frequencies, std::vector<Item> &items);
  void place(const CallOrder &order, const std::vector<Item> &items);
  void check(const CallOrder &order, const std::vector<Item> &items) const;

  llvm::DenseMap<const llvm::Function *, unsigned> argumentBase;
  /// By frame index: the word within the object zone or the slot zone.
  struct Position {
    unsigned word = 0;
    bool isSlot = false;
  };
  llvm::DenseMap<const llvm::Function *, std::vector<Position>> positions;
  unsigned objects = 0, slots = 0;
};

/// The stack of one context in local memory (words) and beyond.
struct StackPlan {
  unsigned words = 0;                  ///< total, including the system words
  unsigned localWords = StackWordsMax; ///< in local memory: whole windows
  unsigned systemWords = 0;            ///< at the start; they hold addresses
  int baseWord = -1;                   ///< holds the stack's byte address
  int windowWord[3] = {-1, -1, -1};    ///< holds the address of window 1, 2
  int sramWord = -1;       ///< first word that holds an SRAM address
  int saveWord = -1;       ///< saves a register that far accesses need
  unsigned sramChunks = 0; ///< chunks of SramChunkBytes in SRAM
};

/// The part of the stacks in SRAM.
struct SramStack {
  uint32_t base = 0;         ///< byte address
  uint32_t contextBytes = 0; ///< size for one context, a power of two
  uint32_t clusterEngines = 0;
};

/// Decides which addresses the system words of each stack hold.
/// `needsBase`: some code computes addresses of stack objects.
/// `movesPointer`: some code uses the second pointer for other data.
/// `programWords`: words of local memory that the program uses itself.
/// Errors: E-codegen-me-021 (objects do not fit into local memory).
Result<StackPlan> planStack(const FrameMap &frames, bool needsBase,
                            bool movesPointer, unsigned programWords);

/// Places stacks in SRAM. Errors: E-codegen-me-022 (they do not fit).
Result<SramStack> placeSramStack(const StackPlan &plan,
                                 const target::ChipParameters &chip);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H
