// Marks on the paths of packets: the stages of batches on x86, and channels.

#ifndef KARAKAL_IR_BAKERBATCHES_TD
#define KARAKAL_IR_BAKERBATCHES_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Baker_CutOp : Op<BakerDialect, "cut"> {
  let summary = "a point where a packet waits for the others of its batch";
  let description = [{
    The packet's code ends here and goes on as stage `stage` after all packets of
    the batch have come to their cuts of earlier stages. In `last` stages packets
    run to their end in the order in which they arrived; a cut within does nothing.
    The line of `prefetch` is brought into the cache meanwhile, and with `also` the
    one so many bytes on. `baker-plan-batches` places the operation; a program that
    ignores it behaves the same.

    ```mlir
    baker.cut stage 1 prefetch %entry : !baker.ref<i32> also 36
    baker.cut last
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$stage,
                       Optional<Baker_RefType>:$prefetch,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$also);
  let assemblyFormat = [{
    (`stage` $stage^):(`last`)? (`prefetch` $prefetch^ `:` qualified(type($prefetch)))?
    (`also` $also^)? attr-dict
  }];
}

/// The channels that packets pass. No operation reads this resource; it keeps the
/// marks in place.
def Baker_PassedChannels : Resource<"::karakal::ir::PassedChannelsResource">;

def Baker_ChannelMarkOp
    : Op<BakerDialect, "channel_mark", [MemoryEffects<[MemWrite<Baker_PassedChannels>]>]> {
  let summary = "mark the paths on which a packet passes a channel";
  let description = [{
    The worst-case analysis prices these paths apart (target-ixp/chip/PathMarks.h).
    `channel` is the channel's number (`baker.id`).

    Example: `baker.channel_mark 3`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$channel);
  let assemblyFormat = "$channel attr-dict";
}

#endif // KARAKAL_IR_BAKERBATCHES_TD
