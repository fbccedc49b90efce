// One microengine.
//
// Eight hardware contexts share one pipeline, one set of condition codes, local
// memory, CAM and CRC unit. One context runs until it gives up the engine
// (ctx_arb, a command with ctx_swap); the next ready one follows in turn. An
// instruction takes one cycle. A taken branch or a swap adds its slots that are
// not delay slots as aborted cycles. A full command FIFO stalls. Without a
// ready context the engine is idle. Every cycle is one of issue, aborted, stall
// and idle.
//
// The engine has its own time. Between instructions that touch state that
// others change or see (commands, signals, neighbour registers, ring-full
// flags) it runs alone and may be ahead of the chip's clock. Before such an
// instruction it waits until it is the earliest of all: run(limit) returns when
// the engine's time reaches `limit`. A correct program cannot see the
// difference, because it reads transfer registers only after it has seen their
// signal, and seeing a signal is such an instruction.
//
// Its parts:
//   ContextArbiter       the contexts, and which one runs
//   DataLatches          condition codes and other hidden registers
//   LocalCsrs            CSRs that all contexts share
//   PendingWrites        writes on their way through the pipeline
//   ControlStoreLoader   the control store as the core writes it
//   Cam                  the content-addressable memory
//   EngineProfile        cycles by instruction, if asked for
// and, over these, by file: execution (MicroengineRun), contexts and time
// (Microengine), operands, CSRs, commands, loading and hazards.

#ifndef KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H
#define KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/EngineOrder.h"
#include "sim-ixp/bus/Fifo.h"
#include "sim-ixp/engine/Cam.h"
#include "sim-ixp/engine/ContextArbiter.h"
#include "sim-ixp/engine/ControlStoreLoader.h"
#include "sim-ixp/engine/DataLatches.h"
#include "sim-ixp/engine/LocalCsrs.h"
#include "sim-ixp/engine/MicroOp.h"
#include "sim-ixp/engine/PendingWrites.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "sim-ixp/observe/EngineCounters.h"
#include "sim-ixp/observe/EngineProfile.h"
#include "target-ixp/table/InstructionTable.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace karakal::sim {

class SegmentObserver;

/// One engine.
class Microengine final : public TransferPort, public EventTarget {
public:
  static constexpr uint32_t contextCount = ContextArbiter::contextCount;
  /// Bits of a program counter.
  static constexpr uint32_t pcMask = 0x1fff;
  /// Cycles that an engine may run ahead: bounds a loop that touches nothing
  /// shared.
  static constexpr uint64_t runAheadCycles = 512;

  Microengine(uint32_t index, Chassis &chassis, ChipObserver &observer);

  // ---- set-up --------------------------------------------------------------
  /// Loads a program; contexts are not started.
  void load(std::shared_ptr<const MicroProgram> program);
  /// Makes known that `words` are this program: if the core stores them, the
  /// engine runs it.
  void know(std::vector<uint64_t> words,
            std::shared_ptr<const MicroProgram> program) {
    knownPrograms.push_back({std::move(words), std::move(program)});
  }
  /// Enables contexts (bit n = context n); each starts at word 0.
  void start(uint32_t contextMask);
  /// The engine that writes this one's neighbour registers, and the one that
  /// this one writes to; null at the ends of the chain.
  void connectNeighbours(Microengine *previous, Microengine *next) {
    previousEngine = previous;
    nextEngine = next;
  }
  /// Start value of the pseudo-random number register.
  void seed(uint32_t value) { csrs.pseudoRandom = value ? value : 1; }
  /// Writes nextCycle() to `turnOrder` whenever it changes outside of run, and
  /// when run returns.
  void publishTime(EngineOrder *turnOrder) {
    order = turnOrder;
    publish();
  }
  /// Counts cycles by instruction from now on; the program must be loaded.
  void startProfile() {
    profile = std::make_unique<EngineProfile>(program->ops.size());
    refreshWatchedAlways();
    refreshRecording();
  }
  /// The profile, which must have been started.
  EngineProfile &ownProfile() { return *profile; }
  /// A program that was loaded, and its profile.
  struct ProfiledProgram {
    std::shared_ptr<const MicroProgram> program;
    std::unique_ptr<EngineProfile> profile;
  };
  /// Calls `use` with each program that was loaded since the profile started.
  void forEachProfile(
      const std::function<void(const MicroProgram &, const EngineProfile &)>
          &use) const;
  void observeLocalMemory(LocalMemoryObserver *newObserver) {
    localObserver = newObserver;
    refreshWatchedAlways();
  }
  /// Tells `newObserver` of segments and waits.
  void observeSegments(SegmentObserver *newObserver) {
    segmentObserver = newObserver;
    refreshRecording();
  }

