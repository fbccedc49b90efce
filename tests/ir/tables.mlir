// RUN: baker-opt %s | baker-opt | FileCheck %s
// Operations on tables print as they parse.

!routes = !baker.struct<"routes", hop : i16, used : i32>
// CHECK: baker.table @routes key(lpm "dst" : i32, exact "vrf" : i8) record !routes types ["u16", "u32"] mutable ["used"] size 4 limit 8 default [1, 0] entries [array<i64: 0, 0, 2, 3>] structure "trie"
baker.table @routes key(lpm "dst" : i32, exact "vrf" : i8) record !routes
    types ["u16", "u32"] mutable ["used"] size 4 limit 8 default [1, 0]
    entries [array<i64: 0, 0, 2, 3>] structure "trie"

// CHECK: baker.table @small {{.*}} limit 4 prefix_lengths [1, 0, 3] prefix_nodes [1, 2]
baker.table @small key(lpm "bits" : i2) record !baker.struct<"s", v : i8>
    types ["u8"] size 4 limit 4 prefix_lengths [1, 0, 3] prefix_nodes [1, 2]

// CHECK: baker.table @flows {{.*}} mutable ["bytes.low", "bytes.high", "idle.mark"] counters ["bytes"] idle size 4 limit 4
baker.table @flows key(exact "id" : i32)
    record !baker.struct<"f", v : i8, bytes.low : i32, bytes.high : i32, idle.mark : i32>
    types ["u8", "u32", "u32", "u32"]
    mutable ["bytes.low", "bytes.high", "idle.mark"]
    counters ["bytes"] idle size 4 limit 4

func.func private @f(%dst: i32, %vrf: i8, %length: i8, %hop: i16) -> i1
    attributes {baker.kind = #baker.kind<function>} {
  // CHECK: %[[N:.*]] = baker.table_find @routes(%arg0, %arg1) : i32, i8
  %n = baker.table_find @routes(%dst, %vrf) : i32, i8
  // CHECK: baker.table_entry @routes[%[[N]]] : !baker.ref<!routes>
  %r = baker.table_entry @routes[%n] : !baker.ref<!routes>
  // CHECK: baker.table_hit @routes[%[[N]]]
  %hit = baker.table_hit @routes[%n]
  // CHECK: baker.table_update "add" @routes(%arg0, %arg2, %arg1, %arg3) : i32, i8, i8, i16
  %s = baker.table_update "add" @routes(%dst, %length, %vrf, %hop) : i32, i8, i8, i16
  // CHECK: baker.table_update "clear" @routes()
  %c = baker.table_update "clear" @routes()
  // CHECK: baker.table_count_hit @flows[%[[N]]] bytes %arg0
  baker.table_count_hit @flows[%n] bytes %dst
  return %hit : i1
}
