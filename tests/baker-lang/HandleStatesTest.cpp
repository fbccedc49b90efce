// The dataflow meet of the packet-flow check.

#include "baker-lang/checks/HandleStates.h"

#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::lang;

namespace {

HandleStates oneHandle() {
  HandleStates states;
  states.handles.resize(1);
  return states;
}

TEST(HandleStates, AFilledHandleHoldsAPacket) {
  HandleState handle;
  EXPECT_TRUE(handle.mayBeEmpty);
  handle.fill();
  EXPECT_TRUE(handle.mayHold);
  EXPECT_FALSE(handle.mayBeEmpty);
}

TEST(HandleStates, AReleasedHandleIsEmptyAndKnowsWhere) {
  HandleState handle;
  handle.fill();
  handle.releaseAt({0, 10, 20});
  EXPECT_FALSE(handle.mayHold);
  EXPECT_TRUE(handle.mayBeEmpty);
  EXPECT_TRUE(handle.wasReleased);
  EXPECT_EQ(handle.release, (SourceRange{0, 10, 20}));
  handle.fill();
  EXPECT_FALSE(handle.wasReleased);
}

TEST(HandleStates, APathThatReleasesMakesTheHandleMaybeEmpty) {
  HandleStates holding = oneHandle(), released = oneHandle();
  holding.handles[0].fill();
  released.handles[0].releaseAt({0, 1, 2});
  EXPECT_TRUE(holding.join(released));
  EXPECT_TRUE(holding.handles[0].mayHold);
  EXPECT_TRUE(holding.handles[0].mayBeEmpty);
  EXPECT_TRUE(holding.handles[0].wasReleased);
  EXPECT_EQ(holding.handles[0].release, (SourceRange{0, 1, 2}));
}

TEST(HandleStates, APathThatFillsMakesTheHandleMaybeHold) {
  HandleStates empty = oneHandle(), holding = oneHandle();
  holding.handles[0].fill();
  EXPECT_TRUE(empty.join(holding));
  EXPECT_TRUE(empty.handles[0].mayHold);
  EXPECT_TRUE(empty.handles[0].mayBeEmpty);
}

TEST(HandleStates, ATestOfATakenHandleTellsWhetherItHoldsAPacket) {
  HandleState taken;
  taken.take();
  EXPECT_TRUE(taken.mayHold);
  EXPECT_TRUE(taken.mayBeEmpty);
  EXPECT_FALSE(taken.mayBeStale);
  HandleState held = taken;
  held.found(true);
  EXPECT_FALSE(held.mayBeEmpty);
  taken.found(false);
  EXPECT_FALSE(taken.mayHold);
}

TEST(HandleStates, APathThatReleasesMakesATestUseless) {
  HandleStates taken = oneHandle(), released = oneHandle();
  taken.handles[0].take();
  released.handles[0].take();
  released.handles[0].releaseAt({0, 1, 2});
  EXPECT_TRUE(taken.join(released));
  EXPECT_TRUE(taken.handles[0].mayBeStale);
}

TEST(HandleStates, JoiningTheSameStateChangesNothing) {
  HandleStates states = oneHandle();
  states.handles[0].fill();
  HandleStates same = states;
  EXPECT_FALSE(states.join(same));
}

TEST(HandleStates, UnreachablePathsAddNothing) {
  HandleStates states = oneHandle();
  states.handles[0].fill();
  EXPECT_FALSE(states.join(HandleStates::unreachable(1)));
  EXPECT_FALSE(states.handles[0].mayBeEmpty);
}

TEST(HandleStates, AnUnreachablePointTakesTheFirstStateThatReachesIt) {
  HandleStates states = HandleStates::unreachable(1), holding = oneHandle();
  holding.handles[0].fill();
  EXPECT_TRUE(states.join(holding));
  EXPECT_TRUE(states.isReachable);
  EXPECT_FALSE(states.handles[0].mayBeEmpty);
}

TEST(HandleStates, StatesOfTwoBodiesAreNotJoined) {
  HandleStates states = oneHandle();
  EXPECT_DEATH(states.join(HandleStates::unreachable(2)),
               "states of two different bodies");
}

} // namespace
