// Emulates the XScale's instructions with Unicorn.
//
// The IXP2400's control processor is a big-endian ARMv5TE core. Unicorn
// executes its instructions; this class gives Unicorn the chip's memories (the
// same bytes that the microengines see), the device windows (rings, queue
// array, atomics: one call per word), and a clock (XScalePipeline).
//
// A job is one function of the image: its entry, up to four arguments in
// r0..r3, the stack, and a return address that ends the job. A job runs to its
// end at once (`call`, while the microengines stand still), or alongside them
// (`start`, then `advance` to each cycle). The time of a call is estimated: a
// cycle of the core for each instruction, and further cycles for each access
// outside the caches.
//
// A job in time runs in slices. A slice ends after an access that leaves the
// caches, and after 64 cycles. So the microengines see two stores at two
// different times, and each access is performed within 64 cycles of its own.
//
// Code must be in memory before it first runs, because Unicorn caches its
// translations.
//
// A fault (an unmapped address, an undefined instruction) and a job that never
// ends are errors that give the core's program counter.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H
#define KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H

#include "sim-ixp/core/XScalePipeline.h"
#include "support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace karakal::sim {

/// What the core reaches outside its caches.
class XScaleBus {
public:
  virtual ~XScaleBus() = default;
  /// Reads the device word at physical byte `address`; nothing if there is no
  /// device.
  virtual std::optional<uint32_t> readWord(uint32_t address) = 0;
  /// Writes the word; returns false if there is no device.
  virtual bool writeWord(uint32_t address, uint32_t value) = 0;
  /// The time of an access of `bytes` of memory, or of a device word, that
  /// begins at chip cycle `cycle`: returns the cycle at which it is done.
  virtual double transfer(uint32_t address, uint32_t bytes, bool isWrite,
                          double cycle) = 0;
};

/// A memory of the chip as the core sees it: big-endian bytes, shared.
struct XScaleMemory {
  uint32_t base;  ///< physical address, a multiple of 4,096
  uint8_t *bytes; ///< storage, owned by the simulator's unit
  uint32_t size;  ///< bytes, a multiple of 4,096
};

/// A range of physical addresses that the bus serves.
struct XScaleWindow {
  uint32_t base; ///< a multiple of 4,096
  uint32_t size; ///< bytes, a multiple of 4,096
};

/// Parameters of the core's model.
struct XScaleParameters {
  /// Chip cycles of one cycle of the core.
  double cyclesPerClock = 1;
  /// Chip cycles of an access outside the caches in a call.
  double accessCycles = 100;
  /// What only the core uses, and therefore caches.
  XScalePrivate cached;
  /// Cycles after which a slice ends.
  uint32_t sliceCycles = 64;
  /// A job that runs longer than this is an endless job.
  uint64_t jobInstructionsMax = 2'000'000'000;
};

/// Counters of the core since the start.
struct XScaleStatistics {
  uint64_t instructions = 0; ///< executed
  uint64_t jobs = 0;         ///< started
  double busyCycles = 0;     ///< chip cycles of the jobs in time
  double callCycles = 0;     ///< chip cycles of the calls, estimated
  XScaleTimes times;         ///< of the jobs in time
};

/// One core with at most one job at a time.
class XScaleEmulator {
public:
  /// Maps `memories` and `windows`; `bus` must outlive the core.
  static Result<std::unique_ptr<XScaleEmulator>>
  create(const std::vector<XScaleMemory> &memories,
         const std::vector<XScaleWindow> &windows, XScaleBus &bus,
         uint32_t stackTop, const XScaleParameters &parameters = {});
  ~XScaleEmulator();
  XScaleEmulator(const XScaleEmulator &) = delete;
  XScaleEmulator &operator=(const XScaleEmulator &) = delete;

  /// Runs the function at `entry` to its end; returns r0. Only while no job is
  /// running.
  Result<uint32_t> call(uint32_t entry, const std::vector<uint32_t> &arguments);

  /// Starts a job at chip cycle `cycle`. Only while no job is running.
  void start(uint32_t entry, const std::vector<uint32_t> &arguments,
             uint64_t cycle);

  /// Runs the job up to the chip's current cycle.
  Status advance(uint64_t cycle);

  /// Chip cycle up to which the job has run.
  double clock() const;

  /// True between `start` and the job's return.
  bool busy() const;

  /// r0 of the last job that returned.
  uint32_t result() const;

  XScaleStatistics statistics() const;

private:
  struct Machine;
  explicit XScaleEmulator(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H
