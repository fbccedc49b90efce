// The XScale's instructions, on Unicorn.
//
// The IXP2400's control processor is an ARMv5TE core that runs big-endian.
// Unicorn executes its instructions; this class gives Unicorn the chip's
// memories (the very bytes that the microengines see), the device windows
// (rings, queue array, atomics: one call a word), and a clock.
//
// A job is one function of the image: its entry, up to four arguments in
// r0..r3, the stack, and a return address at which the job is over. A job runs
// to its end at once (`call`, for what happens before packets flow) or beside
// the microengines (`start`, then `advance` to each cycle). Unicorn knows no
// time: an instruction costs a constant number of cycles, a device access a
// constant more. Both are parameters, not facts: no source gives them.
//
// Code is placed before it first runs: Unicorn keeps what it has translated.
//
// A fault (an address where nothing answers, an undefined instruction) and a
// job without end are errors that say where the core stood.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H
#define KARAKAL_SIM_IXP_CORE_XSCALEEMULATOR_H

#include "support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace karakal::sim {

/// What the core reaches besides memory, word by word.
class XScaleBus {
public:
  virtual ~XScaleBus() = default;
  /// The word at the physical byte `address`; nothing if no device is there.
  virtual std::optional<uint32_t> readWord(uint32_t address) = 0;
  /// Writes the word; false if no device is there.
  virtual bool writeWord(uint32_t address, uint32_t value) = 0;
};

/// A memory of the chip in the core's view: big-endian bytes, shared.
struct XScaleMemory {
  uint32_t base;  ///< physical address, a multiple of 4,096
  uint8_t *bytes; ///< storage, owned by the simulator's unit
  uint32_t size;  ///< bytes, a multiple of 4,096
};

/// Addresses [first, last] whose loads and stores go past the caches: they
/// cost `accessCycles` each, windows too.
struct XScaleUncached {
  uint32_t first;
  uint32_t last;
};

/// A range of physical addresses that the bus answers.
struct XScaleWindow {
  uint32_t base; ///< a multiple of 4,096
  uint32_t size; ///< bytes, a multiple of 4,096
};

/// Numbers of the core's model; none is documented, all may be swept.
struct XScaleParameters {
  /// Chip cycles of one instruction, caches and pipeline on average.
  double cyclesPerInstruction = 1;
  /// Further chip cycles of one access past the caches.
  double accessCycles = 100;
  /// Instructions that run before the core looks at the clock again.
  uint32_t sliceInstructions = 64;
  /// A job that goes on longer than this, without `renew`, is taken for one
  /// without end.
  uint64_t jobInstructionsMax = 200'000'000;
};

/// What the core did so far.
struct XScaleStatistics {
  uint64_t instructions = 0; ///< executed
  uint64_t accesses = 0;     ///< past the caches
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

  /// Runs the function at `entry` to its end, in no time; returns r0.
  /// Only while no job is running.
  Result<uint32_t> call(uint32_t entry, const std::vector<uint32_t> &arguments);

  /// Starts a job at chip cycle `cycle`. Only while no job is running.
  void start(uint32_t entry, const std::vector<uint32_t> &arguments,
             uint64_t cycle);

  /// Runs the job as far as the chip's clock has come.
  Status advance(uint64_t cycle);

  /// The job has got more to do: it may run as long again. A handler goes on
  /// while its ring holds messages.
  void renew();

  /// Chip cycle up to which the job has run.
  double clock() const;

  /// Chip cycles that everything run so far took.
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
