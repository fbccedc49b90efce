// RUN: baker-opt %s --baker-plan-caches | FileCheck %s

// Elements of two arrays share the CAM: the highest bit of the tag identifies the
// array. An array in DRAM, or with elements longer than a burst, is not
// cached.

module attributes {baker.profile = {received = 1000 : i64, traces = 1 : i64}} {
// CHECK: ![[A:.*]] = !baker.struct<"cache_line", entry : i32>
// CHECK: ![[B:.*]] = !baker.struct<"cache_line", entry : !e, unused : !baker.array<1 x i32>>
// CHECK-DAG: baker.global @karakal.lines.a : !baker.array<16 x ![[A]]> {baker.placement = #baker.placement<local at 64>}
// CHECK-DAG: baker.global @karakal.lines.b : !baker.array<16 x ![[B]]> {baker.placement = #baker.placement<local at 128>}
// CHECK-DAG: baker.global @a {{.*}}baker.cache.lines = @karakal.lines.a
// CHECK-DAG: baker.global @b {{.*}}baker.cache.lines = @karakal.lines.b{{.*}}baker.cache.tag = -2147483648 : i32
// CHECK-NOT: karakal.lines.c
// CHECK-NOT: karakal.lines.d
baker.global @a : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.locality = array<i64: 0, 0, 0, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 2000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 65536 : i64}}
baker.global @b : !baker.array<1000 x !baker.struct<"e", x : i32, y : i48>> {baker.placement = #baker.placement<sram0 at 327680>, baker.locality = array<i64: 1000, 1000, 1000, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 3000 : i64}}
baker.global @c : !baker.array<1000 x i32> {baker.placement = #baker.placement<dram at 327680>, baker.locality = array<i64: 1990, 1990, 1990, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 1000 : i64}}
baker.global @d : !baker.array<1000 x !baker.array<9 x i32>> {baker.placement = #baker.placement<sram0 at 400000>, baker.locality = array<i64: 0, 1990, 1990, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 9000 : i64}}

func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
