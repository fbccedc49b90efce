// Where control can go between words.
//
// The flow graph of a whole program, word by word: a call goes to its callee,
// a return to behind every call of its function, a branch's target follows
// its last delay slot.

#ifndef KARAKAL_CODEGEN_ME_WORDS_FLOWGRAPH_H
#define KARAKAL_CODEGEN_ME_WORDS_FLOWGRAPH_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Whether control never passes to the word behind (after its delay slots).
bool endsFlow(const target::Instruction &instruction);

/// Successors by item index.
std::vector<std::vector<unsigned>> flowOf(const WordProgram &program);

/// Visits items from `program.items[0]` on along the flow until nothing
/// changes. `step(index, state)` yields the state behind item `index`;
/// `meet(into, from)` returns whether `into` changed. Returns the states
/// before each item; items never reached keep `unreached`.
template <typename State, typename Step, typename Meet>
std::vector<State> flowForward(const WordProgram &program, State unreached,
                               State start, Step step, Meet meet) {
  auto successors = flowOf(program);
  std::vector<State> before(program.items.size(), unreached);
  if (before.empty())
    return before;
  std::vector<bool> queued(before.size(), false);
  std::vector<unsigned> work{0};
  before[0] = start;
  while (!work.empty()) {
    unsigned index = work.back();
    work.pop_back();
    queued[index] = false;
    State after = step(index, before[index]);
    for (unsigned next : successors[index])
      if (meet(before[next], after) && !queued[next]) {
        queued[next] = true;
        work.push_back(next);
      }
  }
  return before;
}

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_FLOWGRAPH_H
