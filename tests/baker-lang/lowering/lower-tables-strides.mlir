// RUN: baker-opt --baker-lower-tables --explain=tables --split-input-file %s -o /dev/null 2>&1 | FileCheck %s
// The strides of a trie fit the lengths of the prefixes.

!v = !baker.struct<"t", v : i8>
// CHECK: [tables] small: trie, strides {{.*}} for any prefixes
baker.table @small key(lpm "a" : i32) record !v types ["u8"] size 3 limit 3

// -----

!v = !baker.struct<"t", v : i8>
// CHECK: [tables] routes: trie, strides 18-6-4x2, 1.90 accesses, at most 4, values in its words, {{.*}} room for prefixes like those of a real IPv4 table
// CHECK: [tables] routes: not trie (strides {{.*}}): more accesses
baker.table @routes key(lpm "a" : i32) record !v types ["u8"] size 10000 limit 10000

// -----

!v = !baker.struct<"t", v : i32>
// A slot takes 14 bits, so 17 are left.
// CHECK: [tables] wide: trie, strides 18-6-4x2, 1.90 accesses, at most 4, and 1 for the values,
baker.table @wide key(lpm "a" : i32) record !v types ["u32"] size 10000 limit 10000

// -----

!v = !baker.struct<"t", v : i8>
// Half of the prefixes are longer than 10 bits.
// CHECK: [tables] told: trie, strides 16, 1.00 accesses, at most 1, {{.*}} like those of the table's entries
// CHECK: [tables] told: not trie (strides 10-6, 1.50 accesses, at most 2,
baker.table @told key(lpm "a" : i16) record !v types ["u8"] size 2000 limit 2000
    prefix_lengths [0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 100]
    prefix_nodes [1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 6, 12, 25, 50, 100, 100]

// -----

!v = !baker.struct<"t", v : i8>
// CHECK: [tables] large: trie, {{.*}} a real IPv6 table, too large for SRAM
baker.table @large key(lpm "a" : i128) record !v types ["u8"] size 50000 limit 50000
