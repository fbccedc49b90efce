// The host functions that JIT code calls.
//
// The packet primitives under their C names, bound to one PacketRuntime while
// a program runs. A fault leaves the program by longjmp to the innermost
// `callGuarded`. The stack frames between are JIT code and the wrappers of this
// file, neither of which owns anything that needs a destructor.
//
// | symbol | C signature |
// |---|---|
// | baker_packet_read | u64 (u32 h, u32 bitOffset, u32 bits) |
// | baker_packet_write | void (u32 h, u32 bitOffset, u32 bits, u64 value) |
// | baker_meta_read / _write | u32 (u32 h, u32 word) / void (…, u32 value) |
// | baker_rx_port, baker_tx_port, baker_packet_length | u32 (u32 h) |
// | baker_set_tx_port | void (u32 h, u32 port) |
// | baker_packet_decap, baker_packet_encap | u32 (u32 h, u32 bytes) |
// | baker_packet_keep | void (u32 h) |
// | baker_packet_fetch | u32 (u32 word) |
// | baker_packet_add_tail, baker_packet_remove_tail | u32 (u32 h, u32 bytes) |
// | baker_packet_headroom, baker_packet_copy | u32 (u32 h) |
// | baker_packet_create | u32 (u32 bytes) |
// | baker_packet_drop | void (u32 h, u32 reason) |
// | baker_channel_put | void (u32 ring, u32 message) |
// | baker_hash48, baker_hash64 | u64 (u64 key) |
// | baker_hash128 | u128 (u128 key) |
// | baker_timestamp, baker_random | u32 () |
// | baker_drop_count | u32 (u32 reason) |
// | baker_trace_text, baker_trace_value | void (u32 character), (u64 value) |
// | baker_profile_load | void (u32 global, u32 line) |

#ifndef KARAKAL_HOST_PRIMITIVES_H
#define KARAKAL_HOST_PRIMITIVES_H

#include "host/Locality.h"
#include "host/PacketRuntime.h"
#include <csetjmp>
#include <functional>
#include <utility>
#include <vector>

namespace karakal::host {

/// The state that the primitives use while a program runs on this thread.
struct RunContext {
  PacketRuntime &runtime;
  /// Whether each PPF runs on the XScale core.
  std::vector<bool> ppfOnXScale;
  /// Whether the consumer of each channel, by id, runs on the XScale core.
  std::vector<bool> channelToXScale;
  /// Index of the PPF that runs, or NoPpf.
  uint32_t *ppf = nullptr;
  /// The loads of each global by packets. Loads by control calls do not count.
  std::vector<LruStack> locality;
  bool isPacket = false;
  /// The code of a PPF by its index; null if that is a fault.
  std::function<void (*(uint32_t ppf))(uint32_t)> ppfCode;
  std::jmp_buf escape{};

  bool onXScale() const {
    return *ppf < ppfOnXScale.size() && ppfOnXScale[*ppf];
  }
};

/// Makes the primitives of this thread use `context` as long as it lives.
class ActiveContext {
public:
  explicit ActiveContext(RunContext &context);
  ~ActiveContext();
  ActiveContext(const ActiveContext &) = delete;
};

/// Returns the name and address of every function that JIT code may call.
std::vector<std::pair<const char *, void *>> primitiveSymbols();

/// Leaves the program for the innermost `callGuarded`.
[[noreturn]] void leaveProgram();

/// Whether the consumer of a queued message runs on the XScale core.
bool isMessageToXScale(uint32_t message);

/// Calls `body`. Returns false if a fault left it. `body` must own nothing when
/// it calls JIT code.
template <typename Body> bool callGuarded(RunContext &context, Body body) {
  if (setjmp(context.escape) != 0)
    return false;
  body();
  return true;
}

} // namespace karakal::host

#endif // KARAKAL_HOST_PRIMITIVES_H
