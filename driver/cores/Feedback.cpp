// Planning and compiling, with feedback from the generated code.

#include "driver/cores/Feedback.h"
#include "aggregation/Passes.h"
#include "driver/cores/CodePrediction.h"
#include "driver/cores/EngineAssignment.h"
#include "driver/cores/Planner.h"
#include "driver/cores/Variants.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/dialect/Target.h"
#include "swcache/Caches.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// How the estimated sizes change when a resource does not suffice.
struct SizeCorrection {
  Resource lacking;
  double factor; ///< on the estimates, at each step
  unsigned stepsMax;
};
/// No mapping fits the estimates, which may be too large.
constexpr SizeCorrection shrink = {Resource::Engines, 0.6, 4};
/// The code of an aggregate does not fit its engine.
constexpr SizeCorrection grow = {Resource::ControlStore, 1.5, 6};

/// The program is planned again if its code has less than this part of the
/// estimated words: the estimates may have prevented merges.
constexpr double replanBelow = 0.9;

/// The part of its estimate that a rare PPF needs at least, at the scale of the
/// frequent code: MPLS and the L3-Switch have 0.66 to 1 at most levels.
constexpr double leastOfEstimate = 0.7;

/// Rates that differ by less count as equal, because the model is not exact.
constexpr double sameRate = 0.01;
/// The least gain in rate for which caches stay if the engines are the limit.
constexpr double cacheGainMin = 0.005;

/// Words of code that an operation of a copied rare path takes: 1.33 in MPLS.
constexpr double wordsPerRareOperation = 1.4;

/// A compilation with fewer software caches. The caches that are left out stay
/// out if they do not gain `gainMin` of the rate.
struct CacheTrial {
  bool (*hasCaches)(ModuleOp planned);
  void (*leaveOut)(PipelineOptions &options);
  double gainMin;
};

/// The trials in order. Each also leaves out the caches that an earlier one
/// left out.
constexpr CacheTrial cacheTrials[] = {
    // A look-up in cache lines takes about the time of the command that a hit
    // saves: cache lines pay only where a memory is the limit.
    {[](ModuleOp planned) { return !swcache::arrayCachesOf(planned).empty(); },
     [](PipelineOptions &options) { options.cacheArrays = false; }, sameRate},
    {[](ModuleOp planned) { return !swcache::lookupCachesOf(planned).empty(); },
     [](PipelineOptions &options) { options.cacheLookups = false; }, -sameRate},
    {[](ModuleOp planned) { return !swcache::globalCopiesOf(planned).empty(); },
     [](PipelineOptions &options) {
       options.disabled.push_back("plan-caches");
     },
     -sameRate},
};

/// Holds back the errors that passes report until the driver knows whether it
/// plans the program again. Lets remarks and warnings through.
class HeldErrors {
public:
  explicit HeldErrors(MLIRContext *context) : context(context) {
    handler.emplace(context, [this](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return llvm::failure();
      held.push_back(std::move(diagnostic));
      return llvm::success();
    });
  }

  /// Reports the errors held and holds no more.
  void report() {
    handler.reset();
    for (mlir::Diagnostic &diagnostic : held)
      context->getDiagEngine().emit(std::move(diagnostic));
    held.clear();
  }

private:
  MLIRContext *context;
  std::vector<mlir::Diagnostic> held;
  std::optional<ScopedDiagnosticHandler> handler;
};

/// Plans with ever smaller sizes while no mapping fits. On success `wordsScale`
/// is the factor that fits. Otherwise returns the error of the first attempt.
Result<OwningOpRef<ModuleOp>> planToFit(Planner &planner,
                                        PipelineOptions options,
                                        double &wordsScale,
                                        size_t aggregatesMax) {
  HeldErrors first(planner.context());
  HeldRemarks remarks(planner.context());
  auto planned = planner.plan(options, aggregatesMax);
  for (unsigned step = 0;
       !planned && planned.error().lacking == shrink.lacking &&
       step < shrink.stepsMax;
       ++step) {
    HeldErrors dropped(planner.context());
    remarks.take();
    options.wordsScale *= shrink.factor;
    planned = planner.plan(options, aggregatesMax);
  }
  if (!planned)
    first.report();
  else
    wordsScale = options.wordsScale;
  remarks.report();
  return planned;
}

