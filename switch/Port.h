// A port of the switch: frames in and out in bursts.
//
// Each core has a queue of each port, and a queue is used by one thread at a
// time. A port with one way in gives all frames to the first queue; the switch
// then hands them to the core of their flow.

#ifndef KARAKAL_SWITCH_PORT_H
#define KARAKAL_SWITCH_PORT_H

#include "codegen-x86/LiveProgram.h"
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sw {

using x86::Frame;

/// What happened at a queue of a port, in frames unless the name says more.
struct PortCounts {
  uint64_t received = 0, receivedBytes = 0;
  uint64_t sent = 0, sentBytes = 0;
  /// Received, but damaged by the way in: cut short, or longer than the port
  /// takes.
  uint64_t damaged = 0;
  /// Not received, since the cores took too few in time.
  uint64_t missed = 0;
  /// Not sent, since the way out had no room, had no link or no other end, or
  /// for another reason.
  uint64_t full = 0, noLink = 0, sendErrors = 0;
  /// Not received or not sent, since the port's pool of buffers was empty.
  uint64_t noBuffer = 0;
  /// How often the port went away: its interface was set down or removed.
  uint64_t downs = 0;

  void add(const PortCounts &other);
};

class Port {
public:
  /// `description` is what the command line says.
  Port(std::string description, uint32_t queues)
      : text(std::move(description)), countsByQueue(queues) {}
  virtual ~Port() = default;
  Port(const Port &) = delete;

  const std::string &description() const { return text; }

  /// Gives up to `max` frames, whose bytes stay until the next call for this
  /// queue; leaves their `port` alone. Called for queue 0 alone unless the port
  /// spreads flows.
  virtual uint32_t receive(uint32_t queue, Frame *frames, uint32_t max) = 0;
  /// Sends frames and counts those that it cannot send.
  virtual void send(uint32_t queue, const Frame *frames, uint32_t count) = 0;
  /// Whether each queue receives flows of its own.
  virtual bool spreadsFlows() const { return false; }
  /// Whether the bytes of received frames stay as long as the port exists.
  virtual bool keepsFrames() const { return false; }
  /// A file descriptor that is readable when frames wait; -1: there is none.
  virtual int descriptor(uint32_t) const { return -1; }
  /// Whether no frame will come any more.
  virtual bool isEnded() const { return false; }
  /// Whether the port works at present.
  virtual bool isUp() const { return true; }
  /// Called about once a second while no core uses the port: looks whether it
  /// is still there, or again.
  virtual void tend() {}
  /// Called at the end, after the last frame: E-switch-004 if what was written
  /// cannot be kept.
  virtual Status close() { return success(); }

  /// The sum over the queues. No thread uses the port meanwhile.
  virtual PortCounts counts() const;

protected:
  uint32_t queueCount() const { return uint32_t(countsByQueue.size()); }
  PortCounts &countsOf(uint32_t queue) { return countsByQueue[queue].counts; }

private:
  /// Alone in its cache lines.
  struct alignas(64) QueueCounts {
    PortCounts counts;
  };
  std::string text;
  std::vector<QueueCounts> countsByQueue;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_PORT_H
