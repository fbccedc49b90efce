// One microengine.
//
// Eight hardware contexts share one pipeline, one set of condition codes, local
// memory, CAM and CRC unit. One context runs until it gives the engine up
// (ctx_arb, a command with ctx_swap); the next ready one follows round robin.
// An instruction takes one cycle; a taken branch or a swap adds its slots that
// are not delay slots as aborted cycles; a full command FIFO stalls; without a
// ready context the engine is idle. Every cycle is one of issue, aborted, stall
// and idle.
//
// The engine has its own time. Between instructions that touch what others
// change or see (commands, signals, neighbour registers, ring status) it runs
// alone and may be ahead of the chip's clock; before such an instruction it
// waits for its turn: run(limit) returns as soon as the engine's time reaches
// `limit` there. A correct program cannot see the difference, since it reads
// transfer registers only after it has seen their signal, and seeing a signal
// is such an instruction.

#ifndef KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H
#define KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/EngineOrder.h"
#include "sim-ixp/engine/Cam.h"
#include "sim-ixp/engine/MicroOp.h"
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

class Timeline;

/// One engine. See the file's header.
class Microengine final : public TransferPort, public EventTarget {
public:
  static constexpr uint32_t contextCount = 8;
  /// Bits of a program counter.
  static constexpr uint32_t pcMask = 0x1fff;
  /// How far an engine may run alone: bounds a loop that touches nothing.
  static constexpr uint64_t runAheadCycles = 512;

  Microengine(uint32_t index, Chassis &chassis, ChipObserver &observer);

  // ---- set-up --------------------------------------------------------------
  /// Loads a program; contexts are not started.
  void load(std::shared_ptr<const MicroProgram> program);
  /// Enables contexts (bit n = context n); each starts at word 0.
  void start(uint32_t contextMask);
  /// The engine that writes this one's neighbour registers, and the one that
  /// this one writes to; null at the ends of the chain.
  void connectNeighbours(Microengine *previous, Microengine *next) {
    previousEngine = previous;
    nextEngine = next;
  }
  /// Start value of the pseudo-random number register.
  void seed(uint32_t value) { pseudoRandom = value ? value : 1; }
  /// Where the engine writes nextCycle() whenever it changes outside of run and
  /// when run returns.
  void publishTime(EngineOrder *turnOrder) {
    order = turnOrder;
    publish();
  }
  /// Counts cycles by instruction from now on; the program must be loaded.
  void startProfile() {
    profile = std::make_unique<EngineProfile>(program->ops.size());
    refreshWatchedAlways();
  }
  /// The profile, or null.
  const EngineProfile *profiled() const { return profile.get(); }
  void listenToLocalMemory(LocalMemoryObserver *listener) {
    localListener = listener;
    refreshWatchedAlways();
  }
  /// Tells the timeline of runs and waits.
  void listenToRuns(Timeline *newTimeline) { timeline = newTimeline; }

  // ---- running -------------------------------------------------------------
  /// Cycle of the engine's next action, Scheduler::never if it sleeps.
  uint64_t nextCycle() const { return isAsleep ? Scheduler::never : time; }
  /// Runs; instructions that others can see are executed only before `limit`
  /// (and before the next event). The engine must be the earliest of all.
  void run(uint64_t limit);
  /// As run, but no instruction is issued at `stop` or later (the end of a
  /// run).
  void runExactly(uint64_t limit, uint64_t stop);

  // ---- the chassis's side
  // ----------------------------------------------------
  void readTransferOut(uint32_t context, TransferKind kind, uint32_t first,
                       uint32_t words, uint32_t *to) override;
  void writeTransferIn(uint32_t context, TransferKind kind, uint32_t first,
                       uint32_t words, const uint32_t *from) override;
  void raiseSignals(uint64_t cycle, uint32_t context, uint32_t mask) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  // ---- looking in ----------------------------------------------------------
  uint32_t index() const { return number; }
  uint64_t localTime() const { return time; }
  /// Counters up to `cycle`: a sleeping engine is idle until then.
  EngineCounters countersAt(uint64_t cycle) const;
  /// Whether each cycle so far is one of issue, aborted, stall and idle.
  bool doCyclesAddUp() const;
  const MicroProgram *loaded() const { return program.get(); }
  /// Whether any context is enabled and neither killed nor halted.
  bool isAlive() const { return aliveMask != 0; }
  /// Whether a context stopped at a breakpoint or halt.
  bool isHalted() const { return halted; }
  /// Storage, for tests: an index of the register file (MicroOp.h).
  uint32_t peek(uint32_t index) const { return regs[index]; }
  void poke(uint32_t index, uint32_t value) { regs[index] = value; }
  uint32_t camTag(uint32_t entry) const { return cam.tag(entry); }
  uint32_t signals(uint32_t context) const { return contexts[context].signals; }
  uint32_t localCsr(uint32_t offset) { return readCsr(offset); }