/// Makes a plan. Says nothing if no mapping fits and this is a trial.
Result<OwningOpRef<ModuleOp>>
planTrial(MLIRContext *context, bool isTrial,
          llvm::function_ref<Result<OwningOpRef<ModuleOp>>()> plan) {
  HeldErrors held(context);
  auto planned = plan();
  if (!isTrial || (!planned && planned.error().lacking == Resource::None))
    held.report();
  return planned;
}

/// Begins the code with fewer caches that is compared with this plan, if there
/// is one aggregate: with more, rare PPFs or sizes are likely to change first.
void beginCacheTrial(Planner &planner, EngineCompiler &compiler,
                     ModuleOp planned, Options options) {
  const auto *trial = llvm::find_if(cacheTrials, [&](const CacheTrial &one) {
    return one.hasCaches(planned);
  });
  if (trial == std::end(cacheTrials) || !compiler.canBegin() ||
      options.pipeline.rareOnEngines == 0 ||
      ir::aggregatesOf(planned).size() > 1)
    return;
  trial->leaveOut(options.pipeline);
  ScopedDiagnosticHandler silent(
      planner.context(), [](mlir::Diagnostic &) { return llvm::success(); });
  if (auto plain = planner.plan(options.pipeline))
    compiler.begin(**plain, options);
}

/// Plans and compiles with ever larger sizes until each aggregate fits its
/// engine. Says nothing if a trial finds no mapping. A trial with more than
/// `aggregatesMax` ends before it is compiled: with larger sizes it would have
/// no fewer. Calls `onPlan` before the compilation of each plan.
///
/// With two threads the first trial of the caches is begun beside a program
/// that is likely to be chosen.
Result<PlannedProgram>
compileToFit(Planner &planner, EngineCompiler &compiler, Options options,
             bool isTrial = false, size_t aggregatesMax = Planner::anyCount,
             llvm::function_ref<void(ModuleOp)> onPlan = {}) {
  double &wordsScale = options.pipeline.wordsScale;
  HeldRemarks remarks(planner.context());
  // A plan without code has remarks to say only if it is the last that is
  // tried.
  auto fail = [&](Error error) {
    if (!isTrial)
      remarks.report();
    return error;
  };
  auto planned = planTrial(planner.context(), isTrial, [&] {
    return planToFit(planner, options.pipeline, wordsScale, aggregatesMax);
  });
  for (unsigned step = 0;; ++step) {
    if (!planned)
      return fail(planned.error());
    Remarks ofPlan = remarks.take();
    if (onPlan)
      onPlan(**planned);
    auto engines = compiler.compile(**planned, options, [&] {
      beginCacheTrial(planner, compiler, **planned, options);
    });
    if (engines)
      return PlannedProgram{std::move(*planned), std::move(*engines),
                            wordsScale, std::move(ofPlan), remarks.take()};
    if (engines.error().lacking != grow.lacking || step == grow.stepsMax)
      return fail(engines.error());
    remarks.take();
    wordsScale *= grow.factor;
    planned = planTrial(planner.context(), isTrial, [&] {
      return planner.plan(options.pipeline, aggregatesMax);
    });
  }
}

agg::Prediction predictionOf(const PlannedProgram &made) {
  return predictionOf(*made.program, made.engines);
}

double rateOf(const PlannedProgram &made) {
  return predictionOf(made).packetsPerSecond;
}

