// Batches of packets on x86.

#ifndef KARAKAL_IR_BAKERBATCHES_TD
#define KARAKAL_IR_BAKERBATCHES_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"

def Baker_CutOp : Op<BakerDialect, "cut"> {
  let summary = "a point where a packet waits for the others of its batch";
  let description = [{
    The packet's code ends here and goes on as stage `stage` after all packets of
    the batch have come to their cuts of earlier stages. In `last` stages packets
    run to their end in the order in which they arrived; a cut within does nothing.
    The lines of `prefetch` are brought into the cache meanwhile. `baker-plan-batches`
    places the operation; a program that ignores it behaves the same.

    ```mlir
    baker.cut stage 1 prefetch %entry : !baker.ref<i32>
    baker.cut last
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$stage,
                       Optional<Baker_RefType>:$prefetch);
  let assemblyFormat = [{
    (`stage` $stage^):(`last`)? (`prefetch` $prefetch^ `:` qualified(type($prefetch)))?
    attr-dict
  }];
}

#endif // KARAKAL_IR_BAKERBATCHES_TD
