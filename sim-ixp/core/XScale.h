// The control processor in the chip.
//
// Connects the instruction emulator (XScaleEmulator) to the chip: memories at
// the addresses of target-ixp/chip/MemoryMap.h; rings, queue array and atomic
// operations as device words; and the scheduler's clock.
//
// What runs in chip time runs in slices beside the microengines, so that it can
// wait for them (a lock, a full ring). The message handler takes one message a
// call, and is called while ring to_xscale holds messages; a CAP interrupt
// calls it, too. The engines' local CSRs and the CAP's registers lie at the
// chip's own addresses, so that the core's code can load and start engines.
//
// Each access outside the core's caches takes xscale.access_cycles and occupies
// the unit that it goes to, so it waits for the engines' commands and they wait
// for it. The core reaches the units by a bus of its own. An access sees the
// effect of every engine command issued before it, served or not: a message can
// arrive before the packet's last bytes are in DRAM.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALE_H
#define KARAKAL_SIM_IXP_CORE_XSCALE_H

#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/ControlProcessor.h"
#include "sim-ixp/core/PhysicalBus.h"
#include "sim-ixp/core/XScaleEmulator.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// Addresses of an image's XScale code.
struct XScaleProgram {
  uint32_t handler = 0; ///< 0 if there is none
  uint32_t stackTop = 0;
  uint32_t arguments = 0; ///< argument block of control functions
};

/// The core as part of the chip.
class XScale : public ControlProcessor, public EventTarget, private XScaleBus {
public:
  static Result<std::unique_ptr<XScale>> create(XScaleConnections chip,
                                                const XScaleProgram &program);

  Result<uint32_t> call(uint32_t entry,
                        const std::vector<int64_t> &arguments) override;
  uint64_t callCycles() const override;
  void start(uint32_t entry, const std::vector<int64_t> &arguments,
             std::function<void(const Result<uint32_t> &)> onReturn) override;
  void onRingNotEmpty(uint32_t ring) override;
  /// A thread raised a CAP interrupt; the handler runs when the core is free
  /// and reads which thread (ThreadInterrupts.h) and why (CAP).
  void onInterrupt();
  bool isBusy() const override;
  /// Whether a call runs in chip time.
  bool isCalled() const { return timedCall && timedCall->hasBegun; }
  const Error *fault() const override {
    return firstFault ? &*firstFault : nullptr;
  }
  /// What the core does, for a report: a line.
  std::string describe() const;
  /// What the core has done so far.
  XScaleStatistics statistics() const { return core->statistics(); }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  XScale(XScaleConnections around, const XScaleProgram &program);

  /// A call that waits for the core, or runs.
  struct Call {
    uint32_t entry = 0;
    std::vector<int64_t> arguments;
    std::function<void(const Result<uint32_t> &)> onReturn;
    bool hasBegun = false;
  };

  std::optional<uint32_t> readWord(uint32_t address) override;
  bool writeWord(uint32_t address, uint32_t value) override;
  double transfer(uint32_t address, uint32_t bytes, bool isWrite,
                  double cycle) override;
  uint64_t serviceStart(uint32_t address, uint32_t bytes, bool isWrite);
  uint64_t sramStart(uint32_t address, uint32_t bytes, bool isWrite);
  void passArguments(const std::vector<int64_t> &arguments);
  bool hasMessage() const;
  bool beginJob(uint64_t cycle);
  void endCall();
  void wake();

  PhysicalBus bus;
  const XScaleConnections &chip;
  XScaleProgram program;
  std::unique_ptr<XScaleEmulator> core;
  std::optional<Error> firstFault;
  std::optional<Call> timedCall;
  bool isWakeScheduled = false;
  bool isInterrupted = false;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALE_H
