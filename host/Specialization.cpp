// Specialized code of a program that runs on x86.

#include "host/Specialization.h"
#include "codegen-x86/PacketMemory.h"
#include "host/standalone/ThreadTime.h"
#include "support/Assert.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>

namespace karakal::host {

/// How long the builder waits before it looks again whether old code has become
/// unused, or what changes all the time has kept still.
static constexpr double lookAgainMs = 10;

static double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

SpecializedCode::SpecializedCode() = default;
SpecializedCode::~SpecializedCode() = default;

Specialization::Specialization(const HostProgram &program, JitProgram &own,
                               x86::Specializable prepared,
                               std::vector<std::vector<SymbolAddress>> memories,
                               const SpecializeOptions &options)
    : program(program), specializable(std::move(prepared)),
      symbols(std::move(memories)), options(options),
      machine(makeHostMachine()), bursts(symbols.size()),
      exchange(uint32_t(symbols.size())),
      watch(specializable.versionCount, options.restMsMax),
      restMs(options.restMsMin), trafficRestMs(options.trafficRestMsMin) {
  KARAKAL_ASSERT(options.when != SpecializeWhen::Never, "it is asked for");
  KARAKAL_ASSERT(!symbols.empty(), "a program runs on a core");
  state.versions = static_cast<const uint64_t *>(
      addressOf(*own.jit, x86::Specializable::Versions));
  for (const x86::SharedGlobal &global : specializable.globals) {
    void *address = addressOf(*own.jit, global.name);
    state.globals[global.name] = static_cast<const uint32_t *>(address);
    for (std::vector<SymbolAddress> &known : symbols)
      known.emplace_back(global.name.c_str(), address);
  }
  for (std::vector<SymbolAddress> &known : symbols)
    known.emplace_back(x86::Specializable::Versions,
                       const_cast<uint64_t *>(state.versions));
  if (options.sample.period != 0)
    sampler.emplace(specializable.tables.size(), uint32_t(symbols.size()),
                    options.sample);
}

Specialization::~Specialization() { finish(); }

//===----------------------------------------------------------------------===//
// The threads of cores, and of control calls
//===----------------------------------------------------------------------===//

const PacketEntries *Specialization::begin(uint32_t core) {
  if (sampler && sampler->begin(core)) {
    ++bursts[core].counts.observed;
    return &observer.entries[core];
  }
  const SpecializedCode *code = exchange.begin(core);
  bool isUsable = code && (options.skipsGuard || code->isValid(state.versions));
  Bursts &counts = bursts[core].counts;
  ++(isUsable ? counts.specialized : counts.own);
  return isUsable ? &code->entries[core] : nullptr;
}

void Specialization::settle() {
  Lock lock(mutex);
  KARAKAL_ASSERT(!isOver, "no packet comes after the end");
  if (!watch.isSettled(state.versions) && !isInForce() && !changedMs)
    changedMs = nowMs();
  if (isAtOnce()) {
    double start = threadSeconds();
    makeObserver(lock);
    buildIfDue(lock);
    told.waitedSeconds += threadSeconds() - start;
    noteBroken();
    freeUnused(lock);
    return;
  }
  if (!thread.joinable())
    thread = std::thread([this] { work(); });
  else if (isAsleep && !watch.isSettled(state.versions))
    wake.notify_one();
}

void Specialization::finish() {
  {
    Lock lock(mutex);
    isOver = true;
    wake.notify_one();
  }
  if (thread.joinable())
    thread.join();
}

SpecializeReport Specialization::report() {
  Lock lock(mutex);
  SpecializeReport all = told;
  all.isInForce = isInForce();
  for (const CoreBursts &core : bursts) {
    all.specializedBursts += core.counts.specialized;
    all.ownBursts += core.counts.own;
    all.observedBursts += core.counts.observed;
  }
  return all;
}

std::optional<x86::Assumptions> Specialization::explain() {
  Lock lock(mutex);
  if (!basis)
    return x86::Assumptions();
  if (!basis->hasSavings && thread.joinable()) {
    wantsSavings = true;
    wake.notify_one();
    return std::nullopt;
  }
  if (!basis->hasSavings)
    countSavings(lock);
  return x86::Assumptions(basis->made);
}

//===----------------------------------------------------------------------===//
// The thread of builds
//===----------------------------------------------------------------------===//

void Specialization::work() {
  Lock lock(mutex);
  while (true) {
    withdrawBroken();
    freeUnused(lock);
    if (buildIfDue(lock))
      continue;
    if (isOver)
      return;
    if (makeObserver(lock))
      continue; // there may have been a change in the meantime
    if (wantsSavings)
      countSavings(lock);
    else
      rest(lock);
  }
}

/// Waits for something to do.
void Specialization::rest(Lock &lock) {
  auto hasTraffic = [&] {
    return sampler && (sampler->hasNews() || sampler->wantsCode());
  };
  if (watch.isSettled(state.versions) && !exchange.hasOld() && !otherTraffic) {
    isAsleep = true;
    wake.wait(lock, [&] {
      return isOver || wantsSavings || hasTraffic() ||
             !watch.isSettled(state.versions);
    });
    isAsleep = false;
    return;
  }
  double restLeftMs = restEndMs - nowMs();
  double ms = restLeftMs > 0 ? std::min(restLeftMs, lookAgainMs) : lookAgainMs;
  wake.wait_for(lock, std::chrono::duration<double, std::milli>(ms),
                [&] { return isOver || wantsSavings; });
}

/// Builds code if the state is not that of the last build. False if not.
bool Specialization::buildIfDue(Lock &lock) {
  lookAtTraffic();
  double now = nowMs();
  bool isChanged =
      !watch.isSettled(state.versions) && watch.wantsBuild(state.versions, now);
  if ((!isChanged && !wantsTrafficBuild(now)) ||
      (!isAtOnce() && now < restEndMs))
    return false;
  if (!isChanged)
    noteTrafficBuild(now);
  watch.builds(state.versions);
  Request request{x86::takeSnapshot(specializable, state, options.limits), {}};
  if (otherTraffic)
    builtTraffic = std::move(*otherTraffic);
  otherTraffic.reset();
  request.snapshot.traffic = builtTraffic;
  if (!isAtOnce())
    request.restless = watch.restless();
  lock.unlock();
  Built built = build(std::move(request));
  lock.lock();
  take(std::move(built));
  return true;
}

/// Takes the sum of what bursts did, if there is news.
void Specialization::lookAtTraffic() {
  if (!sampler || !sampler->hasNews() || isOver)
    return;
  x86::Traffic now = sampler->take();
  if (x86::isFar(builtTraffic, now))
    otherTraffic = std::move(now);
  else
    otherTraffic.reset();
}

/// Sets the rest after a build that other traffic asked for, which is longer if
/// the last one was not long ago.
void Specialization::noteTrafficBuild(double now) {
  ++told.trafficBuilds;
  bool isSoon = now < trafficRestEndMs + trafficRestMs;
  trafficRestMs = isSoon ? std::min(2 * trafficRestMs, options.trafficRestMsMax)
                         : options.trafficRestMsMin;
  trafficRestEndMs = now + trafficRestMs;
}

/// Makes the code that observes if a burst wants it. False if not.
bool Specialization::makeObserver(Lock &lock) {
  if (!sampler || !sampler->wantsCode())
    return false;
  lock.unlock();
  auto context = std::make_unique<llvm::LLVMContext>();
  std::vector<unsigned> ways;
  std::unique_ptr<llvm::Module> module =
      x86::makeObserving(specializable, *context, *machine, ways);
  sampler->prepare(std::move(ways));
  std::vector<std::vector<SymbolAddress>> known = symbols;
  for (uint32_t i = 0; i < known.size(); ++i)
    for (const SymbolAddress &symbol : sampler->symbols(i))
      known[i].push_back(symbol);
  auto jits = compileModule(std::move(module), std::move(context), known);
  lock.lock();
  if (!jits) {
    told.failure = jits.error().message;
    sampler->giveUp();
    return true;
  }
  enter(observer, std::move(*jits));
  sampler->start();
  return true;
}

/// Finds the entries of compiled code.
void Specialization::enter(
    SpecializedCode &code,
    std::vector<std::unique_ptr<llvm::orc::LLJIT>> jits) const {
  code.jits = std::move(jits);
  for (auto &jit : code.jits) {
    code.entries.push_back(packetEntriesOf(*jit, program));
    reinterpret_cast<InitFunction>(
        addressOf(*jit, x86::PacketSymbols::FindFeatures))();
  }
}

Specialization::Built Specialization::build(Request asked) {
  double start = nowMs();
  auto made = std::make_shared<Basis>();
  made->request = std::move(asked);
  Built built = tryToBuild(*made);
  built.basis = std::move(made);
  built.ms = nowMs() - start;
  if (built.code && built.ms > 1000 * options.buildSecondsMax) {
    built.code.reset();
    built.failure = "the build took longer than " +
                    std::to_string(options.buildSecondsMax) + " s";
  }
  return built;
}

Specialization::Built Specialization::tryToBuild(Basis &from) {
  if (options.failBuild && options.failBuild())
    return {nullptr, nullptr, "a failure for a test"};
  const x86::Snapshot &snapshot = from.request.snapshot;
  from.made = x86::specialize(specializable, snapshot, options.limits, *machine,
                              {{}, from.request.restless});
  x86::Specialized &made = from.made;
  if (!made.module)
    return {nullptr, nullptr, made.refusal};
  auto code = std::make_unique<SpecializedCode>();
  for (unsigned number : made.assumed)
    code->assumed.emplace_back(number, snapshot.versions[number]);
  for (unsigned number : made.compared)
    if (made.assumed.count(number) == 0)
      code->compared.emplace_back(number, snapshot.versions[number]);
  auto jits =
      compileModule(std::move(made.module), std::move(made.context), symbols);
  if (!jits)
    return {nullptr, nullptr, jits.error().message};
  enter(*code, std::move(*jits));
  return {std::move(code), nullptr, ""};
}

/// Uses the code of a build that has ended.
void Specialization::take(Built built) {
  ++told.builds;
  told.buildMs.add(built.ms);
  bool isUseless = built.code && !built.code->isValid(state.versions);
  restMs =
      isUseless ? std::min(2 * restMs, options.restMsMax) : options.restMsMin;
  restEndMs = nowMs() + restMs;
  if (!built.code && built.failure.empty()) {
    changedMs.reset(); // nothing to assume
    return;
  }
  if (!built.code) {
    ++told.failed;
    told.failure = built.failure;
    return;
  }
  if (isUseless) {
    ++told.outOfDate;
    if (!isAtOnce())
      for (auto [number, version] : built.code->assumed)
        if (state.versions[number] != version)
          watch.breaks(number);
    return;
  }
  ++told.used;
  if (changedMs)
    told.delayMs.add(nowMs() - *changedMs);
  changedMs.reset();
  exchange.offer(std::move(built.code));
  isBroken = isCompareNoted = false;
  basis = std::move(built.basis);
}

/// Counts code that an update has made useless, and why.
void Specialization::noteBroken() {
  const SpecializedCode *code = exchange.get();
  if (code && !isAtOnce() && !isCompareNoted)
    for (auto [number, version] : code->compared)
      if (state.versions[number] != version) {
        watch.breaks(number);
        isCompareNoted = true;
      }
  if (!code || isBroken || code->isValid(state.versions))
    return;
  isBroken = true;
  ++told.undone;
  // Code that is made at once leaves nothing out.
  if (!isAtOnce())
    for (auto [number, version] : code->assumed)
      if (state.versions[number] != version)
        watch.breaks(number);
}

void Specialization::withdrawBroken() {
  noteBroken();
  if (isBroken)
    exchange.offer(nullptr);
  isBroken = false;
}

void Specialization::freeUnused(Lock &lock) {
  auto unused = exchange.takeUnused();
  if (unused.empty())
    return;
  lock.unlock();
  unused.clear();
  lock.lock();
}

/// Counts what each assumption of the code last used saves.
void Specialization::countSavings(Lock &lock) {
  wantsSavings = false;
  std::shared_ptr<Basis> counted = basis;
  if (!counted || counted->hasSavings)
    return;
  lock.unlock();
  x86::measureSavings(counted->made, specializable, counted->request.snapshot,
                      options.limits, *machine);
  lock.lock();
  counted->hasSavings = true;
}

} // namespace karakal::host
