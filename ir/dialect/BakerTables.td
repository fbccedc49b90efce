// Declared tables.
//
// `baker-lower-tables` chooses the structure of each table and replaces the
// operations below by calls and references to global data.

#ifndef KARAKAL_IR_BAKERTABLES_TD
#define KARAKAL_IR_BAKERTABLES_TD

include "ir/dialect/BakerDialect.td"
include "ir/dialect/BakerTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Baker_TableUser<string mnemonic, list<Trait> traits = []>
    : Op<BakerDialect, mnemonic,
         traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Baker_TableData : Resource<"::karakal::ir::GlobalDataResource">;

def Baker_TableOp : Op<BakerDialect, "table",
                       [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a table of entries that are found by their key";
  let description = [{
    Each field of the key is `exact`, `lpm`, `ternary` or `range`. `record` is
    the struct that the program sees of an entry; `types` are its fields' types
    in the source, and `mutable` names the fields that packets may write.
    `size` is the number of entries to expect, `limit` the most that may be
    added. `default` has the values of an entry that is not found, zeros if it is
    missing. Each of `entries` is an entry of the source: the arguments of the
    table's control function `add`. `structure` (set by `baker-lower-tables`) is
    how the entries are found.

    `prefix_lengths` and `prefix_nodes` tell what prefixes a table with an `lpm`
    field is expected to hold, from which the strides of its trie are chosen. A
    length counts the bits of the exact fields and those of the prefix. Element i
    of `prefix_lengths` is the number of entries of length i, 0 to the bits of
    the key; element i of `prefix_nodes` the number of different first i bits of
    the entries that are longer.

    `counters` names what is counted of the look-ups that find an entry,
    "packets" or "bytes"; with `idle` the look-ups are noted. The record has
    their words, which are mutable (support/EntryCounters.h). `meter` is the kind
    of meter that each entry has; the record has a word for it, too
    (support/EntryMeters.h).

    ```mlir
    baker.table @router.routes key(lpm "dst" : i32)
        record !baker.struct<"routes", hop : i16, used : i32>
        types ["u16", "u32"] mutable ["used"] size 10000 limit 16384
    baker.table @small key(lpm "bits" : i2) record !baker.struct<"s", v : i8>
        types ["u8"] size 4 limit 4
        prefix_lengths [1, 0, 3] prefix_nodes [1, 2]
    baker.table @flows key(exact "id" : i32)
        record !baker.struct<"f", v : i8, packets.low : i32,
                             packets.high : i32, idle.mark : i32>
        types ["u8", "u32", "u32", "u32"]
        mutable ["packets.low", "packets.high", "idle.mark"]
        counters ["packets"] idle size 4 limit 4
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, StrArrayAttr:$key_names, StrArrayAttr:$key_kinds,
    TypeArrayAttr:$key_types, TypeAttrOf<Baker_StructType>:$record,
    StrArrayAttr:$types, OptionalAttr<StrArrayAttr>:$mutable_fields,
    OptionalAttr<StrArrayAttr>:$counters, UnitAttr:$idle,
    OptionalAttr<StrAttr>:$meter,
    I64Attr:$size, I64Attr:$limit, OptionalAttr<DenseI64ArrayAttr>:$default_values,
    OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "rows">>:$entries,
    OptionalAttr<DenseI64ArrayAttr>:$prefix_lengths,
    OptionalAttr<DenseI64ArrayAttr>:$prefix_nodes,
    OptionalAttr<StrAttr>:$structure);
  let assemblyFormat = [{
    $sym_name `key` `(` custom<TableKey>($key_names, $key_kinds, $key_types) `)`
    `record` $record `types` $types (`mutable` $mutable_fields^)?
    (`counters` $counters^)? (`idle` $idle^)? (`meter` $meter^)?
    `size` $size `limit` $limit (`default` $default_values^)?
    (`entries` $entries^)? (`prefix_lengths` $prefix_lengths^)?
    (`prefix_nodes` $prefix_nodes^)? (`structure` $structure^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Baker_TableFindOp
    : Baker_TableUser<"table_find", [MemoryEffects<[MemRead<Baker_TableData>]>]> {
  let summary = "find the entry of a key";
  let description = [{
    The result is the number of the entry, or that of the default entry.

    ```mlir
    %entry = baker.table_find @router.routes(%dst) : i32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table,
                       Variadic<AnySignlessInteger>:$keys);
  let results = (outs I32:$entry);
  let assemblyFormat = "$table `(` $keys `)` attr-dict `:` type($keys)";
}

def Baker_TableHitOp : Baker_TableUser<"table_hit", [Pure]> {
  let summary = "whether an entry is none but the default entry";
  let description = [{
    Example: `%hit = baker.table_hit @router.routes[%entry]`
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, I32:$entry);
  let results = (outs I1:$hit);
  let assemblyFormat = "$table `[` $entry `]` attr-dict";
}

def Baker_TableEntryOp : Baker_TableUser<"table_entry", [Pure]> {
  let summary = "reference to an entry of a table";
  let description = [{
    ```mlir
    %route = baker.table_entry @router.routes[%entry] : !baker.ref<!routes>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, I32:$entry);
  let results = (outs Baker_StructRef:$ref);
  let assemblyFormat =
      "$table `[` $entry `]` attr-dict `:` qualified(type($ref))";
}

def Baker_TableCountHitOp : Baker_TableUser<"table_count_hit"> {
  let summary = "count a look-up in the entry that it found";
  let description = [{
    Adds 1 to the counter of packets and `bytes` to that of bytes, and notes that
    the entry is not idle: what of these the table has. The default entry stays
    as it is.

    ```mlir
    baker.table_count_hit @router.routes[%entry] bytes %length
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, I32:$entry,
                       Optional<I32>:$bytes);
  let assemblyFormat = "$table `[` $entry `]` (`bytes` $bytes^)? attr-dict";
}

def Baker_TableColorOp : Baker_TableUser<"table_color"> {
  let summary = "the color that the meter of an entry gives a packet";
  let description = [{
    The packet of `length` bytes takes tokens of the entry's meter. `incoming` is
    the color that it came with, green if it is missing. The default entry leaves
    it as it is, and so does an entry whose rates are not set.

    ```mlir
    %color = baker.table_color @router.users[%entry] length %length
        incoming %before
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, I32:$entry, I32:$length,
                       Optional<I32>:$incoming);
  let results = (outs I32:$color);
  let assemblyFormat = [{
    $table `[` $entry `]` `length` $length (`incoming` $incoming^)? attr-dict
  }];
}

def Baker_TableUpdateOp : Baker_TableUser<"table_update"> {
  let summary = "add, change, remove, clear, count or age entries";
  let description = [{
    The arguments of `add` are those of the table's control function; `change`
    takes the same, `remove` those of the key, `clear`, `count` and `expire`
    none. The result is 0, or why the table is as before (ir/dialect/Tables.h);
    that of `count` is the number of entries, that of `expire` how many it has
    removed.

    ```mlir
    %status = baker.table_update "add" @router.routes(%dst, %length, %hop)
        : i32, i8, i16
    ```
  }];
  let arguments = (ins StrAttr:$verb, FlatSymbolRefAttr:$table,
                       Variadic<AnySignlessInteger>:$values);
  let results = (outs I32:$status);
  let assemblyFormat =
      "$verb $table `(` $values `)` attr-dict (`:` type($values)^)?";
}

#endif // KARAKAL_IR_BAKERTABLES_TD
