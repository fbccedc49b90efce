// Contexts, signals and arbitration.
//
// See Microengine.h for the idea. A context that waits for all of its signals
// consumes them when it becomes ready; one that waits for any of them leaves
// them to br_signal.

#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/observe/Timeline.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

/// Of few words; a loop of single ones beats the setting up of longer moves.
void copyWords(const uint32_t *from, uint32_t words, uint32_t *to) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (uint32_t i = 0; i < words; ++i)
    to[i] = from[i];
}

} // namespace

Microengine::Microengine(uint32_t index, Chassis &chassis,
                         ChipObserver &observer)
    : number(index), chassis(chassis), scheduler(chassis.scheduler()),
      observer(observer),
      swapSlots(static_cast<uint32_t>(chassis.parameters().meSwapSlots)),
      crcSlots(static_cast<uint32_t>(chassis.parameters().meCrcSlots)) {
  pending.reserve(16);
  for (uint32_t i = 0; i < contextCount; ++i)
    contexts[i].bases[BaseContext] = i * 16;
  for (uint32_t i = 0; i < 256; ++i)
    regs[reg::literal + i] = i;
  chassis.connectEngine(index, this);
}

void Microengine::load(std::shared_ptr<const MicroProgram> newProgram) {
  program = std::move(newProgram);
  ops = program->ops.data();
  reported.assign(program->ops.size(), 0);
}

void Microengine::start(uint32_t contextMask) {
  KARAKAL_ASSERT(program, "an engine is started without a program");
  for (uint32_t i = 0; i < contextCount; ++i)
    if (contextMask >> i & 1)
      contexts[i].pc = 0;
  ctxEnables |= contextMask << 8;
  startWhereTheyAre(contextMask);
}

void Microengine::startWhereTheyAre(uint32_t contextMask) {
  if (isAsleep && aliveMask == 0)
    current = contextCount - 1; // the first in turn is context 0
  for (uint32_t i = 0; i < contextCount; ++i) {
    if (!(contextMask >> i & 1))
      continue;
    contexts[i].state = State::Ready;
    readyMask |= 1u << i;
    aliveMask |= 1u << i;
  }
  // Whoever runs goes on.
  if (!isAsleep || readyMask == 0)
    return;
  needsArbitration = true;
  wake(scheduler.now());
}

/// The engine has slept until `cycle`, or until now if that is later.
void Microengine::wake(uint64_t cycle) {
  time = std::max(cycle, sleepBegin);
  counters.idleCycles += time - sleepBegin;
  isAsleep = false;
  publish();
}

void Microengine::readTransferOut(uint32_t context, TransferKind kind,
                                  uint32_t first, uint32_t words,
                                  uint32_t *to) {
  uint32_t count = registerCount();
  contexts[context].pendingOut &= ~transferMask(kind, first, words, count);
  if (context == current)
    refreshWatched();
  const uint32_t *bank =
      &regs[(kind == TransferKind::S ? reg::sOut : reg::dOut) + context * 16];
  if (first + words <= count)
    return copyWords(bank + first, words, to);
  for (uint32_t i = 0; i < words; ++i)
    to[i] = bank[(first + i) & (count - 1)];
}

void Microengine::writeTransferIn(uint32_t context, TransferKind kind,
                                  uint32_t first, uint32_t words,
                                  const uint32_t *from) {
  uint32_t count = registerCount();
  contexts[context].pendingIn &= ~transferMask(kind, first, words, count);
  if (context == current)
    refreshWatched();
  uint32_t *bank =
      &regs[(kind == TransferKind::S ? reg::sIn : reg::dIn) + context * 16];
  if (first + words <= count)
    return copyWords(from, words, bank + first);
  for (uint32_t i = 0; i < words; ++i)
    bank[(first + i) & (count - 1)] = from[i];
}

bool Microengine::isSatisfied(Context &context) {
  uint32_t mask = context.wakeMask;
  if (mask & 1)
    return true;
  if (context.any)
    return context.signals & mask;
  if (mask == 0 || (context.signals & mask) != mask)
    return false;
  context.signals &= ~mask;
  return true;
}

void Microengine::setReady(uint32_t context) {
  contexts[context].state = State::Ready;
  readyMask |= 1u << context;
}

void Microengine::raiseSignals(uint64_t cycle, uint32_t context,
                               uint32_t mask) {
  Context &target = contexts[context];
  target.signals |= mask & 0xfffe;
  if (target.state != State::Asleep || !isSatisfied(target))
    return;
  setReady(context);
  if (isAsleep)
    wake(cycle);
}

void Microengine::wait(uint32_t mask, bool any) {
  Context &context = contexts[current];
  context.wakeMask = static_cast<uint16_t>(mask);
  context.any = any;
  if (context.state == State::Inactive)
    return; // the core has stopped it
  readyMask &= ~(1u << current);
  context.state = State::Asleep;
  if (isSatisfied(context))
    setReady(current);
}

