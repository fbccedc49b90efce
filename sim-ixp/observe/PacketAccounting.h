// The life of every packet buffer.
//
// A buffer leaves the free list and comes back; who took it and who gave it
// back says what became of the packet in it. Taken by Rx, a buffer is Rx's own
// stock until its handle goes through the rx ring: then it is a packet
// received. A packet given back by Tx was forwarded, by an engine of the
// program dropped, by the XScale consumed. A buffer that the program or the
// XScale took is a copy and counted apart. So at the end
//
//   received = forwarded + dropped + consumed + still inside
//
// Memory commands of the program's engines are counted by memory, split into
// application (addresses of the program's globals) and packet (all others); a
// get of an empty ring is no access but an empty poll.

#ifndef KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H
#define KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H

#include "sim-ixp/bus/Chassis.h"
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

/// What the accounting must know of an image.
struct AccountingPlan {
  std::array<EngineRole, Chassis::engineMax> roles{};
  uint32_t bufferCount = 0;
  uint32_t firstHandle = 0; ///< longword address of the first descriptor
  uint32_t handleStep = 1;
  uint32_t freeChannel = 0;
  uint32_t freeEntry = 0;
  uint32_t rxRing = 0;
  uint32_t toXScaleRing = 2;
  /// A range of the program's globals, as commands address it.
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Range> scratchGlobals;
  std::vector<Range> sramGlobals; ///< with the channel in bits 31:30
};

/// Totals since the start of the run (or differences of two).
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
  uint64_t lost = 0;            ///< at the pins, no room
  uint64_t taken = 0; ///< messages that app engines got from the rx ring
  uint64_t emptyPolls = 0;
  uint64_t packetScratch = 0, packetSram = 0, packetDram = 0;
  uint64_t appScratch = 0, appSram = 0;

  PacketCounters operator-(const PacketCounters &other) const;
};

/// The chip's listener.
class PacketAccounting : public ChipObserver {
public:
  explicit PacketAccounting(AccountingPlan plan);

  /// Cycles of events are the scheduler's now.
  void connect(const Scheduler *scheduler) { clock = scheduler; }

  /// Called with each handle that goes back to the free list.
  void onFreed(std::function<void(uint32_t handle)> callback) {
    freed = std::move(callback);
  }

  /// Told of the commands and packets of the program's engines.
  void onEngines(ProgramObserver *listener) { engineListener = listener; }

  const PacketCounters &counters() const { return totals; }
  /// Packets inside: received or copied, and not ended.
  uint64_t outstandingCount() const { return outstanding; }
  /// Grows with everything that moves a packet on; and when it last did.
  uint64_t progressCount() const { return progress; }
  uint64_t lastProgressCycle() const { return lastProgress; }
  /// The first fault: of which engine (xscaleActor: the XScale), and what.
  const std::optional<std::string> &fault() const { return firstFault; }

  /// What the program should not have done, in the order of reports, a place
  /// once.
  const std::vector<Hazard> &hazards() const { return seenHazards; }
  /// From now on a hazard is a fault.
  void makeStrict() { isStrict = true; }
  /// State of the engine that reached a place where the run is to stop.
  const std::optional<std::string> &breakState() const { return broken; }
  /// Tells `log` what happens to its packet.
  void follow(PacketLog *log) { packetLog = log; }
  /// Called with each message of a ring, and each buffer that is freed (`ring`
  /// then is 0): the handle, and whether it was put, got or freed.
  using PacketListener =
      std::function<void(PacketStep step, uint32_t handle, uint32_t ring)>;
  void onPacket(PacketListener listener) { packets = std::move(listener); }

  void onHazard(const Hazard &hazard) override;
  void onBreak(uint32_t engine, const std::string &state) override;
  void onCommand(const Command &command) override;
  void onDequeue(uint32_t channel, uint32_t entry, uint32_t handle,
                 uint32_t actor) override;
  void onEnqueue(uint32_t channel, uint32_t entry, uint32_t handle,
                 uint32_t actor) override;
  void onEmptyGet(const Command &command) override;
  void onFilledGet(const Command &command) override;
  void onRingPut(uint32_t ring, uint32_t value, uint32_t actor) override;
  void onRingGet(uint32_t ring, uint32_t value, uint32_t actor) override;
  void onFrameReceived(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFrameLost(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFrameSent(uint64_t cycle, uint32_t port, uint32_t bytes) override;
  void onFault(uint32_t engine, const std::string &what) override;

private:
  enum class Buffer : uint8_t { Free, Stock, Original, Copy };

  EngineRole roleOf(uint32_t actor) const {
    return actor < plan.roles.size() ? plan.roles[actor] : EngineRole::Idle;
  }
  /// The state of a handle's buffer; a fault of `actor` if it is no handle.
  Buffer *bufferOf(uint32_t handle, uint32_t actor);
  bool isFreeList(uint32_t channel, uint32_t entry) const {
    return channel == plan.freeChannel && entry == plan.freeEntry;
  }
  void moved();

  AccountingPlan plan;
  const Scheduler *clock = nullptr;
  PacketCounters totals;
  uint64_t outstanding = 0;
  uint64_t progress = 0;
  uint64_t lastProgress = 0;
  std::vector<Buffer> buffers;
  std::function<void(uint32_t)> freed;
  ProgramObserver *engineListener = nullptr;
  std::optional<std::string> firstFault;
  std::vector<Hazard> seenHazards;
  std::optional<std::string> broken;
  PacketLog *packetLog = nullptr;
  PacketListener packets;
  bool isStrict = false;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_PACKETACCOUNTING_H
