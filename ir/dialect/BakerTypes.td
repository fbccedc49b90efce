// Types of the baker dialect.

#ifndef KARAKAL_IR_BAKERTYPES_TD
#define KARAKAL_IR_BAKERTYPES_TD

include "ir/dialect/BakerEnums.td"

class Baker_Type<string name, string typeMnemonic>
    : TypeDef<BakerDialect, name> {
  let mnemonic = typeMnemonic;
}

def Baker_PacketType : Baker_Type<"Packet", "packet"> {
  let summary = "handle of a packet with a header of one protocol at its head";
  let description = [{
    Names a buffer and its descriptor; all targets represent it by 32 bits.
    The packet's head points at a header of the protocol.

    Example: `!baker.packet<"ether">`
  }];
  let parameters = (ins StringRefParameter<"name of a baker.protocol">:$protocol);
  let assemblyFormat = "`<` $protocol `>`";
}

def Baker_StructType : Baker_Type<"Struct", "struct"> {
  let summary = "named fields, one after another";
  let description = [{
    The fields are part of the type. ir/dialect/Layout.h defines their layout:
    a scalar of at most 32 bits takes one word, a wider one two words, the high
    word first.

    Example: `!baker.struct<"next_hop", mac : i48, port : i8>`
  }];
  let parameters = (ins
    StringRefParameter<"name of the struct">:$name,
    ArrayRefParameter<"::mlir::StringAttr", "names of the fields">:$fieldNames,
    ArrayRefParameter<"::mlir::Type", "types of the fields">:$fieldTypes
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the index of the field named `field`, or nothing.
    std::optional<unsigned> fieldIndex(::llvm::StringRef field) const;
    /// Returns the type of the field named `field`, or null.
    ::mlir::Type fieldType(::llvm::StringRef field) const;
  }];
}

def Baker_ArrayType : Baker_Type<"Array", "array"> {
  let summary = "elements of one type, one after another";
  let description = [{
    Example: `!baker.array<4 x i48>`, `!baker.array<2 x !baker.array<3 x i8>>`
  }];
  let parameters = (ins "uint64_t":$size, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<ArrayShape>($size, $elementType) `>`";
  let genVerifyDecl = 1;
}

def Baker_RefType : Baker_Type<"Ref", "ref"> {
  let summary = "reference into global data";
  let description = [{
    Points at a whole object of type `pointee`: a global, an element or a
    field. It cannot be cast, stored or computed with. Two references overlap
    only if one is derived from the other, or if both are derived from equal
    roots by equal paths.

    Example: `!baker.ref<i48>`
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Baker_DataType : AnyTypeOf<[AnySignlessInteger, Baker_StructType,
                                Baker_ArrayType], "integer, struct or array">;

class Baker_RefTo<Type pointee, string description>
    : Type<And<[CPred<"::llvm::isa<::karakal::ir::RefType>($_self)">,
                SubstLeaves<"$_self",
                  "::llvm::cast<::karakal::ir::RefType>($_self).getPointee()",
                  pointee.predicate>]>, "reference to " # description>;
def Baker_ScalarRef : Baker_RefTo<AnySignlessInteger, "an integer">;
def Baker_ArrayRef : Baker_RefTo<Baker_ArrayType, "an array">;
def Baker_StructRef : Baker_RefTo<Baker_StructType, "a struct">;

def Baker_ProtocolFieldAttr : AttrDef<BakerDialect, "ProtocolField"> {
  let mnemonic = "protocol_field";
  let summary = "a field of a protocol's header";
  let description = [{
    `offset` and `width` are bits, counted from the most significant bit of
    the header's first byte. A field with `count` above 1 is an array; element
    `i` starts at bit `offset + i * width`.

    Example: `#baker.protocol_field<"ttl" at 64 : 8>`,
    `#baker.protocol_field<"options" at 160 : 32 x 10>`
  }];
  let parameters = (ins
    StringRefParameter<"name of the field">:$name,
    "uint32_t":$offset,
    "uint32_t":$width,
    DefaultValuedParameter<"uint32_t", "1">:$count
  );
  let assemblyFormat =
      "`<` $name `at` $offset `:` $width (`x` $count^)? `>`";
  let genVerifyDecl = 1;
}

def Baker_PuntAttr : AttrDef<BakerDialect, "Punt"> {
  let mnemonic = "punt";
  let summary = "the limits of a channel towards the XScale core";
  let description = [{
    Such a channel never makes its sender wait. At most `waiting` of its messages
    wait for the core, and at most `per_window` pass in each window of time
    (target-ixp/chip/Punts.h). Packets beyond are dropped. `number` counts these
    channels from 0.

    Example: `#baker.punt<number = 0, waiting = 64, per_window = 87>`
  }];
  let parameters = (ins "uint32_t":$number, "uint32_t":$waiting,
                    "uint32_t":$per_window);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Baker_HeadAttr : AttrDef<BakerDialect, "Head"> {
  let mnemonic = "head";
  let summary = "what is known about the offset of a packet's head";
  let description = [{
    The byte offset of the head in the packet's buffer (`modulus` 0), or the
    offset's remainder modulo 2, 4 or 8: the lattices of Figures 10 and 11 of the
    paper.

    Example: `#baker.head<offset 142>`, `#baker.head<mod 8 is 6>`
  }];
  let parameters = (ins "uint32_t":$modulus, "uint32_t":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isExact() const { return getModulus() == 0; }
    /// Returns the attribute of a head at byte `offset` of the buffer.
    static HeadAttr atOffset(::mlir::MLIRContext *context, uint32_t offset) {
      return get(context, 0, offset);
    }
    /// Returns the remainder of the head's offset modulo `divisor`, if known.
    std::optional<uint32_t> remainder(uint32_t divisor) const {
      if (!isExact() && getModulus() % divisor != 0)
        return std::nullopt;
      return getValue() % divisor;
    }
  }];
}

def Baker_ProtocolFields
    : TypedArrayAttrBase<Baker_ProtocolFieldAttr, "fields of a protocol">;

#endif // KARAKAL_IR_BAKERTYPES_TD
