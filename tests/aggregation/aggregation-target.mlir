// RUN: baker-opt %s --baker-split-cores --baker-aggregation | FileCheck %s
// RUN: baker-opt %s --baker-split-cores --baker-aggregation=engines=7 | FileCheck %s --check-prefix=SEVEN
// RUN: not baker-opt %s --baker-split-cores --baker-aggregation=engines=15 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: baker-aggregation: engines must lie between 1 and 14

// A program for the IXP2800 has its 14 engines between Rx and Tx.

// CHECK: baker.aggregates = [{engines = array<i32: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14>, name = "main"}]
// SEVEN: baker.aggregates = [{engines = array<i32: 1, 2, 3, 4, 5, 6, 7>, name = "main"}]

module attributes {baker.target = "ixp2800"} {
  baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
  baker.channel @rx : "ether" from "rx" to @m.first.in_cc
  baker.channel @m.first.out_cc : "ether" from "m.first" to @tx

  func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
      attributes {baker.kind = #baker.kind<ppf>} {
    %0 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    baker.packet_write %0, %ph "type" : i16, !baker.packet<"ether">
    baker.channel_put @m.first.out_cc, %ph : !baker.packet<"ether">
    return
  }
}
