#include "baker-lang/checks/HandleStates.h"

#include "support/Error.h"

namespace karakal::lang {

void HandleState::fill() {
  mayHold = true;
  mayBeEmpty = false;
  mayBeStale = false;
  wasReleased = false;
}

void HandleState::take() {
  fill();
  mayBeEmpty = true;
}

void HandleState::found(bool isHeld) {
  KARAKAL_ASSERT(!mayBeStale, "a test of a handle tells whether it is empty");
  mayHold = isHeld;
  mayBeEmpty = !isHeld;
}

void HandleState::releaseAt(SourceRange where) {
  mayHold = false;
  mayBeEmpty = true;
  mayBeStale = true;
  wasReleased = true;
  release = where;
}

HandleStates HandleStates::unreachable(size_t handleCount) {
  HandleStates states;
  states.isReachable = false;
  states.handles.resize(handleCount);
  return states;
}

bool HandleStates::join(const HandleStates &other) {
  KARAKAL_ASSERT(handles.size() == other.handles.size(),
                 "states of two different bodies");
  if (!other.isReachable)
    return false;
  if (!isReachable) {
    *this = other;
    return true;
  }
  bool isChanged = false;
  for (size_t i = 0; i < handles.size(); ++i) {
    HandleState &mine = handles[i];
    const HandleState &theirs = other.handles[i];
    isChanged |= (theirs.mayHold && !mine.mayHold) ||
                 (theirs.mayBeEmpty && !mine.mayBeEmpty) ||
                 (theirs.mayBeStale && !mine.mayBeStale);
    mine.mayBeStale |= theirs.mayBeStale;
    mine.mayHold |= theirs.mayHold;
    mine.mayBeEmpty |= theirs.mayBeEmpty;
    if (theirs.wasReleased && !mine.wasReleased) {
      mine.wasReleased = true;
      mine.release = theirs.release;
    }
  }
  return isChanged;
}

} // namespace karakal::lang
