// RUN: baker-opt --baker-lower-tables --split-input-file --explain=tables %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s
// The structure of a table with masks or ranges, by its limit and its key.

// Seven commands read the vectors of four bytes, the entries in force, the number
// and the entry. A list of 12 takes 6.5 on average.
// CHECK: [tables] short: not bit_vectors (at most 7 accesses {{.*}}): so short a list takes fewer accesses
// CHECK: [tables] short: list, 1 to 12 entries of 4 words
baker.table @short key(ternary "a" : i32) record !baker.struct<"value", v : i8>
    types ["u8"] size 12 limit 12

// -----

// CHECK: [tables] rules: bit_vectors, at most 7 accesses of up to 4 words, 19872 bytes
// CHECK: [tables] rules: not list
// CHECK: [tables] rules: not tuples ({{.*}}): bit_vectors takes any masks
baker.table @rules key(ternary "a" : i32) record !baker.struct<"value", v : i8>
    types ["u8"] size 100 limit 100

// -----

// A range has a word that leads to the vector. 1,152 positions are five groups.
// CHECK: [tables] ranges: bit_vectors, at most 18 accesses of up to 8 words, 543264 bytes
baker.table @ranges key(ternary "a" : i8, range "b" : i16) record !baker.struct<"value", v : i8>
    types ["u8"]
    size 1024 limit 1024

// -----

// CHECK: [tables] wide_range: not bit_vectors ({{.*}}): a range has 17 bits, more than 16
// CHECK: [tables] wide_range: list
baker.table @wide_range key(range "a" : i17) record !baker.struct<"value", v : i8>
    types ["u8"] size 100 limit 100

// -----

// CHECK: [tables] wide: not bit_vectors ({{.*}}): a look-up takes some 1134 instructions
// CHECK: [tables] wide: list
baker.table @wide key(ternary "a" : i128, ternary "b" : i128, ternary "c" : i128,
                      ternary "d" : i128, ternary "e" : i128)
    record !baker.struct<"value", v : i8>
    types ["u8"] size 1000 limit 1000

// -----

// CHECK: [tables] many: not bit_vectors ({{.*}}): the limit 1025 is above 1024
// CHECK: [tables] many: not list ({{.*}}): the limit 1025 is above 1024
// CHECK: [tables] many: tuples
baker.table @many key(range "a" : i32) record !baker.struct<"value", v : i8>
    types ["u8"] size 1025 limit 1025
