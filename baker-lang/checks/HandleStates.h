// The dataflow lattice of the packet-flow check.

#ifndef KARAKAL_BAKER_LANG_CHECKS_HANDLESTATES_H
#define KARAKAL_BAKER_LANG_CHECKS_HANDLESTATES_H

#include "support/SourceFiles.h"

#include <vector>

namespace karakal::lang {

/// What the paths to one point of a body have done with a packet handle.
struct HandleState {
  bool mayHold = false;   ///< on some path it holds a packet
  bool mayBeEmpty = true; ///< on some path it holds none
  /// On some path it is empty although no queue was: a test cannot tell.
  bool mayBeStale = true;
  bool wasReleased = false;
  SourceRange release; ///< the last release, if there was one

  /// The handle receives a packet.
  void fill();
  /// The handle receives what a queue had: a packet or none.
  void take();
  /// A test has found it to hold a packet, or to be empty.
  void found(bool isHeld);
  /// The handle gives its packet away.
  void releaseAt(SourceRange where);
};

/// The states of all handles of a body at one point.
struct HandleStates {
  bool isReachable = true;
  std::vector<HandleState> handles;

  static HandleStates unreachable(size_t handleCount);

  /// The dataflow meet: adds what holds on another path. True if that changed
  /// what a handle may be.
  bool join(const HandleStates &other);
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_HANDLESTATES_H