  // ---- running -------------------------------------------------------------
  /// Cycle of the engine's next action, Scheduler::never if it sleeps or stalls
  /// until a unit has served others.
  uint64_t nextCycle() const {
    return isAsleep || isStalled ? Scheduler::never : time;
  }
  /// Runs; instructions that others can see are executed only before `limit`
  /// (and before the next event). The engine must be the earliest of all.
  void run(uint64_t limit);
  /// As run, but issues no instruction at `stop` or later, the end of the
  /// simulation.
  void runExactly(uint64_t limit, uint64_t stop);

  // ---- chassis side --------------------------------------------------------
  void readTransferOut(uint32_t context, TransferKind kind, uint32_t first,
                       uint32_t words, uint32_t *to) override;
  void writeTransferIn(uint32_t context, TransferKind kind, uint32_t first,
                       uint32_t words, const uint32_t *from) override;
  void raiseSignals(uint64_t cycle, uint32_t context, uint32_t mask) override;
  void onFifoMoved() override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  // ---- inspection ----------------------------------------------------------
  uint32_t index() const { return number; }
  uint64_t localTime() const { return time; }
  /// The address of the running context's next instruction; exact when the
  /// engine has stopped at a breakpoint.
  uint32_t currentPc() const { return pc; }
  /// The context that has the engine, or had it last.
  uint32_t currentContext() const { return arbiter.current; }
  /// Counters up to `cycle`: a sleeping engine is idle until then, and one that
  /// waits for a unit stalls.
  EngineCounters countersAt(uint64_t cycle) const;
  /// Whether each cycle so far is one of issue, aborted, stall and idle.
  bool doCyclesAddUp() const;
  const MicroProgram *loaded() const { return program.get(); }
  /// How long the core has kept the engine off, up to cycle `now`.
  EngineRest restAt(uint64_t now) const {
    EngineRest all = rest;
    if (all.stops > all.starts)
      all.cycles += now - restBegin;
    return all;
  }
  /// How often the core loaded a program.
  uint64_t coreLoadCount() const { return coreLoads; }
  /// Whether any context is enabled and neither killed nor halted.
  bool isAlive() const { return arbiter.aliveMask != 0; }
  /// Whether a context stopped at a breakpoint or halt.
  bool isHalted() const { return halted; }
  /// Storage, for tests: an index of the register file (MicroOp.h).
  uint32_t peek(uint32_t index) const { return regs[index]; }
  void poke(uint32_t index, uint32_t value) { regs[index] = value; }
  uint32_t camTag(uint32_t entry) const { return cam.tag(entry); }
  uint32_t signals(uint32_t context) const {
    return arbiter.contexts[context].signals;
  }
  uint32_t localCsr(uint32_t offset) { return readCsr(offset); }

  // ---- core side -----------------------------------------------------------
  /// Local CSRs as the core sees them, including those that load the control
  /// store; `csr` is a byte offset.
  uint32_t coreReadCsr(uint32_t csr);
  void coreWriteCsr(uint32_t csr, uint32_t value);
  /// Holds the engine in reset (all contexts stop, and none can be enabled), or
  /// ends that.
  void setReset(bool isOn);
  /// One line per context: its state, PC and what it waits for.
  std::string describeContexts() const;
  /// Registers, pointers and signals of the running context.
  std::string describeRunning() const;

private:
  friend struct DataPath;
  struct Loop;

  /// An instruction whose indexed operands are resolved, and what follows it:
  /// post-modification and the write to a neighbour.
  struct IndexedOp {
    MicroOp op;
    std::array<target::Operand, 3> used;
    uint32_t usedCount = 0;
    bool isNeighbourPut = false;
    bool isRingPut = false;
    uint8_t neighbourRegister = 0;
  };

