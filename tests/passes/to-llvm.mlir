// RUN: baker-opt %s --baker-assign-memory --baker-to-llvm=core=me | FileCheck %s --check-prefixes=CHIP,ME
// RUN: baker-opt %s --baker-assign-memory --baker-to-llvm=core=xscale | FileCheck %s --check-prefixes=CHIP,XSCALE
// RUN: baker-opt %s --baker-assign-memory --baker-to-llvm=core=host | FileCheck %s --check-prefix=HOST

// Packets, metadata and global data of a program become LLVM's operations.

baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>,
   #baker.protocol_field<"options" at 160 : 32 x 10>]
baker.metadata @hop : i16
baker.metadata @stamp : i48
baker.drop_reason @bad
// HOST: llvm.mlir.global internal @macs(dense<[0, 1, 2, 3]> : tensor<4xi32>)
baker.global @macs : !baker.array<2 x i48> init [1, 8589934595]
    {baker.placement = #baker.placement<sram1 at 16>}

// CHIP-LABEL: llvm.func @fields(%arg0: i32, %arg1: i32)
func.func @fields(%ph: !baker.packet<"ipv4">, %i: i32) {
  // CHIP-DAG: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i32)
  // CHIP-DAG: %[[WIDTH:.*]] = llvm.mlir.constant(8 : i32)
  // CHIP: %[[READ:.*]] = llvm.call @baker_packet_read(%arg0, %[[OFFSET]], %[[WIDTH]]) : (i32, i32, i32) -> i64
  // CHIP: %[[TTL:.*]] = llvm.trunc %[[READ]] : i64 to i8
  %ttl = baker.packet_read %ph "ttl" : !baker.packet<"ipv4"> -> i8
  // CHIP: %[[WIDE:.*]] = llvm.zext %[[TTL]] : i8 to i64
  // CHIP: llvm.call @baker_packet_write(%arg0, %{{.*}}, %{{.*}}, %[[WIDE]])
  baker.packet_write %ttl, %ph "ttl" : i8, !baker.packet<"ipv4">
  // CHIP: llvm.mul %arg1
  // CHIP: llvm.call @baker_packet_read
  %o = baker.packet_read %ph "options"[%i] : !baker.packet<"ipv4"> -> i32
  // CHIP: %[[BYTES:.*]] = llvm.call @baker_packet_decap(%arg0, %{{.*}})
  %in = baker.packet_decap %ph, %o : !baker.packet<"ipv4"> -> !baker.packet<"ipv4">
  // CHIP: llvm.mlir.constant(3 : i32)
  // CHIP: llvm.call @baker_packet_drop(%[[BYTES]]
  baker.packet_drop %in reason @bad : !baker.packet<"ipv4">
  return
}

// A drop reason has the counter of its number, after those of the runtime.
// CHIP-LABEL: llvm.func @drops
func.func @drops() -> i32 {
  // CHIP: %[[BAD:.*]] = llvm.mlir.constant(3 : i32)
  // CHIP: llvm.call @baker_drop_count(%[[BAD]]) : (i32) -> i32
  %count = baker.drop_count @bad
  return %count : i32
}

// CHIP-LABEL: llvm.func @metadata
func.func @metadata(%ph: !baker.packet<"ipv4">, %v: i48) -> i16 {
  // CHIP: llvm.call @baker_rx_port(%arg0)
  %p = baker.meta_read %ph @rx.port : !baker.packet<"ipv4"> -> i8
  // CHIP: llvm.mlir.constant(4 : i32)
  // CHIP: llvm.call @baker_meta_read
  %h = baker.meta_read %ph @hop : !baker.packet<"ipv4"> -> i16
  // CHIP: llvm.call @baker_set_tx_port
  baker.meta_write %p, %ph @tx.port : i8, !baker.packet<"ipv4">
  // CHIP: llvm.call @baker_meta_write
  // CHIP: llvm.call @baker_meta_write
  baker.meta_write %v, %ph @stamp : i48, !baker.packet<"ipv4">
  return %h : i16
}

// CHIP-LABEL: llvm.func @globals
// HOST-LABEL: llvm.func @globals
func.func @globals(%i: i32) {
  // CHIP: %[[BASE:.*]] = llvm.mlir.constant(1073741840 : i32)
  // CHIP: %[[PLACE:.*]] = llvm.add %[[BASE]]
  // CHIP: %[[POINTER:.*]] = llvm.inttoptr %[[PLACE]] : i32 to !llvm.ptr<1>
  // CHIP: %[[LOADED:.*]] = llvm.load %[[POINTER]] {alignment = 4 : i64} : !llvm.ptr<1> -> i64
  // CHIP: %[[MAC:.*]] = llvm.trunc %[[LOADED]] : i64 to i48
  // HOST: llvm.mlir.addressof @macs
  // HOST: llvm.load %{{.*}} : !llvm.ptr -> i32
  // HOST: llvm.load %{{.*}} : !llvm.ptr -> i32
  // HOST: llvm.shl
  %all = baker.global_ref @macs : !baker.ref<!baker.array<2 x i48>>
  %one = baker.element %all[%i] : !baker.ref<!baker.array<2 x i48>>
  %mac = baker.load %one : !baker.ref<i48>
  // CHIP: %[[STORED:.*]] = llvm.zext %[[MAC]] : i48 to i64
  // ME: llvm.store %[[STORED]], %{{.*}} {alignment = 4 : i64} : i64, !llvm.ptr<1>
  // The engines see the core's stores in the program's order.
  // XSCALE: llvm.store volatile %[[STORED]], %{{.*}} {alignment = 4 : i64} : i64, !llvm.ptr<1>
  baker.store %mac, %one : !baker.ref<i48>
  return
}

// A packet in a queue gives up its number on the engines; x86 counts it.
// CHIP-LABEL: llvm.func @waits(
// HOST-LABEL: llvm.func @waits(
func.func @waits(%ph: !baker.packet<"ipv4">, %word: i32) -> i1 {
  %zero = arith.constant 0 : i32
  // ME: llvm.call @baker_leave_order(%arg0)
  // XSCALE-NOT: llvm.call
  // HOST: llvm.call @baker_packet_keep(%arg0)
  %w = baker.packet_keep %ph : !baker.packet<"ipv4">
  // HOST: %[[TAKEN:.*]] = llvm.call @baker_packet_fetch(%arg1)
  // HOST: llvm.icmp "ne" %[[TAKEN]]
  %old = baker.packet_take %word, %zero : !baker.packet<"ipv4">
  // CHIP: llvm.icmp "ne"
  %h = baker.packet_held %old : !baker.packet<"ipv4">
  return %h : i1
}

func.func @set(%a: i8, %b: i64) -> i16 attributes {baker.kind = #baker.kind<control>} {
  %c = arith.constant 0 : i16
  return %c : i16
}

func.func @start() attributes {baker.kind = #baker.kind<init>} {
  return
}

// ME-NOT: @control.set
// XSCALE-LABEL: llvm.func @control.set(%arg0: !llvm.ptr) -> i32
// XSCALE: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// XSCALE: llvm.trunc %[[A]] : i64 to i8
// XSCALE: llvm.getelementptr %arg0[1]
// XSCALE: %[[R:.*]] = llvm.call @set
// XSCALE: llvm.sext %[[R]] : i16 to i32
// XSCALE-LABEL: llvm.func @init.start()
// XSCALE: llvm.call @start
