// RUN: baker-opt %s --baker-soar --split-input-file | FileCheck %s

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]
baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>]

// Offsets through decap, encap, copy and meets that agree.

// CHECK-LABEL: func.func @offsets
func.func @offsets(%m0: i32, %m1: i32, %c: i1) {
  %c14 = arith.constant 14 : i32
  %c4 = arith.constant 4 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  // CHECK: baker.packet_decap {{.*}} {baker.head = #baker.head<offset 128>}
  %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  // CHECK: baker.packet_load {{.*}} {baker.head = #baker.head<offset 142>}
  %a = baker.packet_load %ih at 8 : !baker.packet<"ipv4"> -> i32
  cf.cond_br %c, ^one, ^other
^one:
  // CHECK: baker.packet_copy {{.*}} {baker.head = #baker.head<offset 142>}
  %copy = baker.packet_copy %ih : !baker.packet<"ipv4">
  // CHECK: baker.packet_drop {{.*}} {baker.head = #baker.head<offset 142>}
  baker.packet_drop %ih : !baker.packet<"ipv4">
  cf.br ^join(%copy : !baker.packet<"ipv4">)
^other:
  %out = baker.packet_encap %ih, %c4 : !baker.packet<"ipv4"> -> !baker.packet<"mpls">
  // CHECK: baker.packet_decap {{.*}} {baker.head = #baker.head<offset 138>}
  %in = baker.packet_decap %out, %c4 : !baker.packet<"mpls"> -> !baker.packet<"ipv4">
  cf.br ^join(%in : !baker.packet<"ipv4">)
^join(%p: !baker.packet<"ipv4">):
  // CHECK: baker.packet_send {{.*}} {baker.head = #baker.head<offset 142>}
  baker.packet_send %p ring 1 id 0 : !baker.packet<"ipv4">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]
baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>]

// A stack of labels: 142 or more, always 2 modulo 4. Moving the head by a
// multiple of four keeps the remainder; moving it by an unknown number does not.

// CHECK-LABEL: func.func @alignments
func.func @alignments(%m0: i32, %m1: i32) {
  %c14 = arith.constant 14 : i32
  %c4 = arith.constant 4 : i32
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  %first = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"mpls">
  cf.br ^loop(%first : !baker.packet<"mpls">)
^loop(%p: !baker.packet<"mpls">):
  // CHECK: baker.packet_load {{.*}} {baker.head = #baker.head<mod 4 is 2>}
  %w = baker.packet_load %p at 0 : !baker.packet<"mpls"> -> i32
  %n = baker.packet_decap %p, %c4 : !baker.packet<"mpls"> -> !baker.packet<"mpls">
  %last = arith.cmpi ne, %w, %c0 : i32
  cf.cond_br %last, ^loop(%n : !baker.packet<"mpls">), ^done(%n : !baker.packet<"mpls">)
^done(%q: !baker.packet<"mpls">):
  %bytes = arith.shli %w, %c2 : i32
  %in = baker.packet_decap %q, %bytes : !baker.packet<"mpls"> -> !baker.packet<"ipv4">
  // CHECK: baker.packet_load {{.*}} {baker.head = #baker.head<mod 4 is 2>}
  %v = baker.packet_load %in at 0 : !baker.packet<"ipv4"> -> i32
  %lost = baker.packet_decap %in, %v : !baker.packet<"ipv4"> -> !baker.packet<"ether">
  // CHECK: baker.packet_load %{{[0-9]+}} at 0 : !baker.packet<"ether">
  %z = baker.packet_load %lost at 0 : !baker.packet<"ether"> -> i32
  baker.packet_drop %lost : !baker.packet<"ether">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]

// Offsets through calls.

// CHECK-LABEL: func.func private @callee
// CHECK: baker.packet_length {{.*}} {baker.head = #baker.head<offset 142>}
func.func private @callee(%p: !baker.packet<"ipv4">) -> i32 {
  %n = baker.packet_length %p : !baker.packet<"ipv4">
  return %n : i32
}
func.func @caller(%m0: i32, %m1: i32) {
  %c14 = arith.constant 14 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  %n = call @callee(%ih) : (!baker.packet<"ipv4">) -> i32
  baker.packet_drop %ih : !baker.packet<"ipv4">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// A created packet has the head of a received one; changing the tail does not
// move the head.

// CHECK-LABEL: func.func @created
func.func @created(%n: i32) {
  %ph = baker.packet_create %n : !baker.packet<"ether">
  // CHECK: baker.packet_add_tail {{.*}} {baker.head = #baker.head<offset 128>}
  %long = baker.packet_add_tail %ph, %n : !baker.packet<"ether">
  // CHECK: baker.packet_remove_tail {{.*}} {baker.head = #baker.head<offset 128>}
  %short = baker.packet_remove_tail %long, %n : !baker.packet<"ether">
  // CHECK: baker.packet_send {{.*}} {baker.head = #baker.head<offset 128>}
  baker.packet_send %short ring 1 id 0 : !baker.packet<"ether">
  return
}