  // ---- the core's side -----------------------------------------------------
  /// Local CSRs from outside, with those that load the control store
  /// (MicroengineLoad.cpp); `csr` is a byte offset.
  uint32_t coreReadCsr(uint32_t csr);
  void coreWriteCsr(uint32_t csr, uint32_t value);
  /// One line a context: its state, PC and what it waits for.
  std::string describeContexts() const;
  /// Registers, pointers and signals of the running context.
  std::string describeRunning() const;

private:
  friend struct DataPath;

  enum class State : uint8_t { Inactive, Ready, Running, Asleep, Dead };

  /// What every swap touches is one line of the host's cache.
  struct alignas(64) Context {
    State state = State::Inactive;
    bool any = false;
    uint16_t wakeMask = 0;
    uint16_t signals = 0;
    uint16_t pc = 0;
    /// What MicroOpBase stands for in this context; the last two are its
    /// pointers to words of local memory.
    std::array<uint32_t, 4> bases{};
    /// Transfer registers with data on the way: in, and out; bits 31:0 are S,
    /// 63:32 D.
    uint64_t pendingIn = 0;
    uint64_t pendingOut = 0;
    /// Where and when it gave up the engine, for the profile.
    uint64_t waitBegin = 0; ///< 0 = not yet
    uint16_t waitPc = 0;
    /// SpecialLocal if a pointer names no word that exists.
    uint16_t watchedLocals = 0;
    bool isVoluntary = false;
    /// Issue and aborted cycles so far, and those at the last ring get and at
    /// the last voluntary swap behind it, which is at `roundPc`.
    uint64_t ownCycles = 0;
    uint32_t roundPc = noRound;
    uint64_t roundEnd = 0;
    uint64_t turnBegin = ~uint64_t{0}; ///< no get yet
    uint32_t futureSerial = 0;
    uint16_t futureCount = 0;
    uint8_t futureSignal = 0;
  };
  static constexpr uint32_t noRound = ~0u;

  /// A write to a local CSR, or to an own neighbour register, on its way
  /// through the pipeline.
  struct PendingWrite {
    uint64_t cycle;
    uint16_t csr;
    uint8_t context;
    uint32_t value;
  };

  /// An instruction whose indexed operands are resolved, and what they do
  /// after it: post-modification and the write to a neighbour.
  struct IndexedOp {
    MicroOp op;
    std::array<target::Operand, 3> used;
    uint32_t usedCount = 0;
    bool isNeighbourPut = false;
    bool isRingPut = false;
    uint8_t neighbourRegister = 0;
  };

