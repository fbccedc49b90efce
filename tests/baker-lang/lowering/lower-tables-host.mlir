// RUN: baker-opt '--baker-lower-tables=on-host' --explain=tables %s 2>%t.said | FileCheck %s
// RUN: FileCheck --check-prefix=SAID %s < %t.said
// RUN: baker-opt --baker-lower-tables --explain=tables %s 2>&1 | FileCheck --check-prefix=CHIP %s
// The memory of a host has room, and its caches make a second access cheap.

!hop = !baker.struct<"hop", mac : i48, port : i8>
// SAID: [tables] hops: not direct (1 access, 1310740 bytes): the values take 3 words, which no store changes at once
// SAID: [tables] hops: index, 2 accesses, 263464 bytes
// SAID: [tables] hops: not buckets {{.*}}: more accesses
// CHECK: baker.table @hops {{.*}} structure "index"
// CHIP: [tables] hops: buckets
// CHIP-NOT: index
baker.table @hops key(exact "hop" : i16) record !hop types ["u48", "u8"] size 64 limit 64

// SAID: [tables] routes4: trie, strides 24-8, 1.01 accesses
// SAID: [tables] routes4: not compressed_trie {{.*}}: more accesses
// CHECK: baker.table @routes4 {{.*}} structure "trie"
// CHIP: [tables] routes4: trie, strides 18-
baker.table @routes4 key(lpm "dst" : i32) record !hop types ["u48", "u8"] size 500000 limit 500000

// SAID: [tables] routes6: compressed_trie, strides 14-6x19, {{.*}} room for any prefixes
// SAID: [tables] routes6: not trie {{.*}}: more accesses
// CHECK: baker.table @routes6 {{.*}} structure "compressed_trie"
// CHIP: [tables] routes6: trie
// CHIP-NOT: compressed_trie
baker.table @routes6 key(lpm "dst" : i128) record !hop types ["u48", "u8"] size 1000 limit 1000

// CHECK: func.func private @hops.find(%{{.*}}: i16) -> i32
