// RUN: baker-opt %s --baker-plan-caches=max-error-rate=1e-1 --explain=plan-caches -o %t.mlir 2>&1 | FileCheck %s

// Each decision is explained as what it is.

module attributes {baker.profile = {received = 10000 : i64, traces = 1 : i64}} {
// CHECK-DAG: [plan-caches] @mac cached: 2.00 loads and 0.00e+00 stores
baker.global @mac : !baker.array<4 x i48> {baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 20000 : i64, writes = 0 : i64, read_words = 40000 : i64, write_words = 0 : i64, updates = 0 : i64}}
// CHECK-DAG: [plan-caches] @unread not cached: no packet
baker.global @unread : i32 {baker.placement = #baker.placement<sram0 at 327684>, baker.profile = {reads = 0 : i64, writes = 0 : i64, read_words = 0 : i64, write_words = 0 : i64, updates = 0 : i64}}
func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
  %c0 = arith.constant 0 : i32
  %refs = baker.global_ref @mac : !baker.ref<!baker.array<4 x i48>>
  %ref = baker.element %refs[%c0] : !baker.ref<!baker.array<4 x i48>>
  %v = baker.load %ref : !baker.ref<i48>
  %u = baker.global_ref @unread : !baker.ref<i32>
  %w = baker.load %u : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
}
