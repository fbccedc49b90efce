// New packets, tails of packets, and the space in their buffers.
//
// `packet_decap` and `packet_encap` (BakerOps.td) move the head of a packet. The
// language's `packet_extend` and `packet_shorten` lower to these two, with the
// same protocol on both sides.

#ifndef KARAKAL_IR_BAKERROOM_TD
#define KARAKAL_IR_BAKERROOM_TD

def Baker_PacketCreateOp
    : Baker_Op<"packet_create",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemWrite<Baker_PacketData>,
                               MemWrite<Baker_PacketHead>,
                               MemWrite<Baker_Metadata>]>]> {
  let summary = "make a packet of zeros";
  let description = [{
    The new packet has `bytes` bytes. The bytes, ports, sequence number and
    metadata are zero. The head is at the offset that a received packet's head
    has. The front end has checked that `bytes` fit a buffer.

    ```mlir
    %ph = baker.packet_create %c64 : !baker.packet<"ether">
    ```
  }];
  let arguments = (ins I32:$bytes);
  let results = (outs Baker_PacketType:$packet);
  let assemblyFormat = "$bytes attr-dict `:` qualified(type($packet))";
}

class Baker_TailOp<string mnemonic, list<Trait> traits>
    : Baker_Op<mnemonic, [InferTypeOpAdaptor] # traits> {
  let arguments = (ins Baker_PacketType:$packet, I32:$bytes);
  let results = (outs Baker_PacketType:$resized);
  let assemblyFormat = "$packet `,` $bytes attr-dict `:` qualified(type($packet))";
}

def Baker_PacketAddTailOp
    : Baker_TailOp<"packet_add_tail",
                   [MemoryEffects<[MemRead<Baker_PacketHead>,
                                   MemWrite<Baker_PacketHead>,
                                   MemWrite<Baker_PacketData>]>]> {
  let summary = "append zeros to a packet";
  let description = [{
    Ends the life of the operand. The front end has compared `bytes` with the
    space after the packet's end. Bytes after the new end have no meaning.

    ```mlir
    %longer = baker.packet_add_tail %ph, %c4 : !baker.packet<"ether">
    ```
  }];
}

def Baker_PacketRemoveTailOp
    : Baker_TailOp<"packet_remove_tail",
                   [MemoryEffects<[MemRead<Baker_PacketHead>,
                                   MemWrite<Baker_PacketHead>]>]> {
  let summary = "cut bytes off the end of a packet";
  let description = [{
    Ends the life of the operand. The front end has compared `bytes` with the
    packet's length.
  }];
}

def Baker_PacketHeadroomOp
    : Baker_Op<"packet_headroom",
               [MemoryEffects<[MemRead<Baker_PacketHead>]>]> {
  let summary = "bytes of the buffer in front of the packet's head";
  let arguments = (ins Baker_PacketType:$packet);
  let results = (outs I32:$bytes);
  let assemblyFormat = "$packet attr-dict `:` qualified(type($packet))";
}

#endif // KARAKAL_IR_BAKERROOM_TD