  // MicroengineRun.cpp
  template <bool Exact>
  [[gnu::noinline]] void execute(const MicroOp *here, uint64_t stop);
  bool begin();
  /// Whether the engine may do now what others see: nothing else comes first.
  bool isTurn() {
    turnLimit = std::min(turnLimit, scheduler.nextCycle());
    if (time >= turnLimit)
      return false;
    scheduler.advanceTo(time);
    return true;
  }
  /// Whether it still will be at `cycle`, if it does nothing until then.
  bool isTurnAt(uint64_t cycle) {
    turnLimit = std::min(turnLimit, scheduler.nextCycle());
    return cycle < turnLimit;
  }
  /// Gives the engine to the next context when the choice is settled; false if
  /// there is none, or if it is not the engine's turn to look.
  bool mayGoOn() {
    if (!isChoiceSettled()) {
      turnLimit = std::min(turnLimit, scheduler.nextCycle());
      if (time >= turnLimit)
        return false;
    } else if (time > aheadLimit && readyMask != 0) {
      return false; // contexts that only make way for each other
    }
    return arbitrate();
  }
  /// Brings time and address up to `place` of the line that runs.
  void show(const MicroOp *place) {
    time = lineTime + static_cast<uint64_t>(place - lineBegin);
    pc = static_cast<uint32_t>(place - ops);
  }
  /// The line ends in front of `place`.
  void endLine(const MicroOp *place) {
    counters.issueCycles += static_cast<uint64_t>(place - lineBegin);
    if (profile)
      profile->addBlock(static_cast<size_t>(lineBegin - ops),
                        static_cast<size_t>(place - ops));
  }
  /// A line begins at the engine's address and time.
  const MicroOp *beginLine() {
    lineTime = time;
    return lineBegin = ops + pc;
  }
  bool isFine(const MicroOp &op, uint32_t special);
  bool mayBranch(const MicroOp &op, uint32_t branchTarget);
  void takeBranch(const MicroOp &op, uint32_t branchTarget);
  void finishSlots();
  /// Whether condition codes change; if not, `heldFlags` are what they are, and
  /// what operations set is put right before something looks at it.
  bool areFlagsEnabled() const { return ccEnable & flagsEnabledBit; }
  void setFlags(uint32_t result, bool carry, bool overflow) {
    flagResult = result;
    flagC = carry;
    flagV = overflow;
  }
  /// Whether a branch would close a loop that has run ahead for long.
  bool isFarAhead(const MicroOp *from, uint32_t branchTarget) const {
    return lineTime + static_cast<uint64_t>(from - lineBegin) >= aheadLimit &&
           branchTarget <= static_cast<size_t>(from - ops);
  }
  /// A taken branch whose delay slots are done: the line goes on at its target.
  const MicroOp *jump(const MicroOp *from, uint32_t branchTarget) {
    uint32_t defer = from->defer();
    uint32_t aborted = from->slots() > defer ? from->slots() - defer : 0;
    uint64_t issued = static_cast<uint64_t>(from + 1 - lineBegin) + defer;
    lineTime += issued + aborted;
    counters.issueCycles += issued;
    counters.abortedCycles += aborted;
    lineBegin = ops + branchTarget;
    return lineBegin;
  }
  bool areSlotsPlain(const MicroOp *slot) const;
  uint32_t byteAlign(target::Op op, uint32_t value);

  // Microengine.cpp
  /// The running context waits, or stops; gives where it goes on.
  uint32_t contextArbitration(const MicroOp &op);
  void beginSwap(uint32_t resume, uint32_t defer);
  void finishSwap(uint32_t resume);
  void wait(uint32_t mask, bool any);
  bool arbitrate();
  /// Cycles of the running context in its present run, without stalls.
  uint64_t runCycles() const { return time - ownBegin; }
  void endRound(Context &context);
  bool isObserved() const { return profile || timeline; }
  [[gnu::cold]] void tellWait(const Context &context);
  void beginTurn();
  /// Of those that are ready, of which there is one, the first in turn.
  uint32_t nextContext() const {
    uint32_t after = current + 1;
    uint32_t rotated = (readyMask * 0x10101u) >> (after % contextCount);
    return (after + __builtin_ctz(rotated)) % contextCount;
  }
  /// Whether no signal that is still on its way can change which context is
  /// next: none is ready (a signal then wakes the engine), or the first in turn
  /// is.
  bool isChoiceSettled() const {
    return readyMask == 0 || readyMask >> ((current + 1) % contextCount) & 1;
  }

  // MicroengineOperands.cpp
  bool resolve(const MicroOp &op, const target::Instruction &instruction);
  bool resolveOne(const target::Operand &operand, bool isDestination,
                  uint16_t &place, uint8_t &base);
  /// Byte address in local memory, bits 11:2, of a context's pointer.
  uint32_t lmAddress(const Context &context, uint32_t pointer) const {
    return context.bases[BaseLocal0 + pointer] << 2;
  }
  /// Whether a pointer is one for all contexts.
  bool isGlobal(uint32_t pointer) const {
    return ctxEnables >> (lmGlobalBit + pointer) & 1;
  }
  void setLmAddress(Context &context, uint32_t pointer, uint32_t address) {
    if (!isGlobal(pointer))
      return setOwnLmAddress(context, pointer, address);
    for (Context &each : contexts)
      setOwnLmAddress(each, pointer, address);
  }
  static void setOwnLmAddress(Context &context, uint32_t pointer,
                              uint32_t address) {
    context.bases[BaseLocal0 + pointer] = address >> 2 & 0x3ff;
    bool isThere = context.bases[BaseLocal0] < target::LocalMemoryWords &&
                   context.bases[BaseLocal1] < target::LocalMemoryWords;
    context.watchedLocals = isThere ? 0 : SpecialLocal;
  }
  /// Behind a change of context or of its local-memory pointers.
  void refreshBases() {
    bases = contexts[current].bases;
    refreshWatched();
  }
  void tellLocalReads(const MicroOp &op);
  bool isLocalThere(const MicroOp &op);
  void finishIndexed();
  uint32_t camLookup(const target::Instruction &instruction, uint32_t tag);

