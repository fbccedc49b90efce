// RUN: baker-opt %s --baker-soar --split-input-file --explain=soar -o %t.mlir 2>&1 | FileCheck %s

// Why an access has no fixed offset.

baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]

// CHECK: neither offset nor alignment: the message comes from a channel with different heads
// CHECK-NEXT: baker.packet_load %ph
func.func @channel(%m0: i32, %m1: i32) {
  %ph = baker.packet_take %m0, %m1 : !baker.packet<"mpls">
  %w = baker.packet_load %ph at 0 : !baker.packet<"mpls"> -> i32
  baker.packet_drop %ph : !baker.packet<"mpls">
  return
}

// -----

baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>]

// CHECK: no fixed offset, alignment modulo 4 only: paths with different heads meet
// CHECK: neither offset nor alignment: the head moves by an unknown number
func.func @moves(%m0: i32, %m1: i32, %c: i1) {
  %c4 = arith.constant 4 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"mpls">
  %next = baker.packet_decap %ph, %c4 : !baker.packet<"mpls"> -> !baker.packet<"mpls">
  cf.cond_br %c, ^join(%ph : !baker.packet<"mpls">), ^join(%next : !baker.packet<"mpls">)
^join(%p: !baker.packet<"mpls">):
  %w = baker.packet_load %p at 0 : !baker.packet<"mpls"> -> i32
  %far = baker.packet_encap %p, %w : !baker.packet<"mpls"> -> !baker.packet<"mpls">
  %v = baker.packet_load %far at 0 : !baker.packet<"mpls"> -> i32
  baker.packet_drop %far : !baker.packet<"mpls">
  return
}
