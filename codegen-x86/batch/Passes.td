// Passes that make stages of a batch of packets for x86.

#ifndef KARAKAL_CODEGEN_X86_BATCH_PASSES_TD
#define KARAKAL_CODEGEN_X86_BATCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def BeginBatch : Pass<"baker-begin-batch", "::mlir::ModuleOp"> {
  let summary = "make the function that a batch of packets runs through";
  let description = [{
    Copies the PPF that takes the packets of Rx to `@karakal.batch`, which later
    passes cut into stages, and marks the consumers of channels that are not calls
    with `baker.batch.queued`. Runs before `baker-lower-channels`, which removes
    the channels. A program whose first PPF is on the XScale core gets no copy.

    ```mlir
    func.func @m.first.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} { … }
    // adds
    func.func @karakal.batch(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} { … }
    ```
  }];
}

def InlineBatch : Pass<"baker-inline-batch", "::mlir::ModuleOp"> {
  let summary = "inline the PPFs that a batch runs through into one function";
  let description = [{
    Inlines what `@karakal.batch` calls, callees first, so that a packet can wait
    at any place on its path. PPFs of the XScale core stay calls, and so do calls
    beyond `max-size` operations.
  }];
  let options = [
    Option<"maxSize", "max-size", "unsigned", "20000",
           "most operations of the function">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def PlanBatches : Pass<"baker-plan-batches", "::mlir::ModuleOp"> {
  let summary = "choose where the packets of a batch wait for each other";
  let description = [{
    Puts a `baker.cut` before each load that is likely to miss the cache: those of
    globals of at least `min-bytes` bytes, or of `globals` if it names any, unless a
    load of the same element comes before. The cut prefetches what the load reads, and the last word of its
    element if elements may lie in two lines; the stage that it begins runs when all packets of the batch have
    been there.

    Results stay those of a run packet by packet. What a packet does that another
    one may see (a store to a global, a packet that is sent or made, a message, a
    random number) happens in one stage that runs once, where packets have their
    order; if a plan would spread it over several stages, a `baker.cut last` comes
    before each place, and the rest of the packet's path is not cut. So is what
    follows a lock.

    ```mlir
    %v = baker.load %entry : !baker.ref<i32>
    // becomes
    baker.cut stage 1 prefetch %entry : !baker.ref<i32>
    %v = baker.load %entry : !baker.ref<i32>
    ```

    `--explain=batching` names the cuts and says why other loads have none.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "uint64_t", "262144",
           "least size in bytes of a global whose loads are cut">,
    ListOption<"globals", "globals", "std::string",
               "cut the loads of these globals alone, whatever their size">,
    Option<"seed", "seed", "uint64_t", "0",
           "for tests: not 0: cut half of all loads, chosen by this number">
  ];
  let statistics = [
    Statistic<"cutCount", "cuts", "loads at which packets wait">
  ];
}

def SplitBatches : Pass<"baker-split-batches", "::mlir::ModuleOp"> {
  let summary = "split the function of a batch into stages";
  let description = [{
    Makes of `@karakal.batch`, in the LLVM dialect, a function for each stage and
    `@karakal_x86_run_batch(handles, first, count)`, which runs them over a batch
    of packets: the entry for each packet, then each stage for those that wait for
    it, in the order of the packets. Stages with a way back run until nobody waits.
    Values that are live at a cut lie in arrays with an element for each packet.

    A function without cuts is removed.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // KARAKAL_CODEGEN_X86_BATCH_PASSES_TD
