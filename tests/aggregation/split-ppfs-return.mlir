// RUN: baker-opt --baker-split-ppfs=words-max=60 %s | FileCheck %s
// If a cut is before a block that only returns, no value crosses for that block:
// the first part returns by itself, and the second part does not have the block.

// CHECK-DAG: baker.channel @m.f.rest2
// CHECK-LABEL: func.func @m.f.in_cc
// CHECK: baker.packet_drop
// CHECK: baker.channel_put @m.f.rest2, %arg0
// CHECK-LABEL: func.func @"m.f-2.in_cc"
// CHECK-NOT: no predecessors
// CHECK: baker.channel_put @m.f.out_cc

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.f.in_cc
baker.channel @m.f.out_cc : "ether" from "m.f" to @tx

func.func @m.f.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %seven = arith.constant 7 : i16
  %0 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %is = arith.cmpi eq, %0, %seven : i16
  cf.cond_br %is, ^go, ^bad
^bad:
  baker.packet_drop %ph : !baker.packet<"ether">
  cf.br ^end
^end:
  return
^go:
  %1 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %2 = arith.addi %1, %seven : i16
  baker.packet_write %2, %ph "type" : i16, !baker.packet<"ether">
  baker.channel_put @m.f.out_cc, %ph : !baker.packet<"ether">
  return
}
