// Specialized code of a program that runs on x86.

#include "host/Specialization.h"
#include "codegen-x86/PacketMemory.h"
#include "host/ThreadTime.h"
#include "support/Assert.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace karakal::host {

struct SpecializedCode {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  PacketEntries entries;
  /// Numbers of versions and the values that they must have.
  std::vector<std::pair<unsigned, uint64_t>> assumed;
  x86::Explanations explanations;
  double seconds = 0;

  bool isValid(const uint64_t *versions) const {
    for (auto [number, version] : assumed)
      if (versions[number] != version)
        return false;
    return true;
  }
};

static double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Builds code, on its own thread or on that of the caller.
class Specialization::Builder {
public:
  /// A build that ended: code, or why there is none.
  struct Built {
    std::unique_ptr<SpecializedCode> code;
    std::string failure;
    double seconds = 0;
  };

  Builder(const HostProgram &program, JitProgram &own,
          x86::Specializable &&specializable, std::vector<SymbolAddress> memory,
          const SpecializeOptions &options)
      : program(program), specializable(std::move(specializable)),
        symbols(std::move(memory)), options(options),
        machine(makeHostMachine()) {
    state.versions = static_cast<const uint64_t *>(
        addressOf(*own.jit, x86::Specializable::Versions));
    for (const x86::SharedGlobal &global : this->specializable.globals) {
      void *address = addressOf(*own.jit, global.name);
      state.globals[global.name] = static_cast<const uint32_t *>(address);
      symbols.emplace_back(global.name.c_str(), address);
    }
    if (options.when == SpecializeWhen::Background)
      thread = std::thread([this] { work(); });
  }

  ~Builder() { stop(); }

  const uint64_t *versions() const { return state.versions; }
  size_t versionCount() const { return specializable.versionCount; }
  x86::Snapshot takeSnapshot() const {
    return x86::takeSnapshot(specializable, state, options.limits);
  }

  bool isBusy() const { return busy; }

  /// A state, and the versions that must not be assumed.
  struct Request {
    x86::Snapshot snapshot;
    std::set<unsigned> restless;
  };

  /// Builds code for a state. `take` gives the result.
  void start(Request asked) {
    KARAKAL_ASSERT(!busy, "one build at a time");
    busy = true;
    if (!thread.joinable()) {
      done = build(asked);
      isDone = true;
      return;
    }
    std::lock_guard<std::mutex> lock(mutex);
    request = std::move(asked);
    wake.notify_one();
  }

  std::optional<Built> take() {
    if (!isDone)
      return std::nullopt;
    Built built = std::move(*done);
    done.reset();
    isDone = false;
    busy = false;
    return built;
  }

  /// Frees code that no packet runs.
  void retire(std::unique_ptr<SpecializedCode> code) {
    std::lock_guard<std::mutex> lock(mutex);
    retired.push_back(std::move(code));
    wake.notify_one();
  }

  void stop() {
    if (!thread.joinable())
      return;
    {
      std::lock_guard<std::mutex> lock(mutex);
      isOver = true;
      wake.notify_one();
    }
    thread.join();
  }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return isOver || request || !retired.empty(); });
      std::vector<std::unique_ptr<SpecializedCode>> unused;
      std::swap(unused, retired);
      std::optional<Request> asked;
      std::swap(asked, request);
      if (isOver && !asked)
        return;
      lock.unlock();
      unused.clear();
      if (asked) {
        done = build(*asked);
        isDone = true;
      }
      lock.lock();
    }
  }

  Built build(const Request &asked) {
    double start = nowMs();
    x86::Specialized made;
    Built built = tryToBuild(asked, made);
    built.seconds = (nowMs() - start) / 1000;
    if (built.code && built.seconds > options.buildSecondsMax) {
      built.code.reset();
      built.failure = "the build took longer than " +
                      std::to_string(options.buildSecondsMax) + " s";
    }
    if (built.code && options.explains) {
      x86::measureSavings(made, specializable, asked.snapshot, options.limits,
                          *machine);
      built.code->explanations = x86::explain(made);
    }
    return built;
  }

  Built tryToBuild(const Request &asked, x86::Specialized &made) {
    if (options.failBuild && options.failBuild())
      return {nullptr, "a failure for a test"};
    made = x86::specialize(specializable, asked.snapshot, options.limits,
                           *machine, {{}, asked.restless});
    if (!made.module)
      return {nullptr, made.refusal};
    auto code = std::make_unique<SpecializedCode>();
    for (unsigned number : made.assumed)
      code->assumed.emplace_back(number, asked.snapshot.versions[number]);
    auto jit =
        compileModule(std::move(made.module), std::move(made.context), symbols);
    if (!jit)
      return {nullptr, jit.error().message};
    code->jit = std::move(*jit);
    code->entries = packetEntriesOf(*code->jit, program);
    reinterpret_cast<InitFunction>(
        addressOf(*code->jit, x86::PacketSymbols::FindFeatures))();
    return {std::move(code), ""};
  }

  const HostProgram &program;
  x86::Specializable specializable;
  std::vector<SymbolAddress> symbols;
  const SpecializeOptions &options;
  std::unique_ptr<llvm::TargetMachine> machine;
  x86::ProgramMemory state;

  std::thread thread;
  std::mutex mutex;
  std::condition_variable wake;
  // Guarded by `mutex`.
  std::optional<Request> request;
  std::vector<std::unique_ptr<SpecializedCode>> retired;
  bool isOver = false;
  /// Only the thread of the packets changes it.
  bool busy = false;
  /// Belongs to the builder until `isDone`, then to the thread of the packets.
  std::optional<Built> done;
  std::atomic<bool> isDone = false;
};

