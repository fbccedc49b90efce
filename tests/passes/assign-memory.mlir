// RUN: baker-opt %s --baker-assign-memory | FileCheck %s

// Globals that packets read often are spread over the SRAM channels. Channel 0 has
// the descriptors, so channel 1 takes more. Globals that no packet reads fill
// scratch, which has the lowest latency, and so do small ones that packets read: the
// rings and their polls leave the unit time.

// CHECK: baker.global @often : !baker.array<100000 x i32> {baker.placement = #baker.placement<sram1 at [[#]]>, baker.placement.reason = "2.00 accesses per packet of 1.00 words, 400000 bytes; in sram0 a packet would wait {{[0-9.]+}} more cycles; too large for scratch
baker.global @often : !baker.array<100000 x i32>
// CHECK: baker.global @small : !baker.array<4 x i48> {baker.placement = #baker.placement<scratch at [[#]]>, baker.placement.reason = "1.00 accesses per packet of 2.00 words, 32 bytes"}
baker.global @small : !baker.array<4 x i48>
// CHECK: baker.global @unread : i32 {baker.placement = #baker.placement<scratch at [[#]]>
baker.global @unread : i32
// CHECK: baker.global @kept : i32 {baker.placement = #baker.placement<sram1 at 12>}
baker.global @kept : i32 {baker.placement = #baker.placement<sram1 at 12>}
// CHECK: baker.global @wanted : i32 {baker.placement = #baker.placement<scratch at [[#]]>, baker.placement.in = #baker.memory_request<scratch>, baker.placement.reason = "requested in the source"}
baker.global @wanted : i32 {baker.placement.in = #baker.memory_request<scratch>}
// CHECK: baker.global @vast : !baker.array<2000000 x i32> {baker.placement = #baker.placement<dram at 11010048>
baker.global @vast : !baker.array<2000000 x i32>

baker.channel @rx : "ether" from "rx" to @m.p.in
func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
  %index = arith.extui %port : i8 to i32
  %value = func.call @look(%index) : (i32) -> i32
  %refs = baker.global_ref @small : !baker.ref<!baker.array<4 x i48>>
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<4 x i48>>
  %mac = baker.load %ref : !baker.ref<i48>
  %w = baker.global_ref @wanted : !baker.ref<i32>
  baker.store %value, %w : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}
func.func private @look(%i: i32) -> i32 attributes {baker.kind = #baker.kind<function>} {
  %refs = baker.global_ref @often : !baker.ref<!baker.array<100000 x i32>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<100000 x i32>>
  %next = baker.load %ref : !baker.ref<i32>
  %ref2 = baker.element %refs[%next] : !baker.ref<!baker.array<100000 x i32>>
  %value = baker.load %ref2 : !baker.ref<i32>
  return %value : i32
}
// Init functions do not count.
func.func @fill() attributes {baker.kind = #baker.kind<init>} {
  %w = baker.global_ref @unread : !baker.ref<i32>
  %v = baker.load %w : !baker.ref<i32>
  baker.store %v, %w : !baker.ref<i32>
  return
}

// CHECK: baker.metadata @hop : i16 {baker.word = 0 : i32}
baker.metadata @hop : i16
// CHECK: baker.metadata @stamp : i64 {baker.word = 1 : i32}
baker.metadata @stamp : i64
// CHECK: baker.metadata @last : i1 {baker.word = 3 : i32}
baker.metadata @last : i1
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
