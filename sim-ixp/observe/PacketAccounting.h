// The life of every packet buffer.
//
// A buffer leaves the free list and comes back. Who took it and who returned it
// says what became of the packet in it. A buffer taken by Rx is Rx's stock
// until its handle goes through the rx ring; then it is a received packet. A
// packet returned by Tx was forwarded, by an application engine dropped, by the
// XScale core consumed. Tx has dropped a packet for which it counts a drop. A
// buffer taken by an application engine or the core is a copy and counted
// separately. So at the end of a run
//
//   received = forwarded + dropped + consumed + still inside
//
// The accounting also counts the memory commands of the application engines by
// memory. Commands at addresses of the program's globals are application
// accesses, all others are packet accesses. A get from an empty ring is no
// access but an empty poll.

#ifndef KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H
#define KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H

#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "sim-ixp/observe/PacketLog.h"
#include "sim-ixp/observe/Timeline.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// What an engine of the image does.
enum class EngineRole : uint8_t { Idle, Rx, Tx, App };

/// The name of a role in statistics: "idle", "rx", "tx" or "app".
const char *roleName(EngineRole role);

/// What the accounting needs to know about an image.
struct AccountingPlan {
  std::array<EngineRole, engineCountMax> roles{};
  uint32_t bufferCount = 0;
  uint32_t firstHandle = 0; ///< longword address of the first descriptor
  uint32_t handleStep = 1;  ///< longwords from one descriptor to the next
  uint32_t freeChannel = 0; ///< SRAM channel and queue of the free list
  uint32_t freeEntry = 0;
  uint32_t rxRing = 0;
  uint32_t toXScaleRing = 2;
  uint32_t dropCounters = 0; ///< scratch address of the first
  /// Bytes [begin, end) of a global, as commands address them.
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Range> scratchGlobals;
  std::vector<Range> sramGlobals; ///< with the channel in bits 31:30
};

/// Totals since the start of the run, or differences of two totals.
struct PacketCounters {
  uint64_t received = 0;
  uint64_t forwarded = 0;
  uint64_t dropped = 0;
  uint64_t consumed = 0;
  uint64_t toXScale = 0;
  uint64_t copied = 0;
  uint64_t copiesEnded = 0;
  uint64_t transmitted = 0;     ///< frames on the wire
  uint64_t transmittedBits = 0; ///< with CRC
  uint64_t lost = 0;            ///< frames lost at the ports, no space
  uint64_t taken = 0; ///< messages that application engines got from rx
  uint64_t emptyPolls = 0;
  uint64_t packetScratch = 0, packetSram = 0, packetDram = 0;
  uint64_t appScratch = 0, appSram = 0;
  uint64_t hash = 0, cap = 0, msf = 0; ///< commands to units beside memories

  PacketCounters operator-(const PacketCounters &other) const;
};

/// Observes the chip and accounts for its packets.
class PacketAccounting : public ChipObserver {
public:
  explicit PacketAccounting(AccountingPlan plan);

  /// Takes the cycle of events from `scheduler`.
  void connect(const Scheduler *scheduler) { clock = scheduler; }

  /// Calls `callback` with each handle that returns to the free list.
  void onFreed(std::function<void(uint32_t handle)> callback) {
    freed = std::move(callback);
  }

  /// Passes on commands and packets of the application engines.
  void setProgramObserver(ProgramObserver *newObserver) {
    programObserver = newObserver;
  }

  const PacketCounters &counters() const { return totals; }
  /// Packets inside the chip: received or copied, and not returned.
  uint64_t outstandingCount() const { return outstanding; }
  /// Those of them that do not wait in a queue of the program. A context may
  /// still work for a packet that has just joined or left a queue, so all of
  /// them count as moving until as many have waited for a while.
  uint64_t movingCount();
  /// `count` returns how many packets wait in queues of the program.
  void countWaiting(std::function<uint64_t()> count) {
    waiting = std::move(count);
  }
  /// The last cycle at which a packet moved.
  uint64_t lastProgressCycle() const { return lastProgress; }
  /// The first fault, with the actor that caused it.
  const std::optional<std::string> &fault() const { return firstFault; }

