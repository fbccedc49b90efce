// Runs an image over a trace.
//
// Connects the chip, the media interface, the core, the accounting and the
// control calls, and runs them until the traffic is over: the whole trace has
// been received and every packet has been sent, dropped or consumed. A run ends
// early with an error if the program does something that the hardware does not
// tolerate, if a control call fails, or if no packet moves for a long time (the
// error gives the state of every context).
//
//   Simulation::create -> run -> report (Statistics.h), sentFrames

#ifndef KARAKAL_SIM_IXP_RUN_SIMULATION_H
#define KARAKAL_SIM_IXP_RUN_SIMULATION_H

#include "sim-ixp/core/ControlCallRunner.h"
#include "sim-ixp/core/XScale.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/media/TrafficSource.h"
#include "sim-ixp/observe/Histogram.h"
#include "sim-ixp/observe/PacketAccounting.h"
#include "sim-ixp/observe/RunSamples.h"
#include "sim-ixp/observe/SourceText.h"
#include "sim-ixp/observe/Timeline.h"
#include "sim-ixp/run/CacheMonitor.h"
#include "sim-ixp/run/Chip.h"
#include "sim-ixp/run/Loader.h"
#include "support/Error.h"
#include "target-ixp/image/Image.h"
#include "traces/ControlFile.h"
#include "traces/Packet.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace karakal::sim {

/// Options of a run.
struct SimulationOptions {
  target::ChipParameters parameters;
  LoadOptions load;
  /// Offered load in 10^9 frame bits per second; 0 = as fast as the ports
  /// accept it.
  double offeredGbps = 0;
  /// Packets arrive at the times of the trace; goes without an offered load.
  bool keepsTimes = false;
  /// Packets of the run, which repeats or cuts the trace; 0 = the trace once.
  uint64_t packets = 0;
  /// Packets forwarded, dropped or consumed before measuring begins.
  uint64_t warmup = 0;
  uint64_t seed = 1;
  /// Largest number of cycles; 0 = unlimited.
  uint64_t maxCycles = 0;
  /// A run in which no packet moves for so many cycles is deadlocked.
  uint64_t stallCycles = 2000000;
  bool keepFrames = false;
  bool recordTimeline = false;
  /// The first cycle of the timeline, and the one after the last.
  std::optional<std::pair<uint64_t, uint64_t>> timelineWindow;
  /// Record the run in a bounded number of windows (RunSamples.h).
  bool sample = false;
  /// Count cycles by instruction (CycleProfile.h).
  bool profile = false;
  /// A hazard ends the run.
  bool strict = false;
  /// A control call that is refused does not end the run.
  bool keepGoing = false;
  /// Let the core stop engines while traffic is low (runtime/power.ll).
  bool savePower = false;
  /// Folders of the program's source files; none: as the image names them.
  std::vector<std::string> sourceFolders;
  /// Follow the packet of this number (PacketLog.h). A breakpoint stops only
  /// for this packet.
  std::optional<uint64_t> tracedPacket;
  /// Called regularly with the packets that have arrived and the run's total.
  std::function<void(uint64_t arrived, uint64_t total)> onProgress;
};

/// All counters at one cycle.
struct Snapshot {
  uint64_t cycle = 0;
  PacketCounters packets;
  std::array<EngineCounters, engineCountMax> engines{};
  /// Busy cycles by unit, in the order of Simulation::unitNames.
  std::vector<uint64_t> busyCycles;
  uint64_t arrivedFrames = 0;
  uint64_t arrivedBits = 0;
  double hostSeconds = 0;
};

/// Holds frames at the ports of a chip for a batch of control calls.
class FrameHold : public PacketHold {
public:
  FrameHold(Msf &media, PacketAccounting &accounts)
      : media(media), accounts(accounts) {}
  void setHeld(bool isHeld) override { media.holdFrames(isHeld); }
  bool isEmpty() const override {
    return accounts.movingCount() == 0 && !media.isReceiving();
  }
  bool isOver() const override { return media.isReceiveDone(); }

private:
  Msf &media;
  PacketAccounting &accounts;
};

/// One run.
class Simulation {
public:
  /// Errors: those of the loader, the core and the control file; E-sim-ixp-017
  /// the image's engines cannot be stopped.
  static Result<std::unique_ptr<Simulation>>
  create(SimulationOptions options, const target::Image &image,
         std::vector<traces::Packet> trace,
         const std::vector<traces::ControlCall> &calls);

