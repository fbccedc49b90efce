// RUN: baker-opt %s --baker-split-cores --baker-aggregation=engines=1 --baker-place-locals | FileCheck %s
// RUN: baker-opt %s --baker-split-cores --baker-aggregation=engines=1 --baker-place-locals --explain=place-locals -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Local arrays take what caches leave of local memory. @one and @two are never
// in use together, @outer and @one are. A context has no room for @large.

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.work.in_cc
baker.channel @m.work.out_cc : "ether" from "m.work" to @tx

baker.global @copy : !baker.array<3 x i32> {baker.placement = #baker.placement<local at 0>}
// CHECK: baker.global @one {{.*}}baker.placement = #baker.placement<local at 96>{{.*}}baker.stride = 16
baker.global @one : !baker.array<8 x i32> {baker.local}
// CHECK: baker.global @two {{.*}}baker.placement = #baker.placement<local at 96>{{.*}}baker.stride = 16
baker.global @two : !baker.array<6 x i32> {baker.local}
// CHECK: baker.global @outer {{.*}}baker.placement = #baker.placement<local at 64>{{.*}}baker.stride = 16
baker.global @outer : !baker.array<7 x i32> {baker.local}
// CHECK: baker.global @large {{.*}}baker.placement = #baker.placement<s{{[a-z0-9]+}} at {{[0-9]+}}>{{.*}}baker.stride = 304
baker.global @large : !baker.array<300 x i32> {baker.local}
// CHECK: baker.global @core : {{.*}} {baker.local}
baker.global @core : !baker.array<300 x i32> {baker.local}

// WHY: remark: [place-locals] local array outer lies in local memory: 8 words, 0.0 accesses a packet; word 0 of 16 that each context has
// WHY: remark: [place-locals] local array large lies in s{{.*}}: 304 words, 0.0 accesses a packet; local memory leaves a context 16 words beside a stack of 48; an access takes {{[0-9]+}} cycles in scratch, which is full, {{[0-9]+}} cycles in sram0

func.func private @first() {
  %a = baker.global_ref @one : !baker.ref<!baker.array<8 x i32>>
  return
}
func.func private @second() {
  %a = baker.global_ref @two : !baker.ref<!baker.array<6 x i32>>
  return
}
func.func @m.work.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %o = baker.global_ref @outer : !baker.ref<!baker.array<7 x i32>>
  %l = baker.global_ref @large : !baker.ref<!baker.array<300 x i32>>
  call @first() : () -> ()
  call @second() : () -> ()
  baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
  return
}
func.func @m.set() attributes {baker.kind = #baker.kind<control>} {
  %a = baker.global_ref @core : !baker.ref<!baker.array<300 x i32>>
  return
}
