// RUN: baker-opt %s --baker-channel-heads | FileCheck %s

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]
baker.protocol @mpls min_bytes 4 constant_size
  [#baker.protocol_field<"label" at 0 : 20>]

// The head of a channel is the meet of all its producers, also on a cycle.

baker.channel @rx : "ether" from "rx" to @a.in_cc
// CHECK: baker.channel @a.out_cc {{.*}} {baker.head = #baker.head<mod 4 is 2>}
baker.channel @a.out_cc : "mpls" from "a" to @b.in_cc
// CHECK: baker.channel @b.again_cc {{.*}} {baker.head = #baker.head<mod 4 is 2>}
baker.channel @b.again_cc : "mpls" from "b" to @b.in_cc
// CHECK: baker.channel @b.done_cc {{.*}} {baker.head = #baker.head<mod 4 is 2>}
baker.channel @b.done_cc : "ipv4" from "b" to @c.in_cc
// CHECK: baker.channel @a.arp_cc {{.*}} {baker.head = #baker.head<offset 128>}
baker.channel @a.arp_cc : "ether" from "a" to @d.in_cc

func.func @a.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %c14 = arith.constant 14 : i32
  %copy = baker.packet_copy %ph : !baker.packet<"ether">
  baker.channel_put @a.arp_cc, %copy : !baker.packet<"ether">
  %p = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"mpls">
  baker.channel_put @a.out_cc, %p : !baker.packet<"mpls">
  return
}
func.func @b.in_cc(%p: !baker.packet<"mpls">) attributes {baker.kind = #baker.kind<ppf>} {
  %c4 = arith.constant 4 : i32
  %w = baker.packet_load %p at 0 : !baker.packet<"mpls"> -> i32
  %more = arith.trunci %w : i32 to i1
  cf.cond_br %more, ^again, ^done
^again:
  %n = baker.packet_decap %p, %c4 : !baker.packet<"mpls"> -> !baker.packet<"mpls">
  baker.channel_put @b.again_cc, %n : !baker.packet<"mpls">
  return
^done:
  %ih = baker.packet_decap %p, %c4 : !baker.packet<"mpls"> -> !baker.packet<"ipv4">
  baker.channel_put @b.done_cc, %ih : !baker.packet<"ipv4">
  return
}
func.func @c.in_cc(%p: !baker.packet<"ipv4">) attributes {baker.kind = #baker.kind<ppf>} {
  baker.packet_drop %p : !baker.packet<"ipv4">
  return
}
func.func @d.in_cc(%p: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  baker.packet_drop %p : !baker.packet<"ether">
  return
}
