// RUN: baker-opt --baker-split-ppfs=words-max=100 %s | FileCheck %s
// RUN: baker-opt --baker-split-ppfs=words-max=1000 %s | FileCheck %s --check-prefix=WHOLE
// A PPF that does not fit is cut in two where the fewest values cross. The values
// that the second part needs, here a sum of three values, cross in words of the
// descriptor.

// WHOLE-NOT: split.
// WHOLE-NOT: rest2

// CHECK-DAG: baker.channel @m.f.rest2 : "ether" from "m.f" to @"m.f-2.in_cc"
// CHECK-DAG: baker.metadata @split.0 : i32
// CHECK-NOT: baker.metadata @split.1

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.f.in_cc
baker.channel @m.f.out_cc : "ether" from "m.f" to @tx

// CHECK-LABEL: func.func @m.f.in_cc
// CHECK-COUNT-3: baker.packet_read
// CHECK-COUNT-2: arith.addi
// CHECK: baker.meta_write %{{.*}}, %arg0 @split.0
// CHECK: baker.channel_put @m.f.rest2, %arg0
// CHECK-NEXT: return
// CHECK-LABEL: func.func @"m.f-2.in_cc"
// CHECK-SAME: baker.kind = #baker.kind<ppf>
// CHECK: baker.meta_read %arg0 @split.0
// CHECK: arith.constant 7
// CHECK: baker.packet_write
// CHECK: baker.channel_put @m.f.out_cc, %arg0
func.func @m.f.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  %seven = arith.constant 7 : i16
  %0 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %1 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %2 = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %3 = arith.addi %0, %1 : i16
  %4 = arith.addi %2, %3 : i16
  %5 = arith.addi %4, %seven : i16
  baker.packet_write %5, %ph "type" : i16, !baker.packet<"ether">
  baker.channel_put @m.f.out_cc, %ph : !baker.packet<"ether">
  return
}
