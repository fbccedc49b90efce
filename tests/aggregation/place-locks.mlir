// RUN: baker-opt %s --baker-split-cores --baker-aggregation=engines=1 --baker-place-locks | FileCheck %s --check-prefix=ONE
// RUN: baker-opt %s --baker-split-cores --baker-aggregation --baker-place-locks | FileCheck %s --check-prefix=SIX
// RUN: baker-opt %s --baker-split-cores --baker-aggregation --baker-place-locks --explain=aggregation -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// A lock of one engine is in its local memory, after the caches. A lock of
// several engines is in scratch, or in SRAM if scratch is busier. A lock that the
// XScale core also takes is in scratch.

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.work.in_cc
baker.channel @m.work.out_cc : "ether" from "m.work" to @tx

baker.global @copy : !baker.array<3 x i32> {baker.placement = #baker.placement<local at 0>}
baker.global @table : !baker.array<64 x i32> {baker.placement = #baker.placement<scratch at 12288>}
// ONE: baker.global @guard {{.*}}baker.placement = #baker.placement<local at 12>
// SIX: baker.global @guard {{.*}}baker.placement = #baker.placement<sram1 at 0>
// WHY: remark: [aggregation] lock guard lies in sram1: test and set takes {{[0-9]+}} cycles in scratch, {{9[0-9]}} % busy, {{[0-9]+}} cycles in sram0, {{[0-9]+}} % busy, 90 cycles in sram1, 0 % busy
baker.global @guard : i32 {baker.placement = #baker.placement<scratch at 12544>}
// ONE: baker.global @both {{.*}}baker.placement = #baker.placement<scratch at 12548>
// SIX: baker.global @both {{.*}}baker.placement = #baker.placement<scratch at 12548>
// WHY: remark: [aggregation] lock both lies in scratch: the XScale core also takes it
baker.global @both : i32 {baker.placement = #baker.placement<scratch at 12548>}

func.func @m.work.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %table = baker.global_ref @table : !baker.ref<!baker.array<64 x i32>>
  %at = baker.element %table[%c0] : !baker.ref<!baker.array<64 x i32>>
  cf.br ^more(%c0 : i32)
^more(%i: i32):
  %v = baker.load %at : !baker.ref<i32>
  baker.store %v, %at : !baker.ref<i32>
  %next = arith.addi %i, %v : i32
  %again = arith.cmpi ult, %next, %v : i32
  cf.cond_br %again, ^more(%next : i32), ^done {baker.branch = array<i64: 99, 1>}
^done:
  %guard = baker.global_ref @guard : !baker.ref<i32>
  baker.lock %guard : !baker.ref<i32>
  baker.store %c1, %at : !baker.ref<i32>
  baker.unlock %guard : !baker.ref<i32>
  %both = baker.global_ref @both : !baker.ref<i32>
  baker.lock %both : !baker.ref<i32>
  baker.unlock %both : !baker.ref<i32>
  baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
  return
}

func.func @m.set() attributes {baker.kind = #baker.kind<control>} {
  %both = baker.global_ref @both : !baker.ref<i32>
  baker.lock %both : !baker.ref<i32>
  baker.unlock %both : !baker.ref<i32>
  return
}
