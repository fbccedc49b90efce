// RUN: baker-opt %s --baker-assign-memory --baker-split-cores --baker-lower-channels=core=me | FileCheck %s --check-prefix=ME
// RUN: baker-opt %s --baker-assign-memory --baker-split-cores --baker-lower-channels=core=xscale | FileCheck %s --check-prefix=XSCALE
// RUN: baker-opt %s --baker-assign-memory --baker-lower-channels=core=host | FileCheck %s --check-prefix=HOST

// A PPF on a microengine, one on the XScale core, one on a cycle.

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>,
   #baker.protocol_field<"src" at 48 : 48>,
   #baker.protocol_field<"type" at 96 : 16>]

baker.channel @rx : "ether" from "rx" to @m.first.in_cc
baker.channel @m.first.slow_cc : "ether" from "m.first" to @m.slow.in_cc
baker.channel @m.first.next_cc : "ether" from "m.first" to @m.second.in_cc
baker.channel @m.first.again_cc : "ether" from "m.first" to @m.first.in_cc
baker.channel @m.slow.back_cc : "ether" from "m.slow" to @m.second.in_cc
baker.channel @m.second.out_cc : "ether" from "m.second" to @tx

// ME-LABEL: func.func @m.first.in_cc
// HOST-LABEL: func.func @m.first.in_cc
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 1000 : i64}} {
  %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %c1 = arith.constant 1 : i16
  %c2 = arith.constant 2 : i16
  %0 = arith.cmpi eq, %type, %c1 : i16
  cf.cond_br %0, ^slow, ^not_slow
^slow:
  // ME: baker.channel_mark 2
  // ME-NEXT: baker.packet_send %arg0 ring 2 id 2 {punt = #baker.punt<number = 0, waiting = 64, per_window = 87>, reason = 3 : i32} : !baker.packet<"ether">
  // HOST: %[[MESSAGE:.*]] = arith.ori %{{.*}}, %c33554432_i32
  // HOST: call @baker_channel_put(%c0_i32, %[[MESSAGE]])
  baker.channel_put @m.first.slow_cc, %ph : !baker.packet<"ether">
  return
^not_slow:
  %1 = arith.cmpi eq, %type, %c2 : i16
  cf.cond_br %1, ^again, ^next
^again:
  // ME: baker.packet_send %arg0 ring 4 id 4 {reason = 4 : i32}
  baker.channel_put @m.first.again_cc, %ph : !baker.packet<"ether">
  return
^next:
  // ME: call @m.second.in_cc(%{{.*}})
  baker.channel_put @m.first.next_cc, %ph : !baker.packet<"ether">
  return
}

// ME-NOT: func.func @m.slow.in_cc
// XSCALE-NOT: func.func @m.first.in_cc
// XSCALE-LABEL: func.func @m.slow.in_cc
func.func @m.slow.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 0 : i64}} {
  // XSCALE: baker.packet_send %arg0 ring 3
  baker.channel_put @m.slow.back_cc, %ph : !baker.packet<"ether">
  return
}

// ME-LABEL: func.func @m.second.in_cc
// HOST-LABEL: func.func @m.second.in_cc
// XSCALE-NOT: func.func @m.second.in_cc
func.func @m.second.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.profile = {packets = 900 : i64}} {
  // ME: baker.packet_send %arg0 ring 1 id 0
  // HOST: call @baker_channel_put(%c1_i32
  baker.channel_put @m.second.out_cc, %ph : !baker.packet<"ether">
  return
}

// ME-NOT: func.func @m.set
// XSCALE: func.func @m.set
func.func @m.set(%v: i32) -> i32 attributes {baker.kind = #baker.kind<control>} {
  return %v : i32
}

// ME-LABEL: func.func @me_main()
// ME: %[[OWN:.*]] = call @__ixp_scratch_get(%c4_i32{{.*}})
// ME: baker.packet_take %[[OWN]], %{{.*}} : !baker.packet<"ether">
// ME: call @__ixp_ring_status(%c3_i32)
// ME: call @__ixp_scratch_get(%c3_i32{{.*}})
// ME: %[[NEW:.*]]:2 = call @__ixp_scratch_get2(%c0_i32{{.*}})
// ME: baker.packet_take %[[NEW]]#0, %[[NEW]]#1 from_rx
// ME: call @__ixp_sleep(%c32_i32

// XSCALE-LABEL: func.func @xscale_handler()
// XSCALE: call @__ixp_scratch_get(%c2_i32{{.*}})
// XSCALE: %[[STATE:.*]] = arith.constant 15136 : i32
// XSCALE: call @baker_punt_taken(%[[STATE]])
// XSCALE: baker.packet_take
// XSCALE: call @m.slow.in_cc
