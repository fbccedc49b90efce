// Passes that make caches.

#ifndef KARAKAL_SWCACHE_PASSES_TD
#define KARAKAL_SWCACHE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanCaches : Pass<"baker-plan-caches", "::mlir::ModuleOp"> {
  let summary = "choose what engines cache, and raise flags where it is written";
  let description = [{
    A global that packets often read, and that control functions and PPFs write
    seldom, gets a copy in each engine's local memory (section 5.2 of the
    paper). Chosen by the profile, within local memory, is what saves most
    memory latency; each choice and each refusal is explained with its numbers
    (`baker.cache.reason`).

    ```mlir
    baker.global @mac : !baker.array<4 x i48> {baker.place = {memory = "sram1", …}}
    // becomes
    baker.global @mac : … {…, baker.cache.copy = @karakal.copy.mac}
    baker.global @karakal.copy.mac : … {baker.place = {memory = "local", …}}
    baker.global @karakal.version.sram1 : i32 init [1] {…}
    ```

    Behind the stores to such a global, in control functions and PPFs, the version word
    of the memory that holds it is raised: `data = …; updated = …` of the
    paper's Figure 8. The word lies in the same memory, whose unit keeps the
    order. How often an engine looks at it follows from equation 2; what would
    need more than one look a packet is not cached.

    Requires: places of globals, a profile (without one nothing is cached).
  }];
  let options = [
    Option<"maxErrorRate", "max-error-rate", "double", "1e-3",
           "stale packets a packet that are tolerated">,
    Option<"engines", "engines", "unsigned", "6",
           "engines that run the program">,
    Option<"answers", "answers", "bool", "true",
           "keep results of look-ups, too">,
    Option<"lines", "lines", "bool", "true",
           "keep elements of large arrays, too">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"cachedCount", "cached", "Globals that engines cache">,
    Statistic<"cachedWordCount", "cached-words",
              "Words of local memory that copies take">,
    Statistic<"refusedCount", "refused", "Globals that are not worth it">,
    Statistic<"raiseCount", "raises", "Places where a version is raised">
  ];
}

def FoldConstants : Pass<"baker-fold-constants", "::mlir::ModuleOp"> {
  let summary = "loads of what nothing writes become constants";
  let description = [{
    A global that no function of the program writes, `init` and control functions
    included, keeps its initial value. `baker-plan-caches` marks it
    (`baker.cache.constant`); a load at a place of it that is known becomes that
    value. What is read at variable places may get a copy in each engine, which
    nobody looks at again.

    ```mlir
    baker.global @table : !baker.array<3 x i32> init [3, 1, 2] {baker.cache.constant}
    %e = baker.element %table[%c1] : !baker.ref<!baker.array<3 x i32>>
    %v = baker.load %e : !baker.ref<i32>
    // becomes
    %v = arith.constant 1 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"loadCount", "loads", "Loads that became constants">
  ];
}

def MakeAnswers : Pass<"baker-make-answers", "::mlir::ModuleOp"> {
  let summary = "calls of a look-up that ask the CAM first";
  let description = [{
    For each look-up that `baker-plan-caches` chose, calls go to a function that
    asks the engine's CAM for the argument first:

    ```
    kept(key):  s = cam_lookup(key)
                if (state of s == kept) return answers[entry of s]
                g = generation; r = lookup(key)
                if (g == generation) {           // no refresh in between
                  s = cam_lookup(key)            // the entry used longest ago
                  answers[entry of s] = r; cam_write(entry, key, kept)
                }
                return r
    ```

    A refresh of the caches (`baker-make-caches`) clears the CAM, gives its entries
    tags that differ and no state, and counts the
    generation up, so a result that was looked up before it is not kept behind
    it. Contexts change only in the look-up: all else is atomic. Where several
    look-ups share the CAM, their tags have bits above the argument that tell
    them apart (`baker.cache.tag`).
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"callCount", "calls", "Calls that ask the CAM first">
  ];
}

def MakeCaches : Pass<"baker-make-caches", "::mlir::ModuleOp"> {
  let summary = "the engines' side of delayed-update caches";
  let description = [{
    Carries out in the engines' program what `baker-plan-caches` chose. Loads
    of a cached global become loads of its copy. Before its first packet an
    engine fills the copies; from then on each context looks at the version
    words on every i-th packet, and one that has changed has the copies filled
    anew, by one context at a time:

    ```
    me_main:  while (seen == 0)                    // once
                lock ? swap : refresh()
    loop:     if (--count == 0) {
                count = interval
                if (version != seen)
                  lock ? count = 1 : refresh()
              }
    refresh:  lock = 1; v = version; copy = home; seen = v; lock = 0
    ```

    `refresh` reads the version before the data: a store in between leaves the
    two different, so the next look fills again.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"loadCount", "loads", "Loads that read a copy">
  ];
}

#endif // KARAKAL_SWCACHE_PASSES_TD