  /// Hazards in the order of reports.
  const std::vector<Hazard> &hazards() const { return seenHazards; }
  /// Makes every hazard a fault from now on.
  void makeStrict() { isStrict = true; }
  /// An engine that reached a breakpoint, and its state as text.
  struct BreakState {
    uint32_t engine;
    std::string text;
  };
  const std::optional<BreakState> &breakState() const { return reachedBreak; }
  /// The handle of the packet that a context got last from a scratch ring and
  /// has not passed on; 0 if there is none.
  uint32_t heldBy(uint32_t engine, uint32_t context) const {
    return held[engine][context];
  }
  /// Lets breakpoints stop only contexts whose packet is wanted; a handle is 0
  /// if the context holds none.
  void breakAt(std::function<bool(uint32_t handle)> isWanted) {
    isBreakWanted = std::move(isWanted);
  }
  /// Reports to `log` what happens to its packet.
  void follow(PacketLog *log) { packetLog = log; }
  /// Called with each message put into or taken from a ring, and with each
  /// buffer that is freed and the actor that frees it.
  using PacketObserver = std::function<void(PacketStep step, uint32_t handle,
                                            uint32_t ringOrActor)>;
  void onPacket(PacketObserver observer) {
    packetObserver = std::move(observer);
  }

  void onHazard(const Hazard &hazard) override;
  bool stopsAt(uint32_t engine, uint32_t context) override {
    return !isBreakWanted || isBreakWanted(held[engine][context]);
  }
  void onBreak(uint32_t engine, const std::string &state) override;
  void onCommand(const Command &command) override;
  void onDequeue(uint32_t channel, uint32_t entry, uint32_t handle,
                 uint32_t actor) override;
  void onEnqueue(uint32_t channel, uint32_t entry, uint32_t handle,
                 uint32_t actor) override;
  void onCoreAdd(uint32_t address) override;
  void onEmptyGet(const Command &command) override;
  void onFilledGet(const Command &command) override;
  void onRingPut(uint32_t ring, uint32_t value, uint32_t actor) override;
  void onRingGet(uint32_t ring, uint32_t value, uint32_t actor) override;
  void onFrameReceived(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFrameLost(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFrameSent(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFault(uint32_t actor, const std::string &what) override;

private:
  /// The contents of a buffer.
  enum class Buffer : uint8_t { Free, Stock, Original, Copy };

  EngineRole roleOf(uint32_t actor) const {
    return actor < plan.roles.size() ? plan.roles[actor] : EngineRole::Idle;
  }
  /// The state of a handle's buffer; a fault of `actor` if it is no handle.
  Buffer *bufferOf(uint32_t handle, uint32_t actor);
  bool isFreeList(uint32_t channel, uint32_t entry) const {
    return channel == plan.freeChannel && entry == plan.freeEntry;
  }
  void countEnd(Buffer content, uint32_t actor, bool isRefused);
  void release(uint32_t engine, uint32_t handle);
  void onTxCommand(const Command &command);
  void noteProgress();

  AccountingPlan plan;
  const Scheduler *clock = nullptr;
  PacketCounters totals;
  uint64_t outstanding = 0;
  uint64_t lastProgress = 0;
  std::vector<Buffer> buffers;
  /// Contexts of the engines of Tx that have counted a drop and not yet freed
  /// the packet; the handles of the packets that they return.
  std::array<uint8_t, engineCountMax> refusing{};
  std::vector<uint32_t> refused;
  std::function<void(uint32_t)> freed;
  std::function<uint64_t()> waiting; ///< null: the program has no queues
  /// What it last returned, and the cycle at which that was new.
  uint64_t seenWaiting = 0, seenWaitingAt = 0;
  ProgramObserver *programObserver = nullptr;
  std::optional<std::string> firstFault;
  std::vector<Hazard> seenHazards;
  std::optional<BreakState> reachedBreak;
  std::function<bool(uint32_t)> isBreakWanted;
  std::array<std::array<uint32_t, 8>, engineCountMax> held{};
  PacketLog *packetLog = nullptr;
  PacketObserver packetObserver;
  bool isStrict = false;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H
