// RUN: baker-opt %s --baker-plan-caches="max-error-rate=1e-1 engines=1" | FileCheck %s --check-prefix=ONE
// RUN: baker-opt %s --baker-plan-caches="max-error-rate=1e-1 engines=2" | FileCheck %s --check-prefix=TWO

// 0.008 stores a packet need a version check every twelfth packet. The eight
// contexts of one engine have fewer packets at a time; the sixteen of two have
// more, so no element is cached.

module attributes {baker.profile = {received = 100000 : i64, traces = 1 : i64}} {
// ONE: baker.global @karakal.lines.b
// TWO-NOT: karakal.lines
baker.global @b : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.locality = array<i64: 0, 0, 0, 99000, 99000, 99000, 99000>, baker.profile = {reads = 100000 : i64, writes = 0 : i64, read_words = 100000 : i64, write_words = 0 : i64, updates = 800 : i64, extent = 65536 : i64}}

func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %key = arith.constant 3 : i32
  %refs = baker.global_ref @b : !baker.ref<!baker.array<65536 x i32>>
  %ref = baker.element %refs[%key] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
func.func @m.set(%i: i32) attributes {baker.kind = #baker.kind<control>} {
  %refs = baker.global_ref @b : !baker.ref<!baker.array<65536 x i32>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<65536 x i32>>
  baker.store %i, %ref : !baker.ref<i32>
  return
}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
