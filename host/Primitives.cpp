//===- Primitives.cpp - the host functions that JIT code calls --*- C++ -*-===//

#include "host/Primitives.h"
#include "host/RunGuards.h"
#include "support/Error.h"

namespace karakal::host {

static thread_local RunContext *active = nullptr;

ActiveContext::ActiveContext(RunContext &context) {
  KARAKAL_ASSERT(!active, "one program runs on a thread at a time");
  active = &context;
  setServiceRuntime(&context.runtime);
}

ActiveContext::~ActiveContext() {
  active = nullptr;
  setServiceRuntime(nullptr);
}

/// Leaves the program if the runtime has met a fault.
static void leaveOnFault() {
  if (!active->runtime.fault().empty())
    std::longjmp(active->escape, 1);
}

extern "C" {

static uint64_t packetRead(uint32_t h, uint32_t bitOffset, uint32_t bits) {
  uint64_t value = active->runtime.read(h, bitOffset, bits);
  leaveOnFault();
  return value;
}

static void packetWrite(uint32_t h, uint32_t bitOffset, uint32_t bits,
                        uint64_t value) {
  active->runtime.write(h, bitOffset, bits, value);
  leaveOnFault();
}

static uint32_t metaRead(uint32_t h, uint32_t word) {
  uint32_t value = active->runtime.metaRead(h, word);
  leaveOnFault();
  return value;
}

static void metaWrite(uint32_t h, uint32_t word, uint32_t value) {
  active->runtime.metaWrite(h, word, value);
  leaveOnFault();
}

static uint32_t rxPort(uint32_t h) {
  uint32_t value = active->runtime.rxPort(h);
  leaveOnFault();
  return value;
}

static uint32_t txPort(uint32_t h) {
  uint32_t value = active->runtime.txPort(h);
  leaveOnFault();
  return value;
}

static void setTxPort(uint32_t h, uint32_t port) {
  active->runtime.setTxPort(h, port);
  leaveOnFault();
}

static uint32_t packetLength(uint32_t h) {
  uint32_t value = active->runtime.length(h);
  leaveOnFault();
  return value;
}

static uint32_t packetDecap(uint32_t h, uint32_t bytes) {
  uint32_t value = active->runtime.decap(h, bytes);
  leaveOnFault();
  return value;
}

static uint32_t packetEncap(uint32_t h, uint32_t bytes) {
  uint32_t value = active->runtime.encap(h, bytes);
  leaveOnFault();
  return value;
}

static uint32_t packetAddTail(uint32_t h, uint32_t bytes) {
  uint32_t value = active->runtime.addTail(h, bytes);
  leaveOnFault();
  return value;
}

static uint32_t packetRemoveTail(uint32_t h, uint32_t bytes) {
  uint32_t value = active->runtime.removeTail(h, bytes);
  leaveOnFault();
  return value;
}

static uint32_t packetHeadroom(uint32_t h) {
  uint32_t value = active->runtime.headroom(h);
  leaveOnFault();
  return value;
}

static uint32_t packetCreate(uint32_t bytes) {
  uint32_t value = active->runtime.create(bytes);
  leaveOnFault();
  return value;
}

static uint32_t packetCopy(uint32_t h) {
  uint32_t value = active->runtime.copy(h);
  leaveOnFault();
  return value;
}

static void packetDrop(uint32_t h, uint32_t reason) {
  active->runtime.setOnXScale(active->onXScale());
  active->runtime.drop(h, reason);
  leaveOnFault();
}

static void channelPut(uint32_t ring, uint32_t message) {
  uint32_t id = message >> 24;
  if (ring != PacketRuntime::RingTx && id < active->channelToXScale.size() &&
      active->channelToXScale[id] && !active->onXScale())
    ++active->runtime.counts().toXScale;
  active->runtime.channelPut(ring, message);
  leaveOnFault();
}

static void exhausted() {
  active->runtime.setFault("the program loops without end");
  leaveOnFault();
}

static void profileLoad(uint32_t global, uint32_t line) {
  if (active->isPacket)
    active->locality[global].access(line);
}

static void enterXScale(uint32_t previous) {
  bool fromXScale =
      previous < active->ppfOnXScale.size() && active->ppfOnXScale[previous];
  if (!fromXScale)
    ++active->runtime.counts().toXScale;
}

} // extern "C"

std::vector<std::pair<const char *, void *>> primitiveSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{"baker_packet_read", at(packetRead)},
          {"baker_packet_write", at(packetWrite)},
          {"baker_meta_read", at(metaRead)},
          {"baker_meta_write", at(metaWrite)},
          {"baker_rx_port", at(rxPort)},
          {"baker_tx_port", at(txPort)},
          {"baker_set_tx_port", at(setTxPort)},
          {"baker_packet_length", at(packetLength)},
          {"baker_packet_decap", at(packetDecap)},
          {"baker_packet_encap", at(packetEncap)},
          {"baker_packet_add_tail", at(packetAddTail)},
          {"baker_packet_remove_tail", at(packetRemoveTail)},
          {"baker_packet_headroom", at(packetHeadroom)},
          {"baker_packet_create", at(packetCreate)},
          {"baker_packet_copy", at(packetCopy)},
          {"baker_packet_drop", at(packetDrop)},
          {"baker_channel_put", at(channelPut)},
          {"baker_profile_load", at(profileLoad)},
          {GuardSymbols::Exhausted, at(exhausted)},
          {GuardSymbols::EnterXScale, at(enterXScale)}};
}

} // namespace karakal::host
