// RUN: baker-opt %s --baker-plan-caches="max-error-rate=1e-1 exchange=true" | FileCheck %s
// RUN: baker-opt %s --baker-plan-caches="max-error-rate=1e-1" | FileCheck %s --check-prefix=DELAYED

// Before a control function stores to what is cached, the core gives the engines
// code without caches. So its stores need no version checks, and may be frequent.

// CHECK: module attributes {baker.cache.exchanged, baker.profile
// CHECK-NOT: baker.cache.interval
// DELAYED-NOT: baker.cache.exchanged
module attributes {baker.profile = {received = 10000 : i64, traces = 1 : i64}} {
// CHECK: baker.global @mac : {{.*}}baker.cache.copy = @karakal.copy.mac, baker.cache.reason = "2.00 loads and 0.00e+00 stores per packet, 8 words; no version checks, because engines have no caches during updates; saves
// DELAYED: baker.global @mac : {{.*}}baker.cache.reason = "5.00e-01 stores and 2.00 loads per packet with at most 1.00e-01 stale packets need
baker.global @mac : !baker.array<4 x i48> {baker.placement = #baker.placement<sram1 at 3984>, baker.profile = {reads = 20000 : i64, writes = 0 : i64, read_words = 40000 : i64, write_words = 0 : i64, updates = 5000 : i64}}
baker.global @other : i32 {baker.placement = #baker.placement<sram1 at 4016>, baker.profile = {reads = 0 : i64, writes = 0 : i64, read_words = 0 : i64, write_words = 0 : i64, updates = 0 : i64}}

func.func @m.read.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %zero = arith.constant 0 : i32
  %ref = baker.global_ref @mac : !baker.ref<!baker.array<4 x i48>>
  %element = baker.element %ref[%zero] : !baker.ref<!baker.array<4 x i48>>
  %mac = baker.load %element : !baker.ref<i48>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// A helper stores; the call comes first in the control function.
// CHECK-LABEL: func.func @store
// CHECK-NOT: baker_leave_caches
func.func @store(%value: i48) {
  %zero = arith.constant 0 : i32
  %ref = baker.global_ref @mac : !baker.ref<!baker.array<4 x i48>>
  %element = baker.element %ref[%zero] : !baker.ref<!baker.array<4 x i48>>
  baker.store %value, %element : !baker.ref<i48>
  return
}

// CHECK-LABEL: func.func @m.set
// CHECK-NEXT: call @baker_leave_caches() : () -> ()
// CHECK-NEXT: call @store
// DELAYED-LABEL: func.func @m.set
// DELAYED-NEXT: call @store
func.func @m.set(%value: i48) attributes {baker.kind = #baker.kind<control>} {
  call @store(%value) : (i48) -> ()
  return
}

// Nothing that is cached changes here.
// CHECK-LABEL: func.func @m.other
// CHECK-NOT: baker_leave_caches
// CHECK: return
func.func @m.other(%value: i32) attributes {baker.kind = #baker.kind<control>} {
  %ref = baker.global_ref @other : !baker.ref<i32>
  baker.store %value, %ref : !baker.ref<i32>
  return
}

// CHECK: func.func @karakal.return_to_caches() attributes {baker.interval = 10000 : i64, baker.kind = #baker.kind<control>}
// CHECK-NEXT: call @baker_return_to_caches() : () -> ()
}