  /// A taken branch or swap whose delay slots are executing.
  struct DelaySlots {
    uint8_t left = 0;
    uint8_t abortedAfter = 0; ///< aborted cycles after the last slot
    bool isSwap = false;
    uint32_t pcAfter = 0; ///< where the context continues
    uint32_t owner = 0;   ///< address of the branch or swap
  };

  // MicroengineRun.cpp
  template <bool Exact>
  [[gnu::noinline]] void execute(const MicroOp *begin, uint64_t stop);
  bool beginRun();
  /// Whether nothing else comes first, so that the engine may touch shared
  /// state; advances the chip's clock to the engine's time if so.
  bool isEarliest() {
    othersLimit = std::min(othersLimit, scheduler.nextCycle());
    if (time >= othersLimit)
      return false;
    scheduler.advanceTo(time);
    return true;
  }
  /// Whether it still will be at `cycle`, if it does nothing shared until then.
  bool isEarliestAt(uint64_t cycle) {
    othersLimit = std::min(othersLimit, scheduler.nextCycle());
    return cycle < othersLimit;
  }
  /// Gives the engine to the next context if the choice is settled. False if
  /// none is ready, or if signals in transit must arrive first.
  bool canContinue() {
    if (!arbiter.isChoiceSettled()) {
      othersLimit = std::min(othersLimit, scheduler.nextCycle());
      if (time >= othersLimit)
        return false;
    } else if (time > aheadLimit && arbiter.readyMask != 0) {
      return false; // contexts that only swap with each other
    }
    return arbitrate();
  }
  /// Cycle of an operation of the current block.
  uint64_t cycleOf(const MicroOp *here) const {
    return blockTime + static_cast<uint64_t>(here - blockBegin);
  }
  /// Brings time and PC up to an operation of the current block.
  void synchronize(const MicroOp *here) {
    time = cycleOf(here);
    pc = static_cast<uint32_t>(here - ops);
  }
  /// Ends the block before `here`.
  void endBlock(const MicroOp *here) {
    counters.issueCycles += static_cast<uint64_t>(here - blockBegin);
    if (profile)
      profileBlock(static_cast<size_t>(blockBegin - ops),
                   static_cast<size_t>(here - ops));
  }
  /// Begins a block at the engine's PC and time.
  const MicroOp *beginBlock() {
    blockTime = time;
    return blockBegin = ops + pc;
  }
  bool checkSpecial(const MicroOp &op, uint32_t special);
  bool mayBranch(const MicroOp &op, uint32_t branchTarget);
  void takeBranch(const MicroOp &op, uint32_t branchTarget);
  void finishSlots();
  /// Whether a branch would close a loop that has run ahead for long.
  bool isFarAhead(const MicroOp *from, uint32_t branchTarget) const {
    return cycleOf(from) >= aheadLimit &&
           branchTarget <= static_cast<size_t>(from - ops);
  }
  /// Takes a branch whose delay slots have executed; the block continues at its
  /// target.
  const MicroOp *jump(const MicroOp *from, uint32_t branchTarget) {
    uint32_t defer = from->defer();
    uint32_t aborted = from->slots() > defer ? from->slots() - defer : 0;
    uint64_t issued = static_cast<uint64_t>(from + 1 - blockBegin) + defer;
    blockTime += issued + aborted;
    counters.issueCycles += issued;
    counters.abortedCycles += aborted;
    blockBegin = ops + branchTarget;
    return blockBegin;
  }
  bool areSlotsPlain(const MicroOp *slot) const;
  uint32_t byteAlign(target::Op op, uint32_t value);

  // Microengine.cpp
  /// The running context waits or stops; returns where it continues.
  uint32_t contextArbitration(const MicroOp &op);
  void beginSwap(uint32_t resume, uint32_t defer);
  void finishSwap(uint32_t resume);
  void wait(uint32_t mask, bool any);
  bool arbitrate();
  /// Cycles of the running context in its present segment, without stalls.
  uint64_t segmentCycles() const { return time - unstalledBegin; }
  void refreshRecording();
  [[gnu::cold]] void recordWait(const Context &context);
  [[gnu::cold]] void profileBlock(size_t begin, size_t end);
  void noteLockCall(uint32_t begin);
  void beginIteration();
  void resumeContexts(uint32_t contextMask);
  void publish() { order->set(number, nextCycle()); }
  void fault(const std::string &what);
  /// Takes a signal of the running context; false if it does not have it.
  bool takeSignal(uint32_t signal) {
    uint16_t bit = static_cast<uint16_t>(1u << signal);
    Context &context = arbiter.running();
    bool isSet = context.signals & bit;
    context.signals &= ~bit;
    return isSet;
  }
  void wake(uint64_t cycle);
  /// Registers of one kind that a context has.
  uint32_t registerCount() const { return isFourContexts ? 32 : 16; }

