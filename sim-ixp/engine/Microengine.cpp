// Contexts, signals and arbitration.
//
// A context that waits for all of its signals consumes them when it becomes
// ready. A context that waits for any of them leaves them to br_signal.

#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/observe/SegmentObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <utility>

namespace karakal::sim {
namespace {

/// Copies a few words; a plain loop beats the set-up of wider moves.
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
  for (uint32_t i = 0; i < contextCount; ++i)
    arbiter.contexts[i].bases[BaseContext] = i * 16;
  for (uint32_t i = 0; i < 256; ++i)
    regs[reg::literal + i] = i;
  chassis.connectEngine(index, this);
}

void Microengine::load(std::shared_ptr<const MicroProgram> newProgram) {
  KARAKAL_ASSERT(newProgram && !newProgram->ops.empty(),
                 "an empty program is loaded");
  if (profile)
    exchangeProfile(newProgram);
  program = std::move(newProgram);
  ops = program->ops.data();
  commandShapes = program->commands.data();
  reported.assign(program->ops.size(), 0);
  hasLocks = !program->lockFunctions.empty();
  refreshRecording();
}

/// Nothing is known of waits that began while none were recorded.
void Microengine::refreshRecording() {
  bool wereRecorded =
      std::exchange(areWaitsRecorded, profile || segmentObserver || hasLocks);
  if (areWaitsRecorded && !wereRecorded)
    for (Context &context : arbiter.contexts)
      context.waitBegin = 0;
}

void Microengine::start(uint32_t contextMask) {
  KARAKAL_ASSERT(program, "an engine is started without a program");
  for (uint32_t i = 0; i < contextCount; ++i)
    if (contextMask >> i & 1)
      arbiter.contexts[i].pc = 0;
  csrs.ctxEnables |= contextMask << 8;
  resumeContexts(contextMask);
}

void Microengine::resumeContexts(uint32_t contextMask) {
  if (isAsleep && arbiter.aliveMask == 0)
    arbiter.current = contextCount - 1; // the first in turn is context 0
  for (uint32_t i = 0; i < contextCount; ++i) {
    if (!(contextMask >> i & 1))
      continue;
    arbiter.contexts[i].iterationBegin = Context::noCycle;
    arbiter.start(i);
  }
  // A running engine continues.
  if (!isAsleep || arbiter.readyMask == 0)
    return;
  needsArbitration = true;
  wake(scheduler.now());
}

/// The engine has slept until `cycle`, or until now if that is later.
void Microengine::wake(uint64_t cycle) {
  KARAKAL_ASSERT(isAsleep, "a running engine is woken");
  time = std::max(cycle, sleepBegin);
  counters.idleCycles += time - sleepBegin;
  isAsleep = false;
  publish();
}

void Microengine::readTransferOut(uint32_t context, TransferKind kind,
                                  uint32_t first, uint32_t words,
                                  uint32_t *to) {
  uint32_t count = registerCount();
  arbiter.contexts[context].pendingOut &=
      ~transferMask(kind, first, words, count);
  if (context == arbiter.current)
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
  arbiter.contexts[context].pendingIn &=
      ~transferMask(kind, first, words, count);
  if (context == arbiter.current)
    refreshWatched();
  uint32_t *bank =
      &regs[(kind == TransferKind::S ? reg::sIn : reg::dIn) + context * 16];
  if (first + words <= count)
    return copyWords(from, words, bank + first);
  for (uint32_t i = 0; i < words; ++i)
    bank[(first + i) & (count - 1)] = from[i];
}

void Microengine::raiseSignals(uint64_t cycle, uint32_t context,
                               uint32_t mask) {
  Context &target = arbiter.contexts[context];
  target.signals |= mask & 0xfffe;
  if (target.state != ContextState::Asleep || !target.takeWakeSignals())
    return;
  if (areWaitsRecorded)
    target.readySince = cycle;
  arbiter.setReady(context);
  if (isAsleep)
    wake(cycle);
}

void Microengine::wait(uint32_t mask, bool any) {
  Context &context = arbiter.running();
  context.wakeMask = static_cast<uint16_t>(mask);
  context.any = any;
  if (context.state == ContextState::Inactive)
    return; // stopped by the core
  arbiter.readyMask &= ~(1u << arbiter.current);
  context.state = ContextState::Asleep;
  if (context.takeWakeSignals()) {
    if (areWaitsRecorded)
      context.readySince = time;
    arbiter.setReady(arbiter.current);
  }
}

uint32_t Microengine::contextArbitration(const MicroOp &op) {
  Context &context = arbiter.running();
  context.isVoluntary = op.value & 1;
  constexpr uint32_t kill = ArbitrationAny;
  constexpr uint32_t killBits =
      ArbitrationAny | ArbitrationKeepMask | 0xffff; // any, of nothing
  if ((op.value & killBits) == kill || op.value & ArbitrationBreakpoint) {
    arbiter.stop(arbiter.current, ContextState::Dead);
    halted |= (op.value & ArbitrationBreakpoint) != 0;
  } else if (op.value & ArbitrationKeepMask) {
    wait(context.wakeMask, context.any);
  } else {
    wait(op.value & 0xffff, op.value & ArbitrationAny);
  }
  return op.value & ArbitrationTarget ? op.target : pc + 1 + op.defer();
}

/// The context gives up the engine after `defer` more instructions. The caller
/// advances time and PC over the swap instruction itself.
void Microengine::beginSwap(uint32_t resume, uint32_t defer) {
  uint32_t slots = std::max(swapSlots, defer);
  // One more than the delay slots: the loop counts the swap instruction.
  delaySlots.left = static_cast<uint8_t>(defer + 1);
  delaySlots.abortedAfter = static_cast<uint8_t>(slots - defer);
  delaySlots.isSwap = true;
  delaySlots.pcAfter = resume;
  delaySlots.owner = pc;
  ++counters.swaps;
}

/// After the delay slots: the context will continue at `resume`.
void Microengine::finishSwap(uint32_t resume) {
  KARAKAL_ASSERT(!needsArbitration, "a context swaps without the engine");
  Context &context = arbiter.running();
  context.pc = static_cast<uint16_t>(resume);
  context.ownCycles += segmentCycles();
  if (context.isVoluntary)
    context.countVoluntarySwap(delaySlots.owner);
  needsArbitration = true;
  if (!areWaitsRecorded)
    return;
  context.waitBegin = time;
  context.waitPc = static_cast<uint16_t>(delaySlots.owner);
  if (segmentObserver)
    segmentObserver->addSegment(number, arbiter.current, segmentBegin, time);
}

/// The running context reads a ring: an iteration ends and the next begins.
void Microengine::beginIteration() {
  Context &context = arbiter.running();
  uint64_t now = context.ownCycles + segmentCycles();
  if (context.iterationBegin != Context::noCycle)
    counters.iterationCyclesMax =
        std::max(counters.iterationCyclesMax, now - context.iterationBegin);
  context.iterationBegin = now;
  context.voluntaryPc = Context::noPc;
}

/// Gives the engine to the next ready context; false if there is none.
bool Microengine::arbitrate() {
  if (arbiter.readyMask == 0) {
    isAsleep = true;
    sleepBegin = time;
    return false;
  }
  Context &context = arbiter.switchToNext();
  pc = context.pc;
  refreshBases();
  if (areWaitsRecorded)
    recordWait(context);
  needsArbitration = false;
  segmentBegin = unstalledBegin = time;
  return true;
}

void Microengine::profileBlock(size_t begin, size_t end) {
  profile->addBlock(begin, end);
  if (begin == end)
    return;
  noteLockCall(static_cast<uint32_t>(begin));
  profile->lastEnd[arbiter.current] = static_cast<uint32_t>(end);
  if (profile->onBlock)
    profile->onBlock(arbiter.current, blockTime, begin, end);
}

/// If a block begins a function that waits for a lock, notes which word called
/// it: the last call before the end of the context's block before, which may
/// consist of its delay slots.
void Microengine::noteLockCall(uint32_t begin) {
  if (!hasLocks)
    return;
  const MicroProgram::LockFunction *function = program->lockFunctionAt(begin);
  uint32_t last = profile->lastEnd[arbiter.current];
  bool isAgain = function && last > function->begin && last <= function->end;
  if (!function || function->begin != begin || isAgain)
    return;
  auto after =
      std::lower_bound(function->calls.begin(), function->calls.end(), last);
  if (after != function->calls.begin())
    profile->lockCall[arbiter.current] = *std::prev(after);
}

/// Records the wait of the context that gets the engine.
void Microengine::recordWait(const Context &context) {
  if (context.waitBegin == 0)
    return;
  uint64_t waited = time - context.waitBegin;
  bool isLock = hasLocks && program->lockFunctionAt(context.waitPc);
  if (isLock)
    counters.lockWaitCycles += waited;
  if (profile) {
    profile->waited[context.waitPc] += waited;
    ++profile->waits[context.waitPc];
    if (isLock) {
      auto &lock = profile->lockWaits[profile->lockCall[arbiter.current]];
      lock.waited += waited;
      ++lock.waits;
    }
  }
  if (segmentObserver)
    segmentObserver->addWait(
        number, arbiter.current,
        {context.waitBegin,
         std::clamp(context.readySince, context.waitBegin, time), time,
         context.waitPc, context.wakeMask});
}

void Microengine::fault(const std::string &what) {
  observer.onFault(number, "context " + std::to_string(arbiter.current) +
                               ", PC " + std::to_string(pc) +
                               (program ? program->locationOf(pc) : "") + ": " +
                               what);
  arbiter.readyMask = 0;
  arbiter.aliveMask = 0;
  needsArbitration = true;
  isAsleep = true;
  sleepBegin = time;
  publish();
}

EngineCounters Microengine::countersAt(uint64_t cycle) const {
  EngineCounters result = counters;
  if (isAsleep && cycle > sleepBegin) {
    result.idleCycles += cycle - sleepBegin;
  } else if (isStalled && cycle > time) {
    result.stallCycles += cycle - time;
  } else if (time > cycle) {
    // Dead slots after the last instruction may extend past `cycle`.
    result.abortedCycles -= std::min(result.abortedCycles, time - cycle);
  }
  return result;
}

bool Microengine::doCyclesAddUp() const {
  uint64_t cycle =
      isAsleep || isStalled ? std::max(time, scheduler.now()) : time;
  return countersAt(cycle).total() == cycle;
}

std::string Microengine::describeContexts() const {
  static const char *const names[] = {"inactive", "ready", "running", "asleep",
                                      "stopped"};
  std::string text;
  for (uint32_t i = 0; i < contextCount; ++i) {
    const Context &context = arbiter.contexts[i];
    if (context.state == ContextState::Inactive)
      continue;
    uint32_t at = context.state == ContextState::Running ? pc : context.pc;
    text += "  engine " + std::to_string(number) + " context " +
            std::to_string(i) + ": " +
            names[static_cast<unsigned>(context.state)] + " at PC " +
            std::to_string(at) + program->locationOf(at);
    if (context.state == ContextState::Asleep) {
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