uint32_t Microengine::contextArbitration(const MicroOp &op) {
  Context &context = contexts[current];
  context.isVoluntary = op.value & 1;
  constexpr uint32_t kill = ArbitrationAny;
  constexpr uint32_t killBits =
      ArbitrationAny | ArbitrationKeepMask | 0xffff; // any, of nothing
  if ((op.value & killBits) == kill || op.value & ArbitrationBreakpoint) {
    context.state = State::Dead;
    readyMask &= ~(1u << current);
    aliveMask &= ~(1u << current);
    halted |= (op.value & ArbitrationBreakpoint) != 0;
  } else if (op.value & ArbitrationKeepMask) {
    wait(context.wakeMask, context.any);
  } else {
    wait(op.value & 0xffff, op.value & ArbitrationAny);
  }
  return op.value & ArbitrationTarget ? op.target : pc + 1 + op.defer();
}

/// The context gives up the engine behind `defer` more instructions. The
/// caller's common tail advances time and PC over the swap instruction itself.
void Microengine::beginSwap(uint32_t resume, uint32_t defer) {
  uint32_t slots = std::max(swapSlots, defer);
  // One more than the delay slots: the tail counts the swap instruction.
  slotsLeft = static_cast<uint8_t>(defer + 1);
  abortAfterSlots = static_cast<uint8_t>(slots - defer);
  swapAfterSlots = true;
  pcAfterSlots = resume;
  slotsOwner = pc;
  ++counters.swaps;
}

/// Behind the delay slots: the context will go on at `resume`.
void Microengine::finishSwap(uint32_t resume) {
  Context &context = contexts[current];
  context.pc = static_cast<uint16_t>(resume);
  context.ownCycles += runCycles();
  if (context.isVoluntary)
    endRound(context);
  context.waitBegin = time;
  context.waitPc = static_cast<uint16_t>(slotsOwner);
  needsArbitration = true;
  if (timeline)
    timeline->addSegment(number, current, runBegin, time);
}

/// Behind a voluntary swap: of a wait by them only the first round counts.
void Microengine::endRound(Context &context) {
  context.isVoluntary = false;
  if (context.roundPc == slotsOwner)
    context.ownCycles = context.roundEnd; // waited once more
  context.roundPc = slotsOwner;
  context.roundEnd = context.ownCycles;
}

/// The running context asks a ring.
void Microengine::beginTurn() {
  Context &context = contexts[current];
  uint64_t now = context.ownCycles + runCycles();
  if (context.turnBegin != ~uint64_t{0})
    counters.iterationCyclesMax =
        std::max(counters.iterationCyclesMax, now - context.turnBegin);
  context.turnBegin = now;
  context.roundPc = noRound;
}

/// Gives the engine to the next ready context; false if there is none.
bool Microengine::arbitrate() {
  if (readyMask == 0) {
    isAsleep = true;
    sleepBegin = time;
    return false;
  }
  current = nextContext();
  readyMask &= ~(1u << current);
  Context &context = contexts[current];
  context.state = State::Running;
  pc = context.pc;
  refreshBases();
  if (isObserved())
    tellWait(context);
  needsArbitration = false;
  runBegin = ownBegin = time;
  return true;
}

/// The context that gets the engine waited for it.
void Microengine::tellWait(const Context &context) {
  if (context.waitBegin == 0)
    return;
  if (profile) {
    profile->waited[context.waitPc] += time - context.waitBegin;
    ++profile->waits[context.waitPc];
  }
  if (timeline)
    timeline->addWait(number, current, context.waitBegin, time, context.waitPc);
}

void Microengine::fault(const std::string &what) {
  observer.onFault(number, "context " + std::to_string(current) + ", PC " +
                               std::to_string(pc) +
                               (program ? program->locationOf(pc) : "") + ": " +
                               what);
  readyMask = 0;
  aliveMask = 0;
  needsArbitration = true;
  isAsleep = true;
  sleepBegin = time;
  publish();
}

EngineCounters Microengine::countersAt(uint64_t cycle) const {
  EngineCounters result = counters;
  if (isAsleep && cycle > sleepBegin) {
    result.idleCycles += cycle - sleepBegin;
  } else if (time > cycle) {
    // Dead slots behind the last instruction reach over the end.
    result.abortedCycles -= std::min(result.abortedCycles, time - cycle);
  }
  return result;
}

bool Microengine::doCyclesAddUp() const {
  uint64_t cycle = isAsleep ? std::max(time, scheduler.now()) : time;
  return countersAt(cycle).total() == cycle;
}

std::string Microengine::describeContexts() const {
  static const char *const names[] = {"inactive", "ready", "running", "asleep",
                                      "stopped"};
  std::string text;
  for (uint32_t i = 0; i < contextCount; ++i) {
    const Context &context = contexts[i];
    if (context.state == State::Inactive)
      continue;
    uint32_t at = context.state == State::Running ? pc : context.pc;
    text += "  engine " + std::to_string(number) + " context " +
            std::to_string(i) + ": " +
            names[static_cast<unsigned>(context.state)] + " at PC " +
            std::to_string(at) + program->locationOf(at);
    if (context.state == State::Asleep) {
      text += context.any ? ", waits for any of signals"
                          : ", waits for all of signals";
      for (uint32_t n = 1; n < 16; ++n)
        if (context.wakeMask >> n & 1)
          text += " " + std::to_string(n) +
                  (context.signals >> n & 1 ? "(set)" : "");
    }
    text += "\n";
  }
  return text;
}

} // namespace karakal::sim
