// RUN: baker-opt %s --baker-plan-caches | FileCheck %s

// Two look-up functions of half words share the CAM: the highest bit of the tag
// identifies the function. One of a whole word leaves no bit and saves less alone.

module attributes {baker.profile = {received = 1000 : i64, traces = 1 : i64}} {
// CHECK-DAG: baker.global @karakal.results.first : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 64>}
// CHECK-DAG: baker.global @karakal.results.second : !baker.array<16 x i32> {baker.placement = #baker.placement<local at 128>}
// CHECK-DAG: baker.global @karakal.generation
// CHECK-NOT: @karakal.results.wide
baker.global @a : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 1000 : i64, writes = 0 : i64, read_words = 1000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 65536 : i64}}
baker.global @b : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram0 at 327680>, baker.profile = {reads = 1000 : i64, writes = 0 : i64, read_words = 1000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 65536 : i64}}

func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = arith.constant 3 : i16
  %wide = arith.constant 3 : i32
  %x = func.call @first(%key) : (i16) -> i32
  %y = func.call @second(%key) : (i16) -> i32
  %z = func.call @wide(%wide) : (i32) -> i32
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// CHECK-LABEL: func.func private @first
// CHECK-SAME: baker.cache.results = @karakal.results.first
// CHECK-NOT: baker.cache.tag
func.func private @first(%key: i16) -> i32 attributes {baker.kind = #baker.kind<function>, baker.locality = array<i64: 0, 0, 0, 900, 900, 900, 900>, baker.profile = {packets = 1000 : i64}} {
  %refs = baker.global_ref @a : !baker.ref<!baker.array<65536 x i32>>
  %index = arith.extui %key : i16 to i32
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}

// CHECK-LABEL: func.func private @second
// CHECK-SAME: baker.cache.results = @karakal.results.second
// CHECK-SAME: baker.cache.tag = -2147483648 : i32
func.func private @second(%key: i16) -> i32 attributes {baker.kind = #baker.kind<function>, baker.locality = array<i64: 0, 0, 0, 800, 900, 900, 900>, baker.profile = {packets = 1000 : i64}} {
  %refs = baker.global_ref @b : !baker.ref<!baker.array<65536 x i32>>
  %index = arith.extui %key : i16 to i32
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}

// CHECK-LABEL: func.func private @wide
// CHECK-NOT: baker.cache.results
func.func private @wide(%key: i32) -> i32 attributes {baker.kind = #baker.kind<function>, baker.locality = array<i64: 0, 0, 0, 900, 900, 900, 900>, baker.profile = {packets = 1000 : i64}} {
  %refs = baker.global_ref @a : !baker.ref<!baker.array<65536 x i32>>
  %ref = baker.element %refs[%key] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
