// Packets on rings and packet descriptors in registers.
//
// The program of one core takes packets from rings and sends them on rings.
// After `baker-phr` it holds the head and length of a packet in SSA values
// instead of the descriptor.

#ifndef KARAKAL_IR_BAKERMESSAGES_TD
#define KARAKAL_IR_BAKERMESSAGES_TD

def Baker_PacketTakeOp : Baker_Op<"packet_take", [Pure]> {
  let summary = "take a packet from the message of a ring";
  let description = [{
    `first` and `second` are the words of the message (docs/runtime.md).
    `from_rx` marks a message from Rx: the words hold port, head and length, and
    the program's metadata is zero.

    ```mlir
    %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
    ```
  }];
  let arguments = (ins I32:$first, I32:$second, UnitAttr:$from_rx);
  let results = (outs Baker_PacketType:$packet);
  let assemblyFormat = [{
    $first `,` $second (`from_rx` $from_rx^)? attr-dict `:`
    qualified(type($packet))
  }];
}

def Baker_PacketSendOp
    : Baker_Op<"packet_send", [AttrSizedOperandSegments]> {
  let summary = "put a packet's message on a ring";
  let description = [{
    Ends the life of the operand. The words of the message are `id << 24 |
    handle` and 0; the receiver reads the descriptor. On the ring to Tx they are
    `port << 24 | handle` and `head_length`, which is `head << 16 | length`. On
    the ring to the XScale core the message is its first word. The packet is dropped
    for the reason number `reason` beyond the limits `punt`, or, without `punt`, if
    the ring stays full. A message of ring 17 stays in the context: its first word
    is the result.

    ```mlir
    baker.packet_send %ph ring 4 id 3 : !baker.packet<"ether">
    baker.packet_send %ph ring 2 id 3 {punt = #baker.punt<number = 0,
        waiting = 64, per_window = 87>, reason = 5 : i32} : !baker.packet<"ether">
    baker.packet_send %ph ring 1 id 0 port %p head_length %w : !baker.packet<"ether">
    %m = baker.packet_send %ph ring 17 id 3 : !baker.packet<"ether"> -> i32
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, I32Attr:$ring, I32Attr:$id,
                       Optional<I32>:$port, Optional<I32>:$head_length,
                       OptionalAttr<Baker_PuntAttr>:$punt,
                       OptionalAttr<I32Attr>:$reason);
  let results = (outs Optional<I32>:$message);
  let assemblyFormat = [{
    $packet `ring` $ring `id` $id (`port` $port^ `head_length` $head_length)? attr-dict `:`
    qualified(type($packet)) (`->` type($message)^)?
  }];
  let hasVerifier = 1;
}

def Baker_PacketKeepOp : Baker_Op<"packet_keep"> {
  let summary = "make a word of a packet that waits in a queue";
  let description = [{
    Ends the life of the operand. The descriptor then holds everything that is
    known about the packet, which gives up its place in the order of packets.
    `packet_take` of the word makes the packet again.

    ```mlir
    %w = baker.packet_keep %ph : !baker.packet<"ether">
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet);
  let results = (outs I32:$word);
  let assemblyFormat = "$packet attr-dict `:` qualified(type($packet))";
}

def Baker_PacketHeldOp : Baker_Op<"packet_held", [Pure]> {
  let summary = "whether a handle that comes from a queue has a packet";
  let description = [{
    False if the packet was taken from the word 0.

    Example: `%h = baker.packet_held %ph : !baker.packet<"ether">`
  }];
  let arguments = (ins Baker_PacketType:$packet);
  let results = (outs I1:$held);
  let assemblyFormat = "$packet attr-dict `:` qualified(type($packet))";
}

def Baker_PacketViewOp : Baker_Op<"packet_view", [Pure]> {
  let summary = "a packet whose head is a value";
  let description = [{
    The same packet as the operand, with its head at byte `head` of the buffer.
    Accesses through the result ignore the head in the descriptor. `baker-phr`
    makes it from `packet_decap` and `packet_encap`.

    ```mlir
    %ih = baker.packet_view %ph head %h
        : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, I32:$head);
  let results = (outs Baker_PacketType:$view);
  let assemblyFormat = [{
    $packet `head` $head attr-dict `:` qualified(type($packet)) `->`
    qualified(type($view))
  }];
}

def Baker_PacketCloneOp
    : Baker_Op<"packet_clone",
               [AllTypesMatch<["packet", "clone"]>,
                MemoryEffects<[MemRead<Baker_PacketData>,
                               MemWrite<Baker_PacketData>]>]> {
  let summary = "make a packet with the same bytes and no descriptor";
  let description = [{
    Like `packet_copy`, for a packet whose head and length are values. The words
    of the new descriptor are undefined.
  }];
  let arguments = (ins Baker_PacketType:$packet, I32:$head, I32:$length);
  let results = (outs Baker_PacketType:$clone);
  let assemblyFormat = [{
    $packet `head` $head `length` $length attr-dict `:`
    qualified(type($packet))
  }];
}

def Baker_PacketBlankOp
    : Baker_Op<"packet_blank", [MemoryEffects<[MemWrite<Baker_PacketData>]>]> {
  let summary = "make a packet of zeros and no descriptor";
  let description = [{
    Like `packet_create`, for a packet whose head and length are values. The
    words of the new descriptor are undefined.
  }];
  let arguments = (ins I32:$bytes);
  let results = (outs Baker_PacketType:$packet);
  let assemblyFormat = "$bytes attr-dict `:` qualified(type($packet))";
}

def Baker_PacketClearOp
    : Baker_Op<"packet_clear", [MemoryEffects<[MemWrite<Baker_PacketData>]>]> {
  let summary = "write zeros after the end of a packet";
  let description = [{
    Writes `bytes` zeros from byte `at` of the packet's buffer, and up to 7 more
    after them. `baker-phr` makes it from `packet_add_tail`.
  }];
  let arguments = (ins Baker_PacketType:$packet, I32:$at, I32:$bytes);
  let assemblyFormat = [{
    $packet `at` $at `,` $bytes attr-dict `:` qualified(type($packet))
  }];
}

#endif // KARAKAL_IR_BAKERMESSAGES_TD
