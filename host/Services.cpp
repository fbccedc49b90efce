// Hashes, time, random numbers and traces on x86.
//
// The counterpart of runtime/services.ll. The time is that of the frame being
// processed.

#include "host/Services.h"
#include "codegen-x86/PacketFunctions.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <cstdio>

namespace karakal::host {

static thread_local ServiceState *running = nullptr;

void setServiceState(ServiceState *state) { running = state; }

uint32_t ServiceState::random() {
  return lastRandom = x86::nextRandom(lastRandom);
}

extern "C" {

__extension__ typedef unsigned __int128 Wide;

static target::HashKey hashOf(target::HashKey key, uint32_t bits) {
  return target::hashKey(
      key, bits, running ? running->hashMultiplier : target::HashMultiplier);
}

static uint64_t hash48(uint64_t key) { return hashOf({key, 0}, 48).low; }

static uint64_t hash64(uint64_t key) { return hashOf({key, 0}, 64).low; }

static Wide hash128(Wide key) {
  target::HashKey hash = hashOf({uint64_t(key), uint64_t(key >> 64)}, 128);
  return Wide(hash.high) << 64 | hash.low;
}

static uint32_t timestamp() {
  if (!running)
    return 0;
  uint64_t nowNs = running->clock ? running->clock() : running->nowNs;
  return x86::timestampAt(nowNs, running->engineHz);
}

static uint32_t randomNumber() { return running ? running->random() : 1; }

static void traceText(uint32_t character) {
  std::fputc(int(character), stderr);
}

static void traceValue(uint64_t value) {
  std::fprintf(stderr, "%llu", static_cast<unsigned long long>(value));
}

} // extern "C"

std::vector<std::pair<const char *, void *>> serviceSymbols() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{target::runtime::Hash48, at(hash48)},
          {target::runtime::Hash64, at(hash64)},
          {target::runtime::Hash128, at(hash128)},
          {target::runtime::Timestamp, at(timestamp)},
          {target::runtime::Random, at(randomNumber)},
          {target::runtime::TraceText, at(traceText)},
          {target::runtime::TraceValue, at(traceValue)}};
}

} // namespace karakal::host
