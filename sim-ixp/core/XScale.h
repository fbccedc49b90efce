// The control processor in the chip.
//
// Connects the instruction emulator (XScaleEmulator) to the chip: memories at
// the addresses of target-ixp/chip/MemoryMap.h; rings, queue array and atomic
// operations as device words; and the scheduler's clock.
//
// Control and initialization functions run at once; the core is then busy for
// the cycles they took. The message handler runs alongside the microengines, in
// slices, so that it can wait for them (a full ring). It starts when ring
// to_xscale has a message and the core is free, and repeats while messages
// remain when it returns. A CAP interrupt starts it too. The engines' local
// CSRs and the CAP's registers lie at the chip's own addresses, so that the
// core's code can load and start engines. A memory access of the core sees the
// effect of every engine command issued before it, served or not: a message can
// arrive before the packet's last bytes are in DRAM.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALE_H
#define KARAKAL_SIM_IXP_CORE_XSCALE_H

#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/ControlProcessor.h"
#include "sim-ixp/core/XScaleEmulator.h"

#include <memory>
#include <optional>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::sim {

class Cap;
class Dram;
class MediaInterface;
class Microengine;
class ChipObserver;
class Scratch;
class Sram;

/// The parts of the chip that the core is connected to.
struct XScaleConnections {
  Scheduler *scheduler;
  const target::ChipParameters *parameters;
  ChipObserver *observer;
  Dram *dram;
  Scratch *scratch;
  std::vector<Sram *> sram; ///< by channel
  Cap *cap = nullptr;
  std::vector<Microengine *> engines = {};
  MediaInterface *media = nullptr;
};

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
  void onRingNotEmpty(uint32_t ring) override;
  /// An engine raised CAP interrupt `which`; the handler runs when the core is
  /// free and reads the reason from the CAP.
  void onInterrupt(uint32_t which);
  uint64_t busyUntil() const override;
  const Error *fault() const override {
    return firstFault ? &*firstFault : nullptr;
  }
  /// Instructions and accesses so far.
  const XScaleStatistics &statistics() const { return core->statistics(); }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  XScale(XScaleConnections chip, const XScaleProgram &program);

  std::optional<uint32_t> readWord(uint32_t address) override;
  bool writeWord(uint32_t address, uint32_t value) override;
  bool writeRing(uint32_t ring, uint32_t value);
  Microengine *engineAt(uint32_t address) const;
  void settle();
  void wake();

  XScaleConnections chip;
  XScaleProgram program;
  std::unique_ptr<XScaleEmulator> core;
  std::optional<Error> firstFault;
  uint64_t freeCycle = 0;
  bool isWakeScheduled = false;
  bool isInterrupted = false;
  /// The word last written to XScaleRingSecond, for the next put.
  std::optional<uint32_t> secondWord;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALE_H