  // MicroengineOperands.cpp
  bool resolve(const MicroOp &op, const target::Instruction &instruction);
  bool resolveOne(const target::Operand &operand, bool isDestination,
                  uint16_t &index, uint8_t &base);
  /// Sets a local-memory pointer of `context`, or of all contexts if it is
  /// global.
  void setLocalAddress(Context &context, uint32_t pointer, uint32_t address) {
    if (!csrs.isPointerGlobal(pointer))
      return context.setLocalAddress(pointer, address);
    for (Context &each : arbiter.contexts)
      each.setLocalAddress(pointer, address);
  }
  /// After a change of context or of its local-memory pointers.
  void refreshBases() {
    bases = arbiter.running().bases;
    refreshWatched();
  }
  void reportLocalReads(const MicroOp &op);
  bool doLocalWordsExist(const MicroOp &op);
  void movePointers();
  void putNeighbour();
  void finishIndexed();
  uint32_t camLookup(const target::Instruction &instruction, uint32_t tag);

  // MicroengineWatch.cpp
  void hazard(HazardKind kind, const std::string &what);
  void checkTransfers(const MicroOp &op);
  void checkLocalDelay(const MicroOp &op);
  void checkPointerDelay(uint32_t pointer);
  void checkCrc(uint64_t slotsLeast, const char *what);
  void reportUnaligned(const Command &command, const CommandShape &shape);
  /// Notes that a command fills and sends these registers (pendingIn).
  void markTransfers(uint64_t fills, uint64_t takes) {
    Context &context = arbiter.running();
    context.pendingIn |= fills;
    context.pendingOut |= takes;
    if (fills | takes)
      watched |= SpecialTransfer;
  }
  /// Recomputes which flags of an instruction need attention.
  void refreshWatched() {
    const Context &context = arbiter.running();
    watched = watchedAlways | context.watchedLocals;
    if ((context.pendingIn | context.pendingOut) != 0)
      watched |= SpecialTransfer;
  }
  /// Likewise those that do not depend on the context.
  void refreshWatchedAlways() {
    watchedAlways = SpecialAlways;
    if (pending.firstCycle() != Scheduler::never || localObserver)
      watchedAlways |= SpecialLocal;
    if (profile)
      watchedAlways |= SpecialControl;
    if (!csrs.areFlagsEnabled())
      watchedAlways |= SpecialFlags;
    refreshWatched();
  }

  // MicroengineCommand.cpp
  /// False if the command did not issue, because of a stall or a fault.
  bool issueCommand(const MicroOp &op, uint32_t address, uint64_t stop);
  /// As issueCommand if the FIFO has space; false after a fault.
  bool sendCommand(const CommandShape &shape, const MicroOp &op,
                   uint32_t address);
  void adjust(Command &command, const CommandShape &shape);
  void setAddress(Command &command, const CommandShape &shape);
  void stallUntil(uint64_t cycle);
  static void useFourContexts(Command &command);

  // MicroengineLoad.cpp
  void enable(uint32_t value);