/// Returns the words that aggregation estimated, or 0 if no aggregate has a
/// PPF.
double estimateOf(ModuleOp planned) {
  auto estimate =
      planned->getAttrOfType<DictionaryAttr>(agg::predictionAttrName);
  return estimate ? cast<FloatAttr>(estimate.get("words")).getValueAsDouble()
                  : 0;
}

double wordsOf(const PlannedProgram &made) {
  double words = 0;
  for (const AggregateCode &engine : made.engines)
    words += double(engine.code.words.size());
  return words;
}

/// Returns the words of code per word that aggregation estimated.
double wordsPerEstimate(const PlannedProgram &made) {
  double estimate = estimateOf(*made.program);
  return estimate == 0 ? 1 : wordsOf(made) / estimate;
}

/// Plans again with the true sizes if the estimates were far too large, and
/// returns the faster program.
PlannedProgram withTrueSizes(PlannedProgram made, Planner &planner,
                             EngineCompiler &compiler, const Options &options) {
  Options again = options;
  again.pipeline.wordsScale = made.wordsScale * wordsPerEstimate(made);
  if (again.pipeline.wordsScale >= replanBelow * made.wordsScale)
    return made;
  auto smaller = compileToFit(planner, compiler, again);
  if (!smaller || rateOf(*smaller) <= rateOf(made))
    return made;
  return std::move(*smaller);
}

/// The choice of the rare PPFs that stay on the engines: as many as do not cost
/// another aggregate, because aggregates share the engines, nor predicted rate.
class RareChoice {
public:
  /// `onLikelyPlan` is called for plans that are likely to be chosen.
  RareChoice(Planner &planner, EngineCompiler &compiler, ModuleOp program,
             Options &options, llvm::function_ref<void(ModuleOp)> onLikelyPlan)
      : planner(planner), compiler(compiler), program(program),
        options(options), onLikelyPlan(onLikelyPlan) {}

  /// Compiles with the chosen number, which `options` then has.
  Result<PlannedProgram> compile();

private:
  struct First {
    unsigned rare;
    bool isOneAggregate;
  };
  First planAll();
  std::optional<PlannedProgram> attempt(unsigned count);
  bool isPlanned(unsigned count);
  void learnSize(const PlannedProgram &made);
  bool isTooLarge(ModuleOp planned) const;
  unsigned mostPlanned(unsigned least, unsigned tooMany);
  Result<PlannedProgram> compileBelow(unsigned tooMany);

  Planner &planner;
  EngineCompiler &compiler;
  ModuleOp program;
  Options &options;
  llvm::function_ref<void(ModuleOp)> onLikelyPlan;
  size_t aggregatesMax = 1;
  double rateMin = 0;
  /// The words of the last code that fits, less those that were estimated: what
  /// the estimate of a program with other rare PPFs lacks.
  double wordsBeyondEstimate = 0;
};

unsigned countRare(ModuleOp planned) {
  return llvm::count_if(planned.getOps<func::FuncOp>(), [](func::FuncOp ppf) {
    return ppf->hasAttr(ir::rareAttrName);
  });
}

/// Compiles with `count` rare PPFs. Returns nothing if they cost too much.
std::optional<PlannedProgram> RareChoice::attempt(unsigned count) {
  options.pipeline.rareOnEngines = count;
  auto made = compileToFit(planner, compiler, options, /*isTrial=*/true,
                           aggregatesMax, onLikelyPlan);
  if (!made || rateOf(*made) < rateMin)
    return std::nullopt;
  return std::move(*made);
}

void RareChoice::learnSize(const PlannedProgram &made) {
  double toScale = options.pipeline.wordsScale / made.wordsScale;
  wordsBeyondEstimate = wordsOf(made) - estimateOf(*made.program) * toScale;
}

/// Whether one aggregate with the code of last time, the estimated words of
/// more rare PPFs added, has no room in an engine.
bool RareChoice::isTooLarge(ModuleOp planned) const {
  return aggregatesMax == 1 && wordsBeyondEstimate + estimateOf(planned) >
                                   double(ir::chipOf(planned).meControlStore);
}

