// Operations of the baker dialect.
//
// First the symbols at module level, then the operations on packets, metadata,
// channels and global data.

#ifndef KARAKAL_IR_BAKEROPS_TD
#define KARAKAL_IR_BAKEROPS_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Baker_Op<string mnemonic, list<Trait> traits = []>
    : Op<BakerDialect, mnemonic, traits>;

class Baker_SymbolOp<string mnemonic, list<Trait> traits = []>
    : Baker_Op<mnemonic, traits # [Symbol, HasParent<"::mlir::ModuleOp">]>;

// The resources that operations read and write. They never overlap.
def Baker_PacketData : Resource<"::karakal::ir::PacketDataResource">;
def Baker_PacketHead : Resource<"::karakal::ir::PacketHeadResource">;
def Baker_Metadata : Resource<"::karakal::ir::MetadataResource">;
def Baker_GlobalData : Resource<"::karakal::ir::GlobalDataResource">;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

def Baker_ProtocolOp : Baker_SymbolOp<"protocol"> {
  let summary = "a protocol: the fields of its header";
  let description = [{
    `min_bytes` is the size of the smallest header: the demux size if it is
    constant, otherwise the size of the fixed fields. `constant_size` means that
    the demux size is constant, so every header has `min_bytes`. The demux
    expression itself is ordinary code before each `packet_decap`.

    ```mlir
    baker.protocol @ether min_bytes 14 constant_size
      [#baker.protocol_field<"dst" at 0 : 48>,
       #baker.protocol_field<"src" at 48 : 48>,
       #baker.protocol_field<"type" at 96 : 16>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Baker_ProtocolFields:$fields,
                       I32Attr:$min_bytes, UnitAttr:$constant_size);
  let assemblyFormat = [{
    $sym_name `min_bytes` $min_bytes (`constant_size` $constant_size^)? $fields
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The field called `name`, or null.
    ProtocolFieldAttr field(::llvm::StringRef name);
  }];
}

def Baker_MetadataOp : Baker_SymbolOp<"metadata"> {
  let summary = "a metadata field that every packet carries";
  let description = [{
    `baker.word` (set by placement) is the field's word among the user words
    of the descriptor. The fields `rx.port`, `tx.port` and `sequence` are
    built in and not declared.

    Example: `baker.metadata @hop : i16 {baker.word = 0 : i32}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Baker_GlobalOp : Baker_SymbolOp<"global"> {
  let summary = "global data";
  let description = [{
    All zero unless `init` lists the values of all scalars in order of
    declaration, with struct fields and array elements flattened.

    ```mlir
    baker.global @l3_switch.mac_addr : !baker.array<4 x i48>
    baker.global @limits : !baker.array<2 x i32> init [10, 20]
        {baker.placement = #baker.placement<sram0 at 327680>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       OptionalAttr<DenseI64ArrayAttr>:$init);
  let assemblyFormat = "$sym_name `:` $type (`init` $init^)? attr-dict";
  let hasVerifier = 1;
}

def Baker_DropReasonOp : Baker_SymbolOp<"drop_reason"> {
  let summary = "a reason for dropping packets";
  let description = [{
    Numbered from 2 in order of declaration; 0 is `unspecified`, 1 is
    `truncated`, both built in.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict";
}

def Baker_ChannelOp
    : Baker_SymbolOp<"channel",
                     [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a communication channel from one PPF to another";
  let description = [{
    The channel has the name of its producer's output endpoint. `producer` is
    the PPF (without endpoint), or `rx`. `consumer` is the function of the
    receiving input endpoint, or `tx`. The channel named `rx` brings the received
    packets. Aggregation sets `baker.via`, `baker.ring` and `baker.id`.

    ```mlir
    baker.channel @rx : "ether" from "rx" to @l3_switch.l2_clsfr.in_cc
    baker.channel @l3_switch.encap.out_cc : "ether" from "l3_switch.encap"
        to @tx {baker.via = #baker.via<ring>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$protocol,
                       StrAttr:$producer, FlatSymbolRefAttr:$consumer);
  let assemblyFormat = [{
    $sym_name `:` $protocol `from` $producer `to` $consumer attr-dict
  }];
  let extraClassDeclaration = [{
    /// True if the packets of this channel leave the program.
    bool goesToTx() { return getConsumer() == "tx"; }
    /// True if this channel brings the received packets.
    bool comesFromRx() { return getProducer() == "rx"; }
  }];
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

def Baker_PacketReadOp
    : Baker_Op<"packet_read",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemRead<Baker_PacketData>,
                               MemRead<Baker_PacketHead>]>]> {
  let summary = "read a field of the header at the packet's head";
  let description = [{
    The result has the field's width. An array field needs an index; the front
    end ensures that it is in bounds.

    ```mlir
    %t = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    %o = baker.packet_read %ih "options"[%i] : !baker.packet<"ipv4"> -> i32
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, StrAttr:$field,
                       Optional<I32>:$index);
  let results = (outs AnySignlessInteger:$value);
  let assemblyFormat = [{
    $packet $field (`[` $index^ `]`)? attr-dict `:` qualified(type($packet)) `->`
    type($value)
  }];
}

def Baker_PacketWriteOp
    : Baker_Op<"packet_write",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemWrite<Baker_PacketData>,
                               MemRead<Baker_PacketHead>]>]> {
  let summary = "write a field of the header at the packet's head";
  let description = [{
    Bits outside the field keep their value.

    ```mlir
    baker.packet_write %v, %ph "ttl" : i8, !baker.packet<"ipv4">
    ```
  }];
  let arguments = (ins AnySignlessInteger:$value, Baker_PacketType:$packet,
                       StrAttr:$field, Optional<I32>:$index);
  let assemblyFormat = [{
    $value `,` $packet $field (`[` $index^ `]`)? attr-dict `:` type($value) `,`
    qualified(type($packet))
  }];
}

def Baker_PacketLoadOp
    : Baker_Op<"packet_load", [MemoryEffects<[MemRead<Baker_PacketData>,
                                              MemRead<Baker_PacketHead>]>]> {
  let summary = "read a burst of a packet's bytes";
  let description = [{
    Reads 32-bit big-endian words that start `at` bytes from the packet's head;
    `at` may be negative and has any alignment. At most 14 words, which one DRAM
    command of 64 bytes covers at any alignment. The words lie within the
    packet's buffer but may go past the packet's end, where bytes are undefined.
    `aligned` promises that the burst consists of quadwords of the buffer; then
    one command covers 16 words.

    ```mlir
    %w:3 = baker.packet_load %ph at 12 : !baker.packet<"ether"> -> i32, i32, i32
    %q:2 = baker.packet_load %ph at 8 aligned : !baker.packet<"ether"> -> i32, i32
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, I32Attr:$at,
                       UnitAttr:$aligned);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = [{
    $packet `at` $at (`aligned` $aligned^)? attr-dict `:`
    qualified(type($packet)) `->` type($words)
  }];
  let hasVerifier = 1;
}

def Baker_PacketStoreOp
    : Baker_Op<"packet_store", [MemoryEffects<[MemWrite<Baker_PacketData>,
                                               MemRead<Baker_PacketHead>]>]> {
  let summary = "write a burst of a packet's bytes";
  let description = [{
    The counterpart of `packet_load`. `mask` has a bit for each byte, bit 0 for
    the first. A byte whose bit is 0 keeps its value. It may be read and written
    back, because a packet has one owner at a time. Without a mask all bytes are
    written. `aligned` promises that the burst consists of quadwords of the
    buffer and writes all their bytes, so that nothing has to be read and merged.

    ```mlir
    baker.packet_store [%w0, %w1] to %ph at 12 mask 63 : !baker.packet<"ether">
    baker.packet_store [%w0, %w1] to %ph at 8 aligned : !baker.packet<"ether">
    ```
  }];
  let arguments = (ins Variadic<I32>:$words, Baker_PacketType:$packet,
                       I32Attr:$at, OptionalAttr<I64Attr>:$mask,
                       UnitAttr:$aligned);
  let assemblyFormat = [{
    ` ` `[` $words `]` `to` $packet `at` $at (`mask` $mask^)?
    (`aligned` $aligned^)? attr-dict `:` qualified(type($packet))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns a bit for each byte that is written, bit 0 for the first.
    uint64_t byteMask() {
      uint64_t all = ~uint64_t(0) >> (64 - 4 * getWords().size());
      return getMask() ? uint64_t(*getMask()) & all : all;
    }
  }];
}

def Baker_PacketDecapOp
    : Baker_Op<"packet_decap",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemRead<Baker_PacketHead>,
                               MemWrite<Baker_PacketHead>]>]> {
  let summary = "step over the current header to the one inside";
  let description = [{
    Moves the head `bytes` towards the end and ends the life of the operand.
    The front end has checked that the packet is long enough for `bytes` and for
    the smallest header of the new protocol.

    ```mlir
    %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, I32:$bytes);
  let results = (outs Baker_PacketType:$inner);
  let assemblyFormat = [{
    $packet `,` $bytes attr-dict `:` qualified(type($packet)) `->` qualified(type($inner))
  }];
}

def Baker_PacketEncapOp
    : Baker_Op<"packet_encap",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemRead<Baker_PacketHead>,
                               MemWrite<Baker_PacketHead>]>]> {
  let summary = "put a new header in front of the current one";
  let description = [{
    Moves the head `bytes` towards the start and ends the life of the operand.
    The bytes of the new header are undefined until written; after a decap of
    the same size they are the old ones.
  }];
  let arguments = (ins Baker_PacketType:$packet, I32:$bytes);
  let results = (outs Baker_PacketType:$outer);
  let assemblyFormat = [{
    $packet `,` $bytes attr-dict `:` qualified(type($packet)) `->` qualified(type($outer))
  }];
}

def Baker_PacketCopyOp
    : Baker_Op<"packet_copy",
               [InferTypeOpAdaptor,
                MemoryEffects<[MemRead<Baker_PacketData>,
                               MemRead<Baker_PacketHead>,
                               MemRead<Baker_Metadata>,
                               MemWrite<Baker_PacketData>,
                               MemWrite<Baker_PacketHead>]>]> {
  let summary = "make a packet with the same bytes and metadata";
  let arguments = (ins Baker_PacketType:$packet);
  let results = (outs Baker_PacketType:$copy);
  let assemblyFormat = "$packet attr-dict `:` qualified(type($packet))";
}

def Baker_PacketDropOp
    : Baker_Op<"packet_drop",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemWrite<Baker_PacketHead>,
                               MemWrite<Baker_PacketData>,
                               MemWrite<Baker_Metadata>]>]> {
  let summary = "drop a packet and count it under a reason";
  let description = [{
    The reason is a `baker.drop_reason`, or the built-in `unspecified`
    (default) or `truncated`. Ends the life of the operand.

    ```mlir
    baker.packet_drop %ph reason @bad_checksum : !baker.packet<"ipv4">
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet,
                       OptionalAttr<FlatSymbolRefAttr>:$reason);
  let assemblyFormat = [{
    $packet (`reason` $reason^)? attr-dict `:` qualified(type($packet))
  }];
}

def Baker_PacketLengthOp
    : Baker_Op<"packet_length",
               [MemoryEffects<[MemRead<Baker_PacketHead>]>]> {
  let summary = "bytes from the packet's head to its end";
  let arguments = (ins Baker_PacketType:$packet);
  let results = (outs I32:$bytes);
  let assemblyFormat = "$packet attr-dict `:` qualified(type($packet))";
}

//===----------------------------------------------------------------------===//
// Metadata and channels
//===----------------------------------------------------------------------===//

def Baker_MetaReadOp
    : Baker_Op<"meta_read",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemRead<Baker_Metadata>]>]> {
  let summary = "read a metadata field";
  let description = [{
    Built in: `@rx.port` (i8), `@tx.port` (i8), `@sequence` (i32).

    Example: `%p = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8`
  }];
  let arguments = (ins Baker_PacketType:$packet, FlatSymbolRefAttr:$field);
  let results = (outs AnySignlessInteger:$value);
  let assemblyFormat = [{
    $packet $field attr-dict `:` qualified(type($packet)) `->` type($value)
  }];
}

def Baker_MetaWriteOp
    : Baker_Op<"meta_write",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                MemoryEffects<[MemWrite<Baker_Metadata>]>]> {
  let summary = "write a metadata field";
  let description = [{
    `@rx.port` and `@sequence` cannot be written.

    Example: `baker.meta_write %hop, %ph @hop : i16, !baker.packet<"ipv4">`
  }];
  let arguments = (ins AnySignlessInteger:$value, Baker_PacketType:$packet,
                       FlatSymbolRefAttr:$field);
  let assemblyFormat = [{
    $value `,` $packet $field attr-dict `:` type($value) `,` qualified(type($packet))
  }];
}

def Baker_MetaLoadOp
    : Baker_Op<"meta_load", [MemoryEffects<[MemRead<Baker_Metadata>,
                                            MemRead<Baker_PacketHead>]>]> {
  let summary = "read a burst of a packet's descriptor";
  let description = [{
    Reads at most 8 words, starting at word `word` (docs/runtime.md).

    ```mlir
    %w:2 = baker.meta_load %ph word 2 : !baker.packet<"ether"> -> i32, i32
    ```
  }];
  let arguments = (ins Baker_PacketType:$packet, I32Attr:$word);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = [{
    $packet `word` $word attr-dict `:` qualified(type($packet)) `->` type($words)
  }];
  let hasVerifier = 1;
}

def Baker_MetaStoreOp
    : Baker_Op<"meta_store", [MemoryEffects<[MemWrite<Baker_Metadata>,
                                             MemWrite<Baker_PacketHead>]>]> {
  let summary = "write a burst of a packet's descriptor";
  let description = [{
    Writes whole words: to change a part of one, load it, merge and store.

    ```mlir
    baker.meta_store [%w0, %w1] to %ph word 2 : !baker.packet<"ether">
    ```
  }];
  let arguments = (ins Variadic<I32>:$words, Baker_PacketType:$packet,
                       I32Attr:$word);
  let assemblyFormat = [{
    ` ` `[` $words `]` `to` $packet `word` $word attr-dict `:`
    qualified(type($packet))
  }];
  let hasVerifier = 1;
}

def Baker_ChannelPutOp
    : Baker_Op<"channel_put",
               [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "release a packet onto a channel";
  let description = [{
    Ends the life of the operand. The consumer may run at once or later, so
    the operation may read and write anything.

    Example: `baker.channel_put @l3_switch.encap.out_cc, %ph : !baker.packet<"ether">`
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Baker_PacketType:$packet);
  let assemblyFormat = "$channel `,` $packet attr-dict `:` qualified(type($packet))";
}

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

def Baker_GlobalRefOp
    : Baker_Op<"global_ref",
               [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "reference to a whole global";
  let arguments = (ins FlatSymbolRefAttr:$global);
  let results = (outs Baker_RefType:$ref);
  let assemblyFormat = "$global attr-dict `:` qualified(type($ref))";
}

def Baker_ElementOp
    : Baker_Op<"element",
               [Pure, InferTypeOpAdaptor]> {
  let summary = "reference to an element of an array";
  let description = [{
    The index is unsigned and in bounds: the front end clamps an index unless it
    can prove that.

    Example: `%e = baker.element %ref[%i] : !baker.ref<!baker.array<4 x i48>>`
  }];
  let arguments = (ins Baker_ArrayRef:$array, I32:$index);
  let results = (outs Baker_RefType:$ref);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` qualified(type($array))";
}

def Baker_FieldOp
    : Baker_Op<"field",
               [Pure, InferTypeOpAdaptor]> {
  let summary = "reference to a field of a struct";
  let description = [{
    Example: `%f = baker.field %ref "mac" : !baker.ref<!baker.struct<"next_hop", mac : i48>>`
  }];
  let arguments = (ins Baker_StructRef:$record, StrAttr:$field);
  let results = (outs Baker_RefType:$ref);
  let assemblyFormat = "$record $field attr-dict `:` qualified(type($record))";
}

def Baker_LoadOp
    : Baker_Op<"load",
               [InferTypeOpAdaptor,
                MemoryEffects<[MemRead<Baker_GlobalData>]>]> {
  let summary = "load a scalar of global data";
  let arguments = (ins Baker_ScalarRef:$ref);
  let results = (outs AnySignlessInteger:$value);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
}

def Baker_StoreOp
    : Baker_Op<"store",
               [TypesMatchWith<"value has the type referred to", "ref", "value",
                  "::llvm::cast<::karakal::ir::RefType>($_self).getPointee()">,
                MemoryEffects<[MemWrite<Baker_GlobalData>]>]> {
  let summary = "store a scalar of global data";
  let arguments = (ins AnySignlessInteger:$value, Baker_ScalarRef:$ref);
  let assemblyFormat = "$value `,` $ref attr-dict `:` qualified(type($ref))";
}

def Baker_LoadWordsOp
    : Baker_Op<"load_words", [MemoryEffects<[MemRead<Baker_GlobalData>]>]> {
  let summary = "load a burst of an object of global data";
  let description = [{
    Reads at most 8 words of the object's layout (ir/dialect/Layout.h), starting
    at word `at`. One command reads them all at the same time.

    ```mlir
    %w:3 = baker.load_words %hop at 0 : !baker.ref<!next_hop> -> i32, i32, i32
    ```
  }];
  let arguments = (ins Baker_RefType:$ref, I32Attr:$at);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = [{
    $ref `at` $at attr-dict `:` qualified(type($ref)) `->` type($words)
  }];
  let hasVerifier = 1;
}

def Baker_StoreWordsOp
    : Baker_Op<"store_words", [MemoryEffects<[MemWrite<Baker_GlobalData>]>]> {
  let summary = "store a burst of an object of global data";
  let description = [{
    The counterpart of `load_words`.

    ```mlir
    baker.store_words [%w0, %w1] to %hop at 0 : !baker.ref<!next_hop>
    ```
  }];
  let arguments = (ins Variadic<I32>:$words, Baker_RefType:$ref, I32Attr:$at);
  let assemblyFormat = [{
    ` ` `[` $words `]` `to` $ref `at` $at attr-dict `:` qualified(type($ref))
  }];
  let hasVerifier = 1;
}
include "ir/dialect/BakerBuffers.td"
include "ir/dialect/BakerMessages.td"

#endif // KARAKAL_IR_BAKEROPS_TD