  // MicroengineCsr.cpp
  uint32_t readCsr(uint32_t csr);
  uint32_t readContextCsr(uint32_t csr) const;
  void writeCsr(uint32_t csr, uint32_t value);
  void writeSignalCsr(uint32_t csr, uint32_t value);
  void writeCsrNow(uint32_t csr, uint32_t value);
  void applyCsr(uint64_t cycle, uint32_t context, uint32_t csr, uint32_t value);
  uint32_t contextOf(uint32_t csr) const;
  void defer(uint32_t csr, uint32_t context, uint32_t value);
  void deferNeighbour(uint32_t index, uint32_t value);
  void delay(const PendingWrite &write);
  void applyPending(const PendingWrite &write);
  void setEnables(uint32_t value);
  void setCcEnable(uint32_t value);
  void commitPending() {
    if (time >= pending.firstCycle())
      applyDue();
  }
  void applyDue();
  void writeFutureCount(uint64_t cycle, uint32_t index, uint32_t csr,
                        uint32_t value);
  void applyFutureCounts(uint64_t end);
  /// TIMESTAMP at a cycle.
  uint64_t timestampAt(uint64_t cycle) const {
    return cycle / target::TimestampTickCycles + csrs.timestampOffset;
  }
  void writeTimestamp(uint64_t cycle, uint32_t csr, uint32_t value);
  bool inputState(uint32_t number);
  uint32_t neighbourLevel();

  // The fields that every run of the engine touches lie together, in lines of
  // the host's cache that hold little else.
  uint32_t number;
  uint32_t pc = 0;
  Chassis &chassis;
  Scheduler &scheduler;
  ChipObserver &observer;
  EngineOrder *order = &unpublished;
  const MicroOp *ops = nullptr; ///< of the program

  uint64_t time = 0;
  /// The block of straight-line instructions that executes: its first one, and
  /// when that was issued.
  const MicroOp *blockBegin = nullptr;
  uint64_t blockTime = 0;
  uint64_t aheadLimit = 0;  ///< bounds how far the engine runs ahead
  uint64_t othersLimit = 0; ///< from this cycle on something else is first
  uint64_t sleepBegin = 0;
  uint64_t unstalledBegin = 0; ///< segmentBegin plus the stalls since then
  /// Flags of MicroOpSpecial that need attention in the present state.
  uint16_t watched = SpecialAlways;
  bool isAsleep = true;
  bool isStalled = false; ///< at `time`, for a cycle that is not known yet
  bool needsArbitration = false;
  /// A write of CC_ENABLE is pending: each operation checks for it.
  bool isStepping = false;
  bool isFourContexts = false;
  bool areWaitsRecorded = false;

  EngineCounters counters;

  /// The value of each MicroOpBase in the running context.
  std::array<uint32_t, 4> bases{};
  DelaySlots delaySlots;
  uint16_t watchedAlways = SpecialAlways;
  const CommandShape *commandShapes = nullptr; ///< of the program
  std::unique_ptr<EngineProfile> profile;
  uint64_t segmentBegin = 0;
  DataLatches latches;
  ContextArbiter arbiter;

  // Set up once.
  const uint32_t swapSlots;
  const uint32_t crcSlots;
  SegmentObserver *segmentObserver = nullptr;
  /// The program has functions that wait for locks.
  bool hasLocks = false;
  bool halted = false;
  bool isInReset = false;
  /// Those of other programs than the loaded one.
  std::vector<ProfiledProgram> otherProfiles;
  void exchangeProfile(const std::shared_ptr<const MicroProgram> &newProgram);
  Microengine *previousEngine = nullptr;
  Microengine *nextEngine = nullptr;
  std::shared_ptr<const MicroProgram> program;
  LocalMemoryObserver *localObserver = nullptr;
  EngineOrder unpublished{engineCountMax};

  LocalCsrs csrs;
  PendingWrites pending;
  /// A write of a context's future count or of its signal takes effect at
  /// `cycle`. `serial` names the count's event, 0 for the signal.
  struct FutureWrite {
    uint64_t cycle;
    uint32_t serial;
    uint16_t value;
    uint8_t context;
  };
  Fifo<FutureWrite> futureWrites;
  uint32_t futureSerials = 0;
  IndexedOp indexed;
  ControlStoreLoader loader;
  uint64_t coreLoads = 0;
  EngineRest rest;
  uint64_t restBegin = 0;
  void noteRest(uint32_t enablesBefore);
  struct KnownProgram {
    std::vector<uint64_t> words;
    std::shared_ptr<const MicroProgram> program;
  };
  std::vector<KnownProgram> knownPrograms;
  std::shared_ptr<const MicroProgram> storedProgram() const;
  Cam cam;
  std::vector<uint8_t> reported; ///< bits of HazardKind, by address
  /// A context's registers of one bank share a cache line of the host.
  alignas(64) std::array<uint32_t, reg::count> regs{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H