/// Whether aggregation finds a mapping for `count` rare PPFs, whose code is
/// likely to fit.
bool RareChoice::isPlanned(unsigned count) {
  HeldErrors dropped(planner.context());
  HeldRemarks remarks(planner.context());
  options.pipeline.rareOnEngines = count;
  beginPassDump(""); // no dump of what is not compiled
  auto planned = planner.aggregate(options.pipeline);
  return planned && ir::aggregatesOf(**planned).size() <= aggregatesMax &&
         !isTooLarge(**planned);
}

/// Returns the largest number below `tooMany` with a mapping, or `least`. That
/// all rare PPFs have room is the most frequent case.
unsigned RareChoice::mostPlanned(unsigned least, unsigned tooMany) {
  for (unsigned next = tooMany - 1; tooMany - least > 1;
       next = least + (tooMany - least) / 2)
    (isPlanned(next) ? least : tooMany) = next;
  return least;
}

/// Compiles without rare PPFs, and with the most below `tooMany` that cost
/// nothing. Each code that fits shows the true size anew, which may have room
/// for more; one that does not fit ends the hope that rare PPFs are small.
Result<PlannedProgram> RareChoice::compileBelow(unsigned tooMany) {
  options.pipeline.rareOnEngines = 0;
  auto best = compileToFit(planner, compiler, options);
  if (!best)
    return best;
  // Estimates that are too large keep aggregates apart.
  if (best->engines.size() > 1)
    best = withTrueSizes(std::move(*best), planner, compiler, options);
  aggregatesMax = best->engines.size();
  rateMin = rateOf(*best) * (1 - sameRate);
  options.pipeline.wordsScale =
      leastOfEstimate * best->wordsScale * wordsPerEstimate(*best);
  unsigned most = 0;
  while (tooMany - most > 1) {
    learnSize(*best);
    if (most > 0 && !isPlanned(most + 1))
      break;
    unsigned next = mostPlanned(most, tooMany);
    if (next == most)
      break;
    if (auto made = attempt(next)) {
      best = std::move(*made);
      most = next;
    } else {
      tooMany = next;
      options.pipeline.wordsScale = best->wordsScale * wordsPerEstimate(*best);
    }
  }
  options.pipeline.wordsScale = best->wordsScale;
  options.pipeline.rareOnEngines = most;
  return best;
}

/// Returns how many PPFs are rare, and whether one aggregate has all of them
/// and the others by the estimates, which no other number can better. If no
/// mapping fits, any PPF may be rare.
RareChoice::First RareChoice::planAll() {
  HeldErrors dropped(planner.context());
  HeldRemarks remarks(planner.context());
  beginPassDump(""); // no dump of what is not compiled
  auto planned = planner.aggregate(options.pipeline);
  if (!planned) {
    double scale = 0;
    planned = planToFit(planner, options.pipeline, scale, Planner::anyCount);
  }
  if (!planned)
    return {unsigned(llvm::count_if(program.getOps<func::FuncOp>(), ir::isPpf)),
            false};
  return {countRare(**planned), ir::aggregatesOf(**planned).size() == 1};
}

Result<PlannedProgram> RareChoice::compile() {
  First first = planAll();
  if (first.rare == 0)
    return compileToFit(planner, compiler, options, /*isTrial=*/false,
                        Planner::anyCount, onLikelyPlan);
  if (first.isOneAggregate) {
    auto all = compileToFit(planner, compiler, options, /*isTrial=*/true,
                            /*aggregatesMax=*/1, onLikelyPlan);
    if (all)
      return all;
  }
  return compileBelow(first.rare + 1);
}

