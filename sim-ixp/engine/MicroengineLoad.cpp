// Local CSRs as the core sees them.
//
// The core loads an engine by its local CSRs ("MEv2 reference", loading code):
// USTORE_ADDRESS with bit 31, for each word USTORE_DATA_LOWER (bits 31:0) and
// USTORE_DATA_UPPER (bits 41:32, which stores the word and moves on), then the
// contexts' registers by CSR_CTX_POINTER, and CTX_ENABLES. Bit 41 is the parity
// of bits 39:20, bit 40 that of 19:0. The words become a program when contexts
// are enabled.

#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "target-ixp/chip/ChipParameters.h"

#include <algorithm>

namespace karakal::sim {
namespace {

constexpr uint32_t ustoreEnable = 1u << 31;
constexpr uint32_t ustoreMask = 0x1fff;
constexpr uint64_t wordMask = (uint64_t{1} << 40) - 1;

bool hasParity(uint64_t word) {
  bool upper = __builtin_parityll(word >> 20 & 0xfffff);
  bool lower = __builtin_parityll(word & 0xfffff);
  return (word >> 41 & 1) == upper && (word >> 40 & 1) == lower;
}

} // namespace

uint32_t Microengine::coreReadCsr(uint32_t csr) {
  switch (csr) {
  case target::Csr_USTORE_ADDRESS:
    return ustoreAddress;
  case target::Csr_USTORE_DATA_LOWER:
    return static_cast<uint32_t>(storedWord());
  case target::Csr_USTORE_DATA_UPPER:
    return static_cast<uint32_t>(storedWord() >> 32);
  case target::Csr_USTORE_ERROR_STATUS:
    return ustoreError;
  default:
    return readCsr(csr);
  }
}

void Microengine::coreWriteCsr(uint32_t csr, uint32_t value) {
  if (isAsleep && scheduler.now() > time) {
    counters.idleCycles += scheduler.now() - std::max(time, sleepBegin);
    time = sleepBegin = scheduler.now();
  }
  switch (csr) {
  case target::Csr_USTORE_ADDRESS:
    ustoreAddress = value;
    return;
  case target::Csr_USTORE_DATA_LOWER:
    ustoreLower = value;
    return;
  case target::Csr_USTORE_DATA_UPPER:
    storeWord(uint64_t{value} << 32 | ustoreLower);
    return;
  case target::Csr_CTX_ENABLES:
    enable(value);
    return;
  default:
    writeCsrNow(csr, value);
  }
}

uint64_t Microengine::storedWord() const {
  uint32_t place = ustoreAddress & ustoreMask;
  return place < store.size() ? store[place] : 0;
}

/// A word with wrong parity, or behind the control store, is kept out and shows
/// in USTORE_ERROR_STATUS.
void Microengine::storeWord(uint64_t word) {
  uint32_t place = ustoreAddress & ustoreMask;
  if (!(ustoreAddress & ustoreEnable))
    return;
  if (!hasParity(word) || place >= chassis.parameters().meControlStore) {
    ustoreError = ustoreEnable | place;
    return;
  }
  if (place >= store.size())
    store.resize(place + 1);
  store[place] = word & wordMask;
  isStoreNew = true;
  ++ustoreAddress;
}

/// CTX_ENABLES from outside: bits 15:8 start and stop contexts. One that starts
/// goes on where its INDIRECT_CTX_STS says.
void Microengine::enable(uint32_t value) {
  uint32_t wanted = value >> 8 & 0xff;
  if (isStoreNew)
    load(std::make_shared<MicroProgram>(prepareProgram(store)));
  isStoreNew = false;
  for (uint32_t i = 0; i < contextCount; ++i) {
    bool isActive = contexts[i].state != State::Inactive;
    if (isActive && !(wanted >> i & 1)) {
      contexts[i].state = State::Inactive;
      readyMask &= ~(1u << i);
      aliveMask &= ~(1u << i);
    }
    wanted &= ~(uint32_t{isActive} << i);
  }
  setEnables(value);
  refreshBases();
  if (wanted != 0 && program)
    startWhereTheyAre(wanted);
}

} // namespace karakal::sim
