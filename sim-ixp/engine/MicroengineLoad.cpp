// Local CSRs as the core sees them.
//
// The core loads an engine through its local CSRs (ControlStoreLoader.h), sets
// the contexts' registers through CSR_CTX_POINTER, and writes CTX_ENABLES. The
// stored words become a program when contexts are enabled.

#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "target-ixp/chip/ChipParameters.h"

#include <algorithm>

namespace karakal::sim {
namespace {

/// The contexts in CTX_ENABLES.
constexpr uint32_t contextEnableBits = 0xff00;

} // namespace

uint32_t Microengine::coreReadCsr(uint32_t csr) {
  switch (csr) {
  case target::Csr_USTORE_ADDRESS:
    return loader.address;
  case target::Csr_USTORE_DATA_LOWER:
    return static_cast<uint32_t>(loader.word());
  case target::Csr_USTORE_DATA_UPPER:
    return static_cast<uint32_t>(loader.word() >> 32);
  case target::Csr_USTORE_ERROR_STATUS:
    return loader.errorStatus();
  case target::Csr_TIMESTAMP_LOW:
    return static_cast<uint32_t>(timestampAt(scheduler.now()));
  case target::Csr_TIMESTAMP_HIGH:
    return static_cast<uint32_t>(timestampAt(scheduler.now()) >> 32);
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
    loader.address = value;
    return;
  case target::Csr_USTORE_DATA_LOWER:
    loader.lower = value;
    return;
  case target::Csr_USTORE_DATA_UPPER:
    loader.store(value, chassis.parameters().meControlStore);
    return;
  case target::Csr_CTX_ENABLES:
    if (!isInReset)
      enable(value);
    return;
  case target::Csr_TIMESTAMP_LOW:
  case target::Csr_TIMESTAMP_HIGH:
    writeTimestamp(scheduler.now(), csr, value);
    return;
  default:
    writeCsrNow(csr, value);
  }
}

void Microengine::setReset(bool isOn) {
  if (isOn && !isInReset)
    coreWriteCsr(target::Csr_CTX_ENABLES, 0);
  isInReset = isOn;
}

/// The program that the core has stored. One that the engine knows brings its
/// source lines with it; words of a longer one before it may follow.
std::shared_ptr<const MicroProgram> Microengine::storedProgram() const {
  const std::vector<uint64_t> &words = loader.words();
  const KnownProgram *longest = nullptr;
  for (const KnownProgram &known : knownPrograms)
    if (known.words.size() <= words.size() &&
        std::equal(known.words.begin(), known.words.end(), words.begin()) &&
        (!longest || known.words.size() > longest->words.size()))
      longest = &known;
  return longest ? longest->program
                 : std::make_shared<MicroProgram>(prepareProgram(words));
}

/// Counts from now on for `newProgram`, which may have run before.
void Microengine::exchangeProfile(
    const std::shared_ptr<const MicroProgram> &newProgram) {
  auto onBlock = profile->onBlock;
  otherProfiles.push_back({program, std::move(profile)});
  auto before = std::find_if(
      otherProfiles.begin(), otherProfiles.end(),
      [&](const ProfiledProgram &one) { return one.program == newProgram; });
  if (before == otherProfiles.end()) {
    profile = std::make_unique<EngineProfile>(newProgram->ops.size());
  } else {
    profile = std::move(before->profile);
    otherProfiles.erase(before);
  }
  profile->onBlock = onBlock;
}

void Microengine::forEachProfile(
    const std::function<void(const MicroProgram &, const EngineProfile &)> &use)
    const {
  KARAKAL_ASSERT(profile, "the engine is profiled");
  use(*program, *profile);
  for (const ProfiledProgram &one : otherProfiles)
    use(*one.program, *one.profile);
}

/// Counts the cycles in which the core keeps all contexts disabled.
void Microengine::noteRest(uint32_t enablesBefore) {
  bool wasOn = (enablesBefore & contextEnableBits) != 0;
  bool isOn = (csrs.ctxEnables & contextEnableBits) != 0;
  if (wasOn && !isOn) {
    ++rest.stops;
    restBegin = scheduler.now();
  } else if (!wasOn && isOn && rest.stops > rest.starts) {
    ++rest.starts;
    rest.cycles += scheduler.now() - restBegin;
  }
}

/// A write of CTX_ENABLES by the core: bits 15:8 start and stop contexts. A
/// context that starts continues at its INDIRECT_CTX_STS.
void Microengine::enable(uint32_t value) {
  uint32_t wanted = value >> 8 & 0xff;
  if (loader.takeNew()) {
    load(storedProgram());
    ++coreLoads;
  }
  for (uint32_t i = 0; i < contextCount; ++i) {
    bool isActive = arbiter.contexts[i].state != ContextState::Inactive;
    if (isActive && !(wanted >> i & 1))
      arbiter.stop(i, ContextState::Inactive);
    wanted &= ~(uint32_t{isActive} << i);
  }
  uint32_t before = csrs.ctxEnables;
  setEnables(value);
  noteRest(before);
  refreshBases();
  if (wanted != 0 && program)
    resumeContexts(wanted);
}

} // namespace karakal::sim
