// The division of an engine's local memory.
//
// MemoryMap.h divides it between the cache lines of the CAM's entries and the
// stacks of the contexts. A program that keeps local arrays there needs more
// words itself; the stacks are then smaller by whole windows, down to one.

#ifndef KARAKAL_TARGET_IXP_CHIP_LOCALMEMORY_H
#define KARAKAL_TARGET_IXP_CHIP_LOCALMEMORY_H

#include "target-ixp/chip/MemoryMap.h"

namespace karakal::target {

/// The reach of a pointer register with a literal offset.
constexpr uint32_t StackWindowWords = CacheLineWords;
/// The most words that leave each context a stack.
constexpr uint32_t ProgramLocalWordsMax =
    LocalMemoryWords - StackWindowWords * ContextCount;

/// Returns the words of a context's stack beside `programWords` words of the
/// program.
constexpr uint32_t stackWordsBeside(uint32_t programWords) {
  uint32_t stack = StackWordsPerContext;
  while (stack > StackWindowWords &&
         programWords + stack * ContextCount > LocalMemoryWords)
    stack -= StackWindowWords;
  return stack;
}
static_assert(stackWordsBeside(CacheWords) == StackWordsPerContext &&
                  stackWordsBeside(ProgramLocalWordsMax) == StackWindowWords,
              "the stacks end with local memory");

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_LOCALMEMORY_H
