// Emulates the XScale's instructions with Unicorn.
//
// The IXP2400's control processor is a big-endian ARMv5TE core. Unicorn
// executes its instructions; this class gives Unicorn the chip's memories (the
// same bytes that the microengines see), the device windows (rings, queue
// array, atomics: one call per word), and a clock.
//
// A job is one function of the image: its entry, up to four arguments in
// r0..r3, the stack, and a return address that ends the job. A job runs to its
// end at once (`call`, before packets flow) or alongside the microengines
// (`start`, then `advance` to each cycle). Unicorn does not model time: each
// instruction costs a constant number of cycles, and each device access a
// further constant. Both are parameters, not facts: no source gives them.
//
// Code must be in memory before it first runs, because Unicorn caches its
// translations.
//
// A fault (an unmapped address, an undefined instruction) and a job that never
// ends are errors that give the core's program counter.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H
#define KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H

#include "support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace karakal::sim {

/// The devices that the core reaches besides memory, one word at a time.
class XScaleBus {
public:
  virtual ~XScaleBus() = default;
  /// Reads the word at physical byte `address`; nothing if there is no device.
  virtual std::optional<uint32_t> readWord(uint32_t address) = 0;
  /// Writes the word; returns false if there is no device.
  virtual bool writeWord(uint32_t address, uint32_t value) = 0;
};

/// A memory of the chip as the core sees it: big-endian bytes, shared.
struct XScaleMemory {
  uint32_t base;  ///< physical address, a multiple of 4,096
  uint8_t *bytes; ///< storage, owned by the simulator's unit
  uint32_t size;  ///< bytes, a multiple of 4,096
};

/// Uncached addresses [first, last]: each load or store costs `accessCycles`,
/// in windows too.
struct XScaleUncached {
  uint32_t first;
  uint32_t last;
};

/// A range of physical addresses that the bus serves.
struct XScaleWindow {
  uint32_t base; ///< a multiple of 4,096
  uint32_t size; ///< bytes, a multiple of 4,096
};

/// Parameters of the core's model; none is documented, all may be swept.
struct XScaleParameters {
  /// Average chip cycles per instruction, with caches and pipeline.
  double cyclesPerInstruction = 1;
  /// Additional chip cycles per uncached access.
  double accessCycles = 100;
  /// Instructions that run before the core checks the clock again.
  uint32_t sliceInstructions = 64;
  /// A job that runs longer than this without `renew` is an endless job.
  uint64_t jobInstructionsMax = 200'000'000;
};

/// Counters of the core since the start.
struct XScaleStatistics {
  uint64_t instructions = 0; ///< executed
  uint64_t accesses = 0;     ///< uncached
  uint64_t jobs = 0;         ///< started
};

/// One core with at most one job at a time.
class XScaleEmulator {
public:
  /// Maps `memories` and `windows`; `bus` must outlive the core.
  static Result<std::unique_ptr<XScaleEmulator>>
  create(const std::vector<XScaleMemory> &memories,
         const std::vector<XScaleWindow> &windows, XScaleBus &bus,
         uint32_t stackTop, const XScaleParameters &parameters = {},
         const XScaleUncached &uncached = {1, 0});
  ~XScaleEmulator();
  XScaleEmulator(const XScaleEmulator &) = delete;
  XScaleEmulator &operator=(const XScaleEmulator &) = delete;

  /// Runs the function at `entry` to its end, in no simulated time; returns r0.
  /// Only while no job is running.
  Result<uint32_t> call(uint32_t entry, const std::vector<uint32_t> &arguments);

  /// Starts a job at chip cycle `cycle`. Only while no job is running.
  void start(uint32_t entry, const std::vector<uint32_t> &arguments,
             uint64_t cycle);

  /// Runs the job up to the chip's current cycle.
  Status advance(uint64_t cycle);

  /// The job has more to do: restarts its time limit. A handler continues while
  /// its ring holds messages.
  void renew();

  /// Chip cycle up to which the job has run.
  double clock() const;

  /// Chip cycles of everything that has run so far.
  double cyclesTaken() const;

  /// True between `start` and the job's return.
  bool busy() const;

  /// r0 of the last job that returned.
  uint32_t result() const;

  const XScaleStatistics &statistics() const;

private:
  struct Machine;
  explicit XScaleEmulator(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H
