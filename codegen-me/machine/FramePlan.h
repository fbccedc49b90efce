// Places frame objects on the stacks.
//
// Every frame object has a fixed address on the stack of a context: the call
// graph has no cycles, and only objects of one function, or of two functions
// one of which calls the other directly or indirectly, are live together. The
// stack has three zones,
//
//   system words | objects that pointers reach | spilled registers, arguments
//
// and the last one may continue in SRAM where local memory ends. In each zone,
// the most used objects come first (section 5.4 of the paper): an object takes
// the first words that are free of more used objects that are live with it.

#ifndef KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H
#define KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H

#include "codegen-me/machine/Frequencies.h"

#include "support/Error.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class MachineFunction;
class MachineModuleInfo;
} // namespace llvm

namespace karakal::codegen {

constexpr unsigned WindowWords = 16;     ///< that one pointer reaches
constexpr unsigned StackWords = 48;      ///< of local memory, per context
constexpr unsigned SramChunkBytes = 128; ///< reach of a command's literal
constexpr unsigned SramChunksDirect = 4; ///< whose addresses are system words

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
    int index; ///< of the frame object; -1: the arguments
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
  struct Place {
    unsigned word = 0;
    bool isSlot = false;
  };
  llvm::DenseMap<const llvm::Function *, std::vector<Place>> places;
  unsigned objects = 0, slots = 0;
};

/// The stack of one context in local memory (words) and beyond.
struct StackPlan {
  unsigned words = 0;               ///< in all, with the system words
  unsigned systemWords = 0;         ///< at the start, for addresses
  int baseWord = -1;                ///< holds the stack's byte address
  int windowWord[3] = {-1, -1, -1}; ///< holds that of window 1, 2
  int sramWord = -1;                ///< first of those with SRAM addresses
  int saveWord = -1;                ///< saves a register that far accesses need
  unsigned sramChunks = 0;          ///< of SramChunkBytes
};

/// The part of the stacks in SRAM.
struct SramStack {
  uint32_t base = 0;         ///< byte address
  uint32_t contextBytes = 0; ///< of one context, a power of two
};

/// Decides which addresses the system words of each stack hold.
/// `needsBase`: some code computes addresses of stack objects.
/// `movesPointer`: some code uses the second pointer for other data.
/// Errors: E-codegen-me-021 (objects do not fit into local memory).
Result<StackPlan> planStack(const FrameMap &frames, bool needsBase,
                            bool movesPointer);

/// Places stacks in SRAM. Errors: E-codegen-me-022 (they do not fit).
Result<SramStack> placeSramStack(const StackPlan &plan, uint32_t base,
                                 uint32_t bytes);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_MACHINE_FRAMEPLAN_H