  // MicroengineWatch.cpp
  void hazard(HazardKind kind, const std::string &what);
  void checkTransfers(const MicroOp &op);
  void checkLocalDelay(const MicroOp &op);
  void checkCrc(uint64_t slotsLeast, const char *what);
  void reportUnaligned(const Command &command, const CommandShape &shape);
  /// A command was sent that fills and takes these registers (pendingIn).
  void markTransfers(uint64_t fills, uint64_t takes) {
    Context &context = contexts[current];
    context.pendingIn |= fills;
    context.pendingOut |= takes;
    if (fills | takes)
      watched |= SpecialTransfer;
  }
  /// Which flags of an instruction need a look now.
  void refreshWatched() {
    const Context &context = contexts[current];
    watched = watchedAlways | context.watchedLocals;
    if ((context.pendingIn | context.pendingOut) != 0)
      watched |= SpecialTransfer;
  }
  /// The same whichever context runs.
  void refreshWatchedAlways() {
    watchedAlways = SpecialAlways;
    if (pendingCycle != Scheduler::never || localListener)
      watchedAlways |= SpecialLocal;
    if (profile)
      watchedAlways |= SpecialControl;
    if (!areFlagsEnabled())
      watchedAlways |= SpecialFlags;
    refreshWatched();
  }

  // MicroengineCommand.cpp
  /// False: the command did not issue (stall or fault), nothing was done.
  bool issueCommand(const MicroOp &op, uint32_t address, uint64_t stop);
  /// As issueCommand when the FIFO has room; false after a fault.
  bool sendCommand(const CommandShape &shape, const MicroOp &op,
                   uint32_t address);
  void adjust(Command &command, const CommandShape &shape);
  void setAddress(Command &command, const CommandShape &shape);
  static void useFourContexts(Command &command);

  // MicroengineLoad.cpp
  uint64_t storedWord() const;
  void storeWord(uint64_t word);
  void enable(uint32_t value);
  void startWhereTheyAre(uint32_t contextMask);

  // MicroengineCsr.cpp
  uint32_t readCsr(uint32_t csr);
  uint32_t readContextCsr(uint32_t csr) const;
  void writeCsr(uint32_t csr, uint32_t value);
  void writeSignalCsr(uint32_t csr, uint32_t value);
  void writeCsrNow(uint32_t csr, uint32_t value);
  void applyCsr(uint64_t cycle, uint32_t context, uint32_t csr, uint32_t value);
  uint32_t contextOf(uint32_t csr) const;
  void defer(uint32_t csr, uint32_t context, uint32_t value);
  void deferNeighbour(uint32_t place, uint32_t value);
  void delay(const PendingWrite &write);
  void applyPending(const PendingWrite &write);
  void setEnables(uint32_t value);
  void setCcEnable(uint32_t value);
  void commitPending() {
    if (time >= pendingCycle)
      applyDue();
  }
  void applyDue();
  void startFutureCount(uint64_t cycle, uint32_t index);
  bool inputState(uint32_t number);
  uint32_t neighbourLevel();

  void publish() { order->set(number, nextCycle()); }
  void fault(const std::string &what);
  bool isSatisfied(Context &context);
  /// Whether the running context has the signal, which it then has no more.
  bool takeSignal(uint32_t signal) {
    uint16_t bit = static_cast<uint16_t>(1u << signal);
    bool isSet = contexts[current].signals & bit;
    contexts[current].signals &= ~bit;
    return isSet;
  }
  void setReady(uint32_t context);
  void wake(uint64_t cycle);
  /// Registers of one kind that a context has.
  uint32_t registerCount() const { return isFourContexts ? 32 : 16; }

