// A program that runs in this process, as those who feed it see it.
//
// What a software switch and the compiler share: frames in bursts, the cores
// that run the program, calls of its control functions, counts. Whoever
// compiles a program implements this (host/live/LiveHostProgram.h); whoever
// moves frames uses it and knows nothing of the compiler.

#ifndef KARAKAL_CODEGEN_X86_LIVEPROGRAM_H
#define KARAKAL_CODEGEN_X86_LIVEPROGRAM_H

#include "codegen-x86/Specialization.h"
#include "support/Error.h"
#include "traces/ControlFile.h"
#include "traces/Timers.h"
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace karakal::x86 {

/// An Ethernet frame without CRC, in memory of somebody else.
struct Frame {
  const uint8_t *data = nullptr;
  uint32_t bytes = 0;
  /// Where it came in or leaves.
  uint32_t port = 0;
};

/// Takes the frames that a program sends.
class FrameSink {
public:
  virtual ~FrameSink() = default;
  /// Takes a frame, whose bytes stay where they are until the burst's next call
  /// of `flush` returns.
  virtual void send(const Frame &frame) = 0;
  /// Sends what was taken.
  virtual void flush() = 0;
};

/// Where the packets of a core ended.
struct LiveCounts {
  uint64_t received = 0;     ///< frames that got a buffer
  uint64_t transmitted = 0;  ///< frames sent, originals and copies
  uint64_t forwarded = 0;    ///< received frames that were sent
  uint64_t dropped = 0;      ///< received frames dropped by a PPF
  uint64_t consumed = 0;     ///< received frames that a cold PPF ended
  uint64_t copied = 0;       ///< packets made by copy and create
  uint64_t oversize = 0;     ///< too long for a port of the program
  uint64_t noBuffer = 0;     ///< not received, since no buffer was free
  uint64_t faults = 0;       ///< packets that made the program do wrong
  uint64_t lostInFaults = 0; ///< received frames that a fault ended
  uint64_t waiting = 0;      ///< received frames in queues of the program
  /// Bursts that ran specialized code, and the program's own.
  uint64_t specializedBursts = 0, ownBursts = 0;
};

/// As long as it lives, the thread that made it may run a core.
class LiveAttachment {
public:
  virtual ~LiveAttachment() = default;
};

/// One core's part of a program: packets of its own, data shared with the other
/// cores. Several threads may be attached to it if only one uses it at a time.
class LiveCore {
public:
  virtual ~LiveCore() = default;
  virtual std::unique_ptr<LiveAttachment> attach() = 0;
  /// On a thread that is attached: runs the program for each frame, in order.
  /// What it sends goes to `sink`, which is flushed at the end. A frame that
  /// makes the program do something illegal ends there and is counted.
  virtual void run(const Frame *frames, uint32_t count, uint64_t nowNs,
                   FrameSink &sink) = 0;
  /// On a thread that is attached: calls a control function and returns what it
  /// returned. The error has the reason if the function did something illegal.
  virtual Result<uint32_t> call(size_t function,
                                const std::vector<uint64_t> &arguments,
                                uint64_t nowNs, FrameSink &sink) = 0;
  virtual LiveCounts counts() const = 0;
  /// Frames by drop reason, originals and copies.
  virtual std::vector<uint64_t> drops() const = 0;
  /// What the last fault was; empty if there was none.
  virtual std::string lastFault() const = 0;
};

class LiveProgram {
public:
  virtual ~LiveProgram() = default;
  virtual const std::string &name() const = 0;
  virtual const std::vector<traces::ControlSignature> &controls() const = 0;
  virtual const std::vector<std::string> &dropReasons() const = 0;
  /// The texts of `refusal`, in the order of their numbers.
  virtual const std::vector<std::string> &refusals() const = 0;
  /// The control functions that are called by themselves.
  virtual const std::vector<traces::TimerFunction> &timers() const = 0;
  /// The tables that packets and timers change, so that calls from outside do
  /// not tell their entries.
  virtual const std::vector<std::string> &changedTables() const = 0;
  virtual uint32_t coreCount() const = 0;
  virtual LiveCore &core(uint32_t index) = 0;
  /// Runs the program's init functions; comes first, on any thread that is not
  /// attached to a core. E-host-001 if one does something illegal.
  virtual Status init() = 0;

  // Specialized code, for the thread that makes calls.
  virtual bool isSpecialized() const { return false; }
  /// What it returns is held while control functions run.
  virtual std::unique_lock<std::mutex> change() { return {}; }
  /// Between calls and the next packets, while no core runs: looks at what was
  /// changed. Comes before the first packet, too.
  virtual void settle() {}
  /// What became of it, while no core runs.
  virtual SpecializeReport specialization() { return {}; }
  /// What the code last used assumes; nothing while that is being found out.
  virtual std::optional<Assumptions> explain() { return Assumptions(); }
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_LIVEPROGRAM_H
