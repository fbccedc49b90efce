// RUN: baker-opt %s --baker-plan-caches | FileCheck %s
// RUN: baker-opt %s --baker-plan-caches=array-caches=false | FileCheck %s --check-prefix=NONE

// A look-up function of a whole word has the CAM alone. The array gets a
// direct-mapped cache with as many cache lines as fit, each of a power of two
// words.

module attributes {baker.profile = {received = 1000 : i64, traces = 1 : i64}} {
// CHECK: !cache_line = !baker.struct<"cache_line", entry : !e, tag : i32>
// CHECK-DAG: baker.global @karakal.results.wide : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 64>}
// CHECK-DAG: baker.global @karakal.lines.b : !baker.array<32 x !cache_line> {baker.placement = #baker.placement<local at 128>}
// CHECK-DAG: baker.global @karakal.generation
// CHECK-DAG: baker.global @b {{.*}}baker.cache.lines = @karakal.lines.b
// NONE-NOT: karakal.lines
baker.global @a : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 3000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 65536 : i64}}
baker.global @b : !baker.array<1000 x !baker.struct<"e", x : i32, y : i48>> {baker.placement = #baker.placement<sram0 at 327680>, baker.locality = array<i64: 1000, 1000, 1000, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 3000 : i64}}

func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = arith.constant 3 : i32
  %x = func.call @wide(%key) : (i32) -> i32
  %refs = baker.global_ref @b : !baker.ref<!baker.array<1000 x !baker.struct<"e", x : i32, y : i48>>>
  %ref = baker.element %refs[%x] : !baker.ref<!baker.array<1000 x !baker.struct<"e", x : i32, y : i48>>>
  %f = baker.field %ref "x" : !baker.ref<!baker.struct<"e", x : i32, y : i48>>
  %found = baker.load %f : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

func.func private @wide(%key: i32) -> i32 attributes {baker.kind = #baker.kind<function>, baker.locality = array<i64: 0, 0, 0, 950, 950, 950, 950>, baker.profile = {packets = 1000 : i64}} {
  %refs = baker.global_ref @a : !baker.ref<!baker.array<65536 x i32>>
  %ref = baker.element %refs[%key] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