  /// Errors: E-sim-ixp-030 fault, 031 deadlock, 032 too many cycles, 033 a
  /// message took more cycles than the image's bound; those of control calls
  /// and of the core.
  Status run();

  const SimulationOptions &options() const { return asked; }
  const target::Image &image() const { return loaded; }
  const EnginePlans &engines() const { return plans; }
  Chip &chip() { return *machine; }
  const PacketAccounting &accounting() const { return *accounts; }
  const CacheMonitor &caches() const { return *cacheMonitor; }
  const Msf &msf() const { return *media; }
  /// Whether the core stops engines while traffic is low.
  bool savesPower() const { return asked.savePower; }
  const XScale *core() const { return xscale.get(); }
  const ControlCallRunner &control() const { return controls; }
  const Timeline &timeline() const { return recorded; }
  /// The samples of the run, or null.
  const RunSamples *samples() const { return sampled.get(); }
  /// What a context that gave up its engine at `pc` waits for.
  std::string waitName(uint32_t engine, uint32_t pc);
  /// The number of the received frame in the buffer of a handle, or
  /// SentFrame::unknownNumber.
  uint64_t packetNumber(uint32_t handle);
  /// The text of the program's source lines.
  const SourceText &sources() const { return sourceText; }
  /// The log of the traced packet, or null.
  const PacketLog *packetLog() const { return followed.get(); }

  /// Cycle at which engines and traffic started.
  uint64_t startCycle() const { return begin; }
  /// Counters when measuring began and at the end.
  const Snapshot &measureBegin() const { return first; }
  const Snapshot &measureEnd() const { return last; }
  /// Names of the units whose busy cycles a snapshot holds.
  const std::vector<std::string> &unitNames() const { return names; }

  /// Frames in the order in which they left, if they are kept.
  const std::vector<SentFrame> &sentFrames() const { return frames; }
  /// Cycles from the last bit in to the first bit out, while measuring.
  const Histogram &latencies() const { return latencyCycles; }
  /// Frames that left a port after a frame that had arrived later.
  uint64_t reorderedCount() const { return reordered; }
  /// The drop counter of a reason.
  uint32_t dropCounter(uint32_t reason);
  /// A word of scratch memory (Rx and Tx counters).
  uint32_t scratchWord(uint32_t address) {
    return machine->scratch().memory().readWord(address);
  }

private:
  Simulation(SimulationOptions options, const target::Image &image);

  void countWaiting();
  void recordSent(const SentFrame &frame);
  void observeContexts();
  void observePacket(PacketStep step, uint32_t handle, uint32_t ringOrActor);
  void addSample(uint64_t cycle);
  Snapshot takeSnapshot(uint64_t cycle);
  std::vector<uint64_t> unitBusyCycles();
  /// Whether the run continues; sets `failure` or `end` if not.
  bool check();
  bool isQuiet();
  bool isStuck();
  Error stuckError(const std::string &why) const;
  void finish();
  Status checkBounds();
  Status callAtEnd();
  void runTo(uint64_t cycle);
  Status loadEngines();
  void connectMedia(std::vector<traces::Packet> trace);
  Status connectCore(const std::vector<traces::ControlCall> &calls);
  void watch();
  void followPacket(uint64_t number);

  SimulationOptions asked;
  target::Image loaded;
  EnginePlans plans;
  std::unique_ptr<PacketAccounting> accounts;
  std::unique_ptr<CacheMonitor> cacheMonitor;
  std::unique_ptr<Chip> machine;
  std::unique_ptr<TrafficSource> source;
  std::unique_ptr<Msf> media;
  std::unique_ptr<XScale> xscale;
  std::unique_ptr<FrameHold> hold;
  ControlCallRunner controls;
  Timeline recorded;
  std::unique_ptr<RunSamples> sampled;
  SourceText sourceText;
  std::unique_ptr<PacketLog> followed;

  uint64_t begin = 0;
  uint64_t end = 0; ///< of the run
  bool isMeasuring = false;
  Snapshot first, last;
  std::vector<std::string> names;
  std::vector<SentFrame> frames;
  Histogram latencyCycles;
  std::vector<uint64_t> newestOnPort;
  uint64_t reordered = 0;
  std::optional<Error> failure;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_SIMULATION_H