Specialization::Specialization(const HostProgram &program, JitProgram &own,
                               x86::Specializable specializable,
                               std::vector<SymbolAddress> memory,
                               const SpecializeOptions &options)
    : own(own), options(options),
      builder(std::make_unique<Builder>(program, own, std::move(specializable),
                                        std::move(memory), this->options)),
      watch(std::make_unique<UpdateWatch>(builder->versionCount(),
                                          options.restMsMax)),
      restMs(options.restMsMin) {
  KARAKAL_ASSERT(options.when != SpecializeWhen::Never, "it is asked for");
}

Specialization::~Specialization() = default;

/// Starts a build if the state is not that of the last one.
void Specialization::ask() {
  const uint64_t *versions = builder->versions();
  if (watch->isSettled(versions))
    return;
  bool isAtOnce = options.when == SpecializeWhen::AtOnce;
  double now = nowMs();
  if (!watch->wantsBuild(versions, now) || (!isAtOnce && now < restEndMs))
    return;
  watch->builds(versions);
  Builder::Request request{builder->takeSnapshot(), {}};
  if (!isAtOnce)
    request.restless = watch->restless();
  double start = threadSeconds();
  builder->start(std::move(request));
  if (isAtOnce)
    report.waitedSeconds += threadSeconds() - start;
}

void Specialization::drop(std::unique_ptr<SpecializedCode> broken) {
  // Code that is made at once leaves nothing out.
  if (options.when != SpecializeWhen::AtOnce)
    for (auto [number, version] : broken->assumed)
      if (builder->versions()[number] != version)
        watch->breaks(number);
  builder->retire(std::move(broken));
}

/// Uses the code of a build that has ended.
void Specialization::exchange() {
  auto built = builder->take();
  if (!built)
    return;
  ++report.builds;
  report.buildSeconds.push_back(built->seconds);
  bool isUseless = built->code && !built->code->isValid(builder->versions());
  restMs =
      isUseless ? std::min(2 * restMs, options.restMsMax) : options.restMsMin;
  restEndMs = nowMs() + restMs;
  if (!built->code && built->failure.empty())
    return; // nothing to assume
  if (!built->code) {
    ++report.failed;
    report.failure = built->failure;
    return;
  }
  if (isUseless) {
    ++report.outOfDate;
    drop(std::move(built->code));
    return;
  }
  ++report.used;
  if (code)
    builder->retire(std::move(code));
  code = std::move(built->code);
  report.explanations = code->explanations;
}

const PacketEntries &Specialization::entriesForBurst() {
  if (!builder->isBusy())
    ask();
  if (builder->isBusy())
    exchange();
  if (code && !code->isValid(builder->versions())) {
    ++report.undone;
    drop(std::move(code));
  }
  ++(code ? report.specializedBursts : report.ownBursts);
  return code ? code->entries : own.packets;
}

SpecializeReport Specialization::finish() {
  builder->stop();
  exchange();
  return report;
}

} // namespace karakal::host