/// Returns `cached`, or `plain` with fewer caches if the caches gain less than
/// `gainMin` of its rate.
PlannedProgram betterOf(PlannedProgram cached, Result<PlannedProgram> plain,
                        double gainMin) {
  if (!plain)
    return cached;
  const agg::Prediction prediction = predictionOf(cached);
  if (prediction.limitedBy == agg::LimitKind::Engines)
    gainMin = std::max(gainMin, cacheGainMin);
  double with = prediction.packetsPerSecond;
  double without = rateOf(*plain);
  if (with >= without * (1 + gainMin))
    return cached;
  swcache::refuseCaches(
      *plain->program, *cached.program,
      llvm::formatv("it does not pay: {0:f2} million packets per second with "
                    "it, {1:f2} without",
                    with / 1e6, without / 1e6)
          .str());
  return std::move(*plain);
}

/// Returns `made` with copies of rare paths on which the head is known, if its
/// control store has room for them and the frequent code stays as fast.
PlannedProgram withRareCopies(PlannedProgram made, EngineCompiler &compiler,
                              Options options) {
  if (made.engines.size() != 1 || made.engines.front().uncopied == 0)
    return made;
  size_t capacity = ir::chipOf(*made.program).meControlStore;
  size_t words = made.engines.front().code.words.size();
  options.pipeline.rareCopies =
      unsigned(double(capacity - words) / wordsPerRareOperation);
  HeldErrors dropped(made.program->getContext());
  HeldRemarks remarks(made.program->getContext());
  auto engines = compiler.compile(*made.program, options);
  if (engines && predictionOf(*made.program, *engines).packetsPerSecond >=
                     rateOf(made) * (1 - sameRate)) {
    made.engines = std::move(*engines);
    made.ofCode = remarks.take();
  }
  return made;
}

/// Compiles the program that is chosen, without its remarks.
Result<PlannedProgram> choose(ModuleOp program, const Options &options,
                              llvm::function_ref<void(ModuleOp)> onLikelyPlan) {
  Options fewer = options;
  Planner planner(program);
  EngineCompiler compiler(options);
  // Whether array caches stay changes the core's program, which tells the
  // engines of its updates.
  auto tell = [&](ModuleOp planned) {
    if (onLikelyPlan && swcache::arrayCachesOf(planned).empty())
      onLikelyPlan(planned);
  };
  auto made = RareChoice(planner, compiler, program, fewer, tell).compile();
  if (!made)
    return made;
  tell(*made->program);
  if (made->engines.size() > 1 && options.pipeline.mapping.empty()) {
    made = withTrueSizes(std::move(*made), planner, compiler, fewer);
    reassignEngines(*made->program, made->engines);
  }
  for (const CacheTrial &trial : cacheTrials) {
    if (!trial.hasCaches(*made->program))
      continue;
    trial.leaveOut(fewer.pipeline);
    made = betterOf(std::move(*made), compileToFit(planner, compiler, fewer),
                    trial.gainMin);
    if (onLikelyPlan)
      onLikelyPlan(*made->program);
  }
  made = withRareCopies(std::move(*made), compiler, fewer);
  Status added = addVariants(*made->program, made->engines, options);
  if (!added)
    return added.error();
  return made;
}

} // namespace

Result<OwningOpRef<ModuleOp>> planProgram(ModuleOp program,
                                          const PipelineOptions &options) {
  return Planner(program).plan(options);
}

Result<PlannedProgram>
planAndCompile(ModuleOp program, const Options &options,
               llvm::function_ref<void(ModuleOp)> onLikelyPlan) {
  MLIRContext *context = program.getContext();
  Remarks said;
  auto add = [&](Remarks more) {
    std::move(more.begin(), more.end(), std::back_inserter(said));
  };
  auto made = [&] {
    HeldRemarks rest(context);
    auto chosen = choose(program, options, onLikelyPlan);
    if (chosen) {
      add(std::exchange(chosen->ofPlan, {}));
      add(std::exchange(chosen->ofCode, {}));
    }
    add(rest.take());
    return chosen;
  }();
  say(context, std::move(said));
  return made;
}

} // namespace karakal::driver
