// The cache passes.

#ifndef KARAKAL_SWCACHE_PASSES_TD
#define KARAKAL_SWCACHE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanCaches : Pass<"baker-plan-caches", "::mlir::ModuleOp"> {
  let summary = "choose what engines cache, and raise versions at stores";
  let description = [{
    A global that packets often read, and that control functions and PPFs rarely
    write, gets a copy in each engine's local memory (section 5.2 of the paper).
    The pass chooses by the profile the globals that save the most memory latency
    and fit local memory. It explains each choice and each refusal with its
    numbers (`baker.cache.reason`). Look-up functions and large arrays can have
    caches, too.

    ```mlir
    baker.global @mac : !baker.array<4 x i48> {baker.placement = #baker.placement<sram1 at …>}
    // becomes
    baker.global @mac : … {…, baker.cache.copy = @karakal.copy.mac}
    baker.global @karakal.copy.mac : … {baker.placement = #baker.placement<local at …>}
    baker.global @karakal.version.sram1 : i32 init [1] {…}
    ```

    After the stores to a cached global, in control functions and PPFs, the pass
    raises the version word of the memory that holds the global: `data = …;
    updated = …` of the paper's Figure 8. The word is in the same memory, whose
    unit keeps the order. Equation 2 gives the interval between version checks. A
    global that needs more than one check per packet is not cached.

    With `exchange`, a control function that may store to a cached global first
    lets the XScale core give the engines code without caches
    (runtime/exchange.ll), so its stores need no version checks. A timer gives
    them code with caches again.

    Requires: addresses of globals, and a profile (without one nothing is cached).
  }];
  let options = [
    Option<"maxErrorRate", "max-error-rate", "double", "1e-3",
           "tolerated rate of stale packets">,
    Option<"engines", "engines", "unsigned", "0",
           "engines that run the program; 0: all of the chip">,
    Option<"lookupCaches", "lookup-caches", "bool", "true",
           "also cache results of look-up functions">,
    Option<"arrayCaches", "array-caches", "bool", "true",
           "also cache elements of large arrays">,
    Option<"exchange", "exchange", "bool", "false",
           "the core gives engines code without caches before an update">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect"];
}

def FoldConstants : Pass<"baker-fold-constants", "::mlir::ModuleOp"> {
  let summary = "make loads of constant globals constants";
  let description = [{
    A global that no function of the program writes, `init` and control functions
    included, keeps its initial value. `baker-plan-caches` marks it
    (`baker.cache.constant`). A load of it at constant indices becomes the value.
    If it is loaded at variable indices, engines may have a copy, which needs no
    version checks.

    ```mlir
    baker.global @table : !baker.array<3 x i32> init [3, 1, 2] {baker.cache.constant}
    %e = baker.element %table[%c1] : !baker.ref<!baker.array<3 x i32>>
    %v = baker.load %e : !baker.ref<i32>
    // becomes
    %v = arith.constant 1 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MakeLookupCaches : Pass<"baker-make-lookup-caches", "::mlir::ModuleOp"> {
  let summary = "make calls of look-up functions look up the CAM first";
  let description = [{
    For each look-up function that `baker-plan-caches` chose, calls go to a
    function that looks up the argument in the engine's CAM first:

    ```
    cached(key):  s = cam_lookup(key)
                  if (state of s == valid) return results[entry of s]
                  g = generation; r = lookup(key)
                  if (g == generation) {           // no refresh in between
                    s = cam_lookup(key)            // the least recently used entry
                    results[entry of s] = r; cam_write(entry, key, valid)
                  }
                  return r
    ```

    A refresh of the caches (`baker-make-caches`) clears the CAM, gives its
    entries different tags and no state, and increments the generation. So a
    result that was looked up before the refresh is not cached after it. Contexts
    swap only in the look-up function: all other code is atomic. If several
    look-up functions share the CAM, tag bits above the argument identify them
    (`baker.cache.tag`).
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect"];
}

def MakeCaches : Pass<"baker-make-caches", "::mlir::ModuleOp"> {
  let summary = "make the engines' code of delayed-update caches";
  let description = [{
    Carries out the plan of `baker-plan-caches` in the engines' program. Loads of
    a cached global become loads of its copy. Before its first packet an engine
    fills the copies. Then each context checks the version words on every i-th
    packet. If one has changed, one context at a time refreshes the copies:

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

    `refresh` reads the version before the data. After a store in between, the
    version seen is older than the version word, so the next check refreshes again.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif // KARAKAL_SWCACHE_PASSES_TD
