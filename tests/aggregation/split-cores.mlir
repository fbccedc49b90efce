// RUN: baker-opt %s --baker-split-cores | FileCheck %s
// RUN: baker-opt %s --baker-split-cores=cold-share=0.5 | FileCheck %s --check-prefix=HALF
// RUN: baker-opt %s "--baker-split-cores=cold-share=0.5 rare-on-engines=1" | FileCheck %s --check-prefix=ONE
// RUN: not baker-opt %s --baker-split-cores=cold-share=2 2>&1 | FileCheck %s --check-prefix=ERROR

// RUN: baker-opt %s "--baker-split-cores=cold-share=0.5 punt-rate=20000,m.second.again_cc=1" | FileCheck %s --check-prefix=RATES
// RUN: not baker-opt %s --baker-split-cores=punt-rate=m.first.next_cc=5 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not baker-opt %s --baker-split-cores=punt-rate=m.first.rare_cc=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: baker-opt %s --baker-split-cores=punt-rate=none | FileCheck %s --check-prefix=NONE --implicit-check-not=baker.punt
// RUN: not baker-opt %s --baker-split-cores=punt-rate=none,5 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sh -c 'cat %s; seq -f "baker.drop_reason @r%%.0f" 252' | not baker-opt --baker-split-cores 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not baker-opt %s --baker-split-cores=punt-rate=fast 2>&1 | FileCheck %s --check-prefix=FAST

// ERROR: error: baker-split-cores: cold-share must lie between 0 and 1
// UNKNOWN: error: punt-rate: 'm.first.next_cc' is no channel to a PPF on the XScale core; there are: m.first.rare_cc
// ZERO: error: punt-rate: 'm.first.rare_cc=0' is neither PACKETS nor CHANNEL=PACKETS, with PACKETS a second above 0
// FAST: error: punt-rate: 'fast' is neither
// BOTH: error: punt-rate: 'none' excludes other rates
// FULL: error: the drop reasons do not fit: 257 counters needed, 256 available [E-ir-001]

// NONE: baker.ring = 2
// Channels to the XScale core get limits: 100,000 packets a second are 87 in a
// window of 524,288 cycles at 600 MHz. Three of them share the ring.
// RATES: baker.channel @m.first.rare_cc {{.*}}baker.punt = #baker.punt<number = 0, waiting = 64, per_window = 17>
// RATES: baker.channel @m.first.next_cc {{.*}}baker.punt = #baker.punt<number = 1, waiting = 64, per_window = 17>
// RATES: baker.channel @m.second.again_cc {{.*}}baker.punt = #baker.punt<number = 2, waiting = 64, per_window = 1>

// With room for one rare PPF, the one with more packets stays on the engines.
// ONE: func.func @m.first.in_cc
// ONE-NOT: baker.rare
// ONE: func.func @m.rare.in_cc{{.*}}baker.core = #baker.core<xscale>, baker.core.reason = "0 of 1000 packets, below the share of 0.5000"
// ONE: func.func @m.second.in_cc{{.*}}baker.core = #baker.core<me>, baker.core.reason = "400 of 1000 packets, below the share of 0.5000, but there is room on the engines"{{.*}}baker.rare

// A PPF that is rare in the profile goes to the XScale core, and its channels
// become rings between the cores. A channel on a cycle is a ring, too.

baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]

// CHECK: baker.channel @rx {{.*}}baker.ring = 0 : i32, baker.via = #baker.via<ring>
baker.channel @rx : "ether" from "rx" to @m.first.in_cc
// CHECK: baker.channel @m.first.rare_cc {{.*}}baker.punt = #baker.punt<number = 0, waiting = 64, per_window = 87>, baker.ring = 2 : i32, baker.via = #baker.via<ring>, baker.via.reason = "crosses from one core to the other"
// HALF: baker.channel @m.first.rare_cc {{.*}}baker.ring = 2
baker.channel @m.first.rare_cc : "ether" from "m.first" to @m.rare.in_cc
// CHECK-NOT: baker.punt
// CHECK: baker.channel @m.first.next_cc {{.*}}baker.via = #baker.via<call>, baker.via.reason = "inside one core's program"
// HALF: baker.channel @m.first.next_cc {{.*}}baker.ring = 2
baker.channel @m.first.next_cc : "ether" from "m.first" to @m.second.in_cc
// CHECK: baker.channel @m.rare.back_cc {{.*}}baker.ring = 3
// HALF: baker.channel @m.rare.back_cc {{.*}}baker.via = #baker.via<call>
baker.channel @m.rare.back_cc : "ether" from "m.rare" to @m.second.in_cc
// CHECK: baker.channel @m.second.again_cc {{.*}}baker.ring = 4 : i32, baker.via = #baker.via<ring>, baker.via.reason = "lies on a cycle of the PPF graph"
// HALF: baker.channel @m.second.again_cc {{.*}}baker.ring = 2
baker.channel @m.second.again_cc : "ether" from "m.second" to @m.second.in_cc
// CHECK: baker.channel @m.second.out_cc {{.*}}baker.ring = 1 : i32, baker.via = #baker.via<ring>, baker.via.reason = "leads to Tx"
baker.channel @m.second.out_cc : "ether" from "m.second" to @tx

// CHECK: func.func @m.first.in_cc{{.*}}baker.core = #baker.core<me>, baker.core.reason = "1000 of 1000 packets, not below the share of 0.0010"
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 1000 : i64}} {
  %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %c1 = arith.constant 1 : i16
  %is = arith.cmpi eq, %type, %c1 : i16
  cf.cond_br %is, ^rare, ^next
^rare:
  baker.channel_put @m.first.rare_cc, %ph : !baker.packet<"ether">
  return
^next:
  baker.channel_put @m.first.next_cc, %ph : !baker.packet<"ether">
  return
}

// CHECK: func.func @m.rare.in_cc{{.*}}baker.core = #baker.core<xscale>, baker.core.reason = "0 of 1000 packets, below the share of 0.0010"
func.func @m.rare.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 0 : i64}} {
  baker.channel_put @m.rare.back_cc, %ph : !baker.packet<"ether">
  return
}

// CHECK: func.func @m.second.in_cc{{.*}}baker.core = #baker.core<me>
// HALF: func.func @m.second.in_cc{{.*}}baker.core = #baker.core<xscale>
func.func @m.second.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 400 : i64}} {
  %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %c2 = arith.constant 2 : i16
  %is = arith.cmpi eq, %type, %c2 : i16
  cf.cond_br %is, ^again, ^out
^again:
  baker.channel_put @m.second.again_cc, %ph : !baker.packet<"ether">
  return
^out:
  baker.channel_put @m.second.out_cc, %ph : !baker.packet<"ether">
  return
}

// A PPF that no packet can reach is erased.
// CHECK-NOT: @m.unfed
// HALF-NOT: @m.unfed
baker.channel @m.unfed.again_cc : "ether" from "m.unfed" to @m.unfed.in_cc
func.func @m.unfed.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  baker.channel_put @m.unfed.again_cc, %ph : !baker.packet<"ether">
  return
}
