// RUN: baker-opt %s --baker-split-cores --baker-aggregation | FileCheck %s
// RUN: baker-opt %s --baker-split-cores --baker-aggregation=words-max=200 | FileCheck %s --check-prefix=SMALL
// RUN: not baker-opt %s --baker-split-cores --baker-aggregation=engines=7 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: baker-aggregation: engines must lie between 1 and 6

// Two PPFs that fit one engine are one aggregate on all engines. If they do not
// fit, each has its own engines, and the channel between them is a ring.

// CHECK: baker.aggregates = [{engines = array<i32: 1, 2, 3, 4, 5, 6>, name = "main"}]
// SMALL: baker.aggregates = [{engines = array<i32: {{[0-9, ]+}}>, name = "main"}, {engines = array<i32: {{[0-9, ]+}}>, name = "m.second"}]

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.first.in_cc
// CHECK: baker.channel @m.first.next_cc {{.*}}baker.via = #baker.via<call>, baker.via.reason = "inside one aggregate"
// SMALL: baker.channel @m.first.next_cc {{.*}}baker.ring = 4 : i32, baker.via = #baker.via<ring>, baker.via.reason = "leads from aggregate main to m.second"
baker.channel @m.first.next_cc : "ether" from "m.first" to @m.second.in_cc
baker.channel @m.second.out_cc : "ether" from "m.second" to @tx

// CHECK: func.func @m.first.in_cc{{.*}}baker.aggregate = "main"
// SMALL: func.func @m.first.in_cc{{.*}}baker.aggregate = "main"
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %0 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %1 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  baker.packet_write %0, %ph "type" : i16, !baker.packet<"ether">
  baker.channel_put @m.first.next_cc, %ph : !baker.packet<"ether">
  return
}

// CHECK: func.func @m.second.in_cc{{.*}}baker.aggregate = "main"
// SMALL: func.func @m.second.in_cc{{.*}}baker.aggregate = "m.second"
func.func @m.second.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %0 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  baker.packet_write %0, %ph "type" : i16, !baker.packet<"ether">
  baker.channel_put @m.second.out_cc, %ph : !baker.packet<"ether">
  return
}