  uint32_t number;
  Chassis &chassis;
  Scheduler &scheduler;
  ChipObserver &observer;
  const uint32_t swapSlots;
  const uint32_t crcSlots;
  EngineOrder *order = &unpublished;
  Timeline *timeline = nullptr;
  std::unique_ptr<EngineProfile> profile;

  // Time and the running context. What every turn touches lies together.
  uint64_t time = 0;
  EngineCounters counters;
  /// The straight line of instructions that runs: its first one and when that
  /// was issued. The cycle of any other follows from its place.
  const MicroOp *lineBegin = nullptr;
  uint64_t lineTime = 0;
  const MicroOp *ops = nullptr; ///< of the program
  /// How far the engine may run alone: bounds a loop that touches nothing.
  uint64_t aheadLimit = 0;
  /// From this cycle on somebody else comes first.
  uint64_t turnLimit = 0;
  uint64_t sleepBegin = 0;
  uint64_t runBegin = 0;
  uint64_t ownBegin = 0; ///< later by the stalls since then
  uint32_t pc = 0;
  uint32_t current = 0;
  bool isAsleep = true;
  bool needsArbitration = false;
  uint8_t readyMask = 0;
  /// Flags of MicroOpSpecial that need a look in the present state.
  uint16_t watched = SpecialAlways;
  uint16_t watchedAlways = SpecialAlways;

  // A taken branch or swap whose delay slots are running.
  uint8_t slotsLeft = 0;
  uint8_t abortAfterSlots = 0;
  bool swapAfterSlots = false;
  uint32_t pcAfterSlots = 0;
  uint32_t slotsOwner = 0;                  ///< whose delay slots are running
  uint64_t pendingCycle = Scheduler::never; ///< of the first of `pending`

  // The data path's hidden registers.
  uint32_t flagResult = 0; ///< N and Z
  bool flagC = false;
  bool flagV = false;
  uint32_t previousA = 0;
  uint32_t previousResult = 0;
  uint32_t alignLatch = 0;
  uint64_t product = 0;
  uint32_t factorA = 0, factorB = 0;
  bool csrReadPending = false;
  uint32_t csrReadValue = 0;
  /// What MicroOpBase stands for in the running context.
  std::array<uint32_t, 4> bases{};

  std::array<Context, contextCount> contexts{};
  uint8_t aliveMask = 0;
  bool halted = false;
  bool isFourContexts = false;

  // Set up once.
  Microengine *previousEngine = nullptr;
  Microengine *nextEngine = nullptr;
  std::shared_ptr<const MicroProgram> program;
  LocalMemoryObserver *localListener = nullptr;
  EngineOrder unpublished{engineCountMax};

  // Per-engine CSRs.
  static constexpr uint32_t lmGlobalBit = 16; ///< and 17, of CTX_ENABLES
  static constexpr uint32_t flagsEnabledBit = 1u << 13; ///< of CC_ENABLE
  uint32_t ctxEnables = 0;
  uint32_t ccEnable = flagsEnabledBit;
  struct Flags {
    uint32_t result = 0;
    bool carry = false;
    bool overflow = false;
  };
  Flags heldFlags;
  /// A write of CC_ENABLE is on its way: each operation looks for it.
  bool isStepping = false;
  uint32_t ctxPointer = 0;
  uint32_t byteIndex = 0;
  uint32_t tIndex = 0;
  uint32_t nnPut = 0;
  uint32_t nnGet = 0;
  uint32_t crcRemainder = 0;
  uint64_t crcEnd = 0; ///< cycle behind the last crc, 0 if there was none
  uint32_t pseudoRandom = 1;
  std::vector<PendingWrite> pending; ///< in the order of their cycles
  IndexedOp indexed;

  // The control store as the core writes it.
  std::vector<uint64_t> store;
  bool isStoreNew = false;
  uint32_t ustoreAddress = 0;
  uint32_t ustoreLower = 0;
  uint32_t ustoreError = 0;

  Cam cam;
  std::vector<uint8_t> reported; ///< kinds of hazards, by address
  /// A context's registers of one bank are a line of the host's cache.
  alignas(64) std::array<uint32_t, reg::count> regs{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_MICROENGINE_H
