// RUN: baker-opt %s --baker-to-llvm=core=me | FileCheck %s --check-prefix=ME
// RUN: baker-opt %s --baker-to-llvm=core=xscale | FileCheck %s --check-prefix=XSCALE

// A burst is one command for its enclosing quadwords on a microengine, and calls
// of the primitives elsewhere.

!hop = !baker.struct<"hop", mac : i48, port : i8>
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"dst" at 0 : 48>]
baker.global @hops : !baker.array<2 x !hop>
    {baker.placement = #baker.placement<sram0 at 327680>}

// ME-LABEL: llvm.func @load(
// ME: %[[HEAD:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// ME: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<2> -> vector<6xi32>
// ME-NOT: llvm.load
// ME: llvm.call @__ixp_words_from.3(
// ME-NOT: llvm.call
// XSCALE-LABEL: llvm.func @load(
// XSCALE: %[[AT:.*]] = llvm.mlir.constant(-16 : i32)
// XSCALE: llvm.call @baker_packet_read(%arg0, %[[AT]]
// XSCALE: %[[AT2:.*]] = llvm.mlir.constant(16 : i32)
// XSCALE: llvm.call @baker_packet_read(%arg0, %[[AT2]]
func.func @load(%ph: !baker.packet<"ether">) -> (i32, i32, i32) {
  %w:3 = baker.packet_load %ph at -2 : !baker.packet<"ether"> -> i32, i32, i32
  return %w#0, %w#1, %w#2 : i32, i32, i32
}

// ME-LABEL: llvm.func @store(
// ME: llvm.call @__ixp_words_into.2(
// ME: llvm.load %{{.*}} : !llvm.ptr<2> -> vector<4xi32>
// ME: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xi32>, !llvm.ptr<2>
// XSCALE-LABEL: llvm.func @store(
// XSCALE: llvm.call @baker_packet_write
// XSCALE: llvm.mlir.constant(16 : i32)
// XSCALE: llvm.call @baker_packet_write
// XSCALE-NOT: llvm.call @baker_packet_write
func.func @store(%ph: !baker.packet<"ether">, %v: i32) {
  baker.packet_store [%v, %v] to %ph at 0 mask 63 : !baker.packet<"ether">
  return
}

// Whole quadwords are written without being read first.
// ME-LABEL: llvm.func @aligned(
// XSCALE-LABEL: llvm.func @aligned(
// ME-NOT: !llvm.ptr<2> ->
// ME: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<2>
func.func @aligned(%ph: !baker.packet<"ether">, %v: i32) {
  baker.packet_store [%v, %v] to %ph at 2 aligned : !baker.packet<"ether">
  return
}

// ME-LABEL: llvm.func @descriptor(
// ME: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xi32>
// ME: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
func.func @descriptor(%ph: !baker.packet<"ether">) {
  %w:2 = baker.meta_load %ph word 1 : !baker.packet<"ether"> -> i32, i32
  baker.meta_store [%w#0] to %ph word 2 : !baker.packet<"ether">
  return
}

// ME-LABEL: llvm.func @globals(
// ME: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<3xi32>
// ME: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xi32>, !llvm.ptr<1>
func.func @globals(%i: i32) {
  %hops = baker.global_ref @hops : !baker.ref<!baker.array<2 x !hop>>
  %hop = baker.element %hops[%i] : !baker.ref<!baker.array<2 x !hop>>
  %w:3 = baker.load_words %hop at 0 : !baker.ref<!hop> -> i32, i32, i32
  baker.store_words [%w#1, %w#2] to %hop at 1 : !baker.ref<!hop>
  return
}
