// Code for several cores that share a program's data.
//
// Each core's code is compiled with the addresses of its own packet memory, so
// that the code of one core is as fast as if it were alone. The first core's
// code defines the program's data, the others' refer to it.

#ifndef KARAKAL_HOST_LIVE_SHAREDCODE_H
#define KARAKAL_HOST_LIVE_SHAREDCODE_H

#include "host/Jit.h"
#include <atomic>
#include <deque>

namespace karakal::host {

/// Excludes the PPFs of the XScale core from each other. A thread may enter
/// several times, one PPF from another.
class ColdPpfs {
public:
  /// Enters, and leaves as often as this thread entered, which is what a fault
  /// in such a PPF needs.
  void enter();
  void leave();
  void leaveAll();

private:
  /// The thread that is in one, by the address of a variable of its own.
  std::atomic<const void *> owner{nullptr};
  uint32_t depth = 0;
};

/// Compiles `program` once for each element of `memories`, the symbols of a
/// core's packets. `program` keeps its description and loses its code. If there
/// are several cores, PPFs of the XScale core call `cold`. If `specializable`
/// is not null, prepares the program for being specialized; such code needs
/// `threadSymbols` besides the memory of its core.
std::deque<JitProgram>
compileShared(HostProgram &program,
              const std::vector<std::vector<SymbolAddress>> &memories,
              x86::Specializable *specializable = nullptr);

/// What code for several cores calls: locks, and the entry and end of a PPF of
/// the XScale core. `useForThread` names what the thread uses; null ends that.
std::vector<SymbolAddress> threadSymbols();
void useForThread(ColdPpfs *cold);
/// Gives up the lock of a critical section and the XScale core after a fault.
void giveUpLocks();

} // namespace karakal::host

#endif // KARAKAL_HOST_LIVE_SHAREDCODE_H
