// The host functions that JIT code calls.

#include "host/Primitives.h"
#include "host/RunGuards.h"
#include "support/Error.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeNames.h"
#include <type_traits>

namespace karakal::host {

static thread_local RunContext *active = nullptr;

ActiveContext::ActiveContext(RunContext &context) {
  KARAKAL_ASSERT(!active, "one program runs on a thread at a time");
  active = &context;
  setServiceState(&context.runtime.services());
}

ActiveContext::~ActiveContext() {
  active = nullptr;
  setServiceState(nullptr);
}

void leaveProgram() { std::longjmp(active->escape, 1); }

bool isMessageToXScale(uint32_t message) {
  uint32_t id = message >> target::RingChannelShift;
  return id < active->channelToXScale.size() && active->channelToXScale[id];
}

/// Leaves the program if the runtime has a fault.
static void leaveOnFault() {
  if (!active->runtime.fault().empty())
    leaveProgram();
}

/// A method of the runtime as a function that JIT code can call. It leaves the
/// program on a fault.
template <auto method> struct Primitive;
template <typename Result, typename... Arguments,
          Result (PacketRuntime::*method)(Arguments...)>
struct Primitive<method> {
  static Result call(Arguments... arguments) {
    if constexpr (std::is_void_v<Result>) {
      (active->runtime.*method)(arguments...);
      leaveOnFault();
    } else {
      Result value = (active->runtime.*method)(arguments...);
      leaveOnFault();
      return value;
    }
  }
};

extern "C" {

static void packetDrop(uint32_t h, uint32_t reason) {
  active->runtime.setOnXScale(active->onXScale());
  active->runtime.drop(h, reason);
  leaveOnFault();
}

static void channelPut(uint32_t ring, uint32_t message) {
  if (ring != PacketRuntime::RingTx && isMessageToXScale(message) &&
      !active->onXScale())
    ++active->runtime.counts().toXScale;
  active->runtime.channelPut(ring, message);
  leaveOnFault();
}

static uint32_t dropCount(uint32_t reason) {
  return uint32_t(active->runtime.drops()[reason]);
}

static void exhausted() {
  active->runtime.setFault("the program loops without end");
  leaveOnFault();
}

static void profileLoad(uint32_t global, uint32_t line) {
  KARAKAL_ASSERT(global < active->locality.size(),
                 "the program loads from a site that it was instrumented for");
  if (active->isPacket)
    active->locality[global].access(line);
}

static void enterXScale(uint32_t previous) {
  bool fromXScale =
      previous < active->ppfOnXScale.size() && active->ppfOnXScale[previous];
  if (!fromXScale)
    ++active->runtime.counts().toXScale;
}

static void enterPpf(uint32_t ppf, uint32_t handle) {
  auto *code = active->ppfCode(ppf);
  leaveOnFault();
  code(handle);
}

} // extern "C"

std::vector<std::pair<const char *, void *>> primitiveSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {
      {target::runtime::PacketRead, at(Primitive<&PacketRuntime::read>::call)},
      {target::runtime::PacketWrite,
       at(Primitive<&PacketRuntime::write>::call)},
      {target::runtime::MetaRead,
       at(Primitive<&PacketRuntime::metaRead>::call)},
      {target::runtime::MetaWrite,
       at(Primitive<&PacketRuntime::metaWrite>::call)},
      {target::runtime::RxPort, at(Primitive<&PacketRuntime::rxPort>::call)},
      {target::runtime::TxPort, at(Primitive<&PacketRuntime::txPort>::call)},
      {target::runtime::SetTxPort,
       at(Primitive<&PacketRuntime::setTxPort>::call)},
      {target::runtime::PacketLength,
       at(Primitive<&PacketRuntime::length>::call)},
      {target::runtime::PacketDecap,
       at(Primitive<&PacketRuntime::decap>::call)},
      {target::runtime::PacketEncap,
       at(Primitive<&PacketRuntime::encap>::call)},
      {target::runtime::PacketAddTail,
       at(Primitive<&PacketRuntime::addTail>::call)},
      {target::runtime::PacketRemoveTail,
       at(Primitive<&PacketRuntime::removeTail>::call)},
      {target::runtime::PacketHeadroom,
       at(Primitive<&PacketRuntime::headroom>::call)},
      {target::runtime::PacketCreate,
       at(Primitive<&PacketRuntime::create>::call)},
      {target::runtime::PacketCopy, at(Primitive<&PacketRuntime::copy>::call)},
      {target::runtime::PacketDrop, at(packetDrop)},
      {target::runtime::PacketKeep, at(Primitive<&PacketRuntime::keep>::call)},
      {target::runtime::PacketFetch,
       at(Primitive<&PacketRuntime::fetch>::call)},
      {target::runtime::ChannelPut, at(channelPut)},
      {target::runtime::DropCount, at(dropCount)},
      {target::runtime::ProfileLoad, at(profileLoad)},
      {GuardSymbols::Exhausted, at(exhausted)},
      {GuardSymbols::EnterXScale, at(enterXScale)},
      {GuardSymbols::EnterPpf, at(enterPpf)}};
}

} // namespace karakal::host
