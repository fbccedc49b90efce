// RUN: baker-opt %s | baker-opt | FileCheck %s
// RUN: baker-opt --mlir-print-op-generic %s | baker-opt | FileCheck %s
// Every operation, type and attribute of the dialect prints and parses back.

// CHECK: !next_hop = !baker.struct<"next_hop", mac : i48, port : i8>
!next_hop = !baker.struct<"next_hop", mac : i48, port : i8>

// CHECK: baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>
baker.protocol @ether min_bytes 14 constant_size [
  #baker.protocol_field<"dst" at 0 : 48>,
  #baker.protocol_field<"src" at 48 : 48>,
  #baker.protocol_field<"type" at 96 : 16>]
// CHECK: #baker.protocol_field<"options" at 160 : 32 x 10>
baker.protocol @ipv4 min_bytes 20 [
  #baker.protocol_field<"ttl" at 64 : 8>,
  #baker.protocol_field<"options" at 160 : 32 x 10>]

// CHECK: baker.metadata @hop : i16 {baker.word = 0 : i32}
baker.metadata @hop : i16 {baker.word = 0 : i32}
// CHECK: baker.drop_reason @bad_checksum
baker.drop_reason @bad_checksum
// CHECK: baker.global @m.limits : !baker.array<2 x i32> init [10, 20]
baker.global @m.limits : !baker.array<2 x i32> init [10, 20]
// CHECK: baker.global @m.hops : !baker.array<64 x !next_hop> {baker.placement = #baker.placement<sram0 at 327680>}
baker.global @m.hops : !baker.array<64 x !next_hop> {baker.placement = #baker.placement<sram0 at 327680>}

// CHECK: baker.channel @rx : "ether" from "rx" to @m.f.in_cc {baker.id = 1 : i32, baker.ring = 0 : i32, baker.via = #baker.via<ring>}
baker.channel @rx : "ether" from "rx" to @m.f.in_cc {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 1 : i32}
// CHECK: baker.channel @m.f.out_cc : "ether" from "m.f" to @tx
baker.channel @m.f.out_cc : "ether" from "m.f" to @tx

// CHECK-LABEL: func.func @m.f.in_cc
// CHECK-SAME: attributes {baker.core = #baker.core<me>, baker.kind = #baker.kind<ppf>, baker.profile = {packets = 100 : i64}}
func.func @m.f.in_cc(%ph: !baker.packet<"ether">) attributes {
    baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.profile = {packets = 100 : i64}} {
  %c14 = arith.constant 14 : i32
  %c0 = arith.constant 0 : i32
  // CHECK: baker.packet_read %{{.*}} "dst" : !baker.packet<"ether"> -> i48
  %dst = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
  // CHECK: baker.packet_headroom %{{.*}} : !baker.packet<"ether">
  %room = baker.packet_headroom %ph : !baker.packet<"ether">
  // CHECK: baker.packet_create %{{.*}} : !baker.packet<"ether">
  %made = baker.packet_create %c14 : !baker.packet<"ether">
  // CHECK: baker.packet_add_tail %{{.*}}, %{{.*}} : !baker.packet<"ether">
  %long = baker.packet_add_tail %made, %c14 : !baker.packet<"ether">
  // CHECK: baker.packet_remove_tail %{{.*}}, %{{.*}} : !baker.packet<"ether">
  %short = baker.packet_remove_tail %long, %c14 : !baker.packet<"ether">
  // CHECK: baker.packet_clear %{{.*}} at %{{.*}}, %{{.*}} : !baker.packet<"ether">
  baker.packet_clear %short at %c14, %c14 : !baker.packet<"ether">
  // CHECK: baker.packet_blank %{{.*}} : !baker.packet<"ether">
  %blank = baker.packet_blank %c14 : !baker.packet<"ether">
  // CHECK: baker.hash %{{.*}} : i48
  // CHECK: baker.timestamp
  // CHECK: baker.random
  // CHECK: baker.drop_count @bad_checksum
  %key = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
  %hash = baker.hash %key : i48
  %time = baker.timestamp
  %number = baker.random
  %dropped = baker.drop_count @bad_checksum
  // CHECK: baker.trace "port {}"(%{{.*}} : i48)
  baker.trace "port {}" (%hash : i48)
  // CHECK: baker.packet_length %{{.*}} : !baker.packet<"ether">
  %len = baker.packet_length %ph : !baker.packet<"ether">
  // CHECK: baker.meta_read %{{.*}} @rx.port : !baker.packet<"ether"> -> i8
  %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
  // CHECK: baker.packet_copy %{{.*}} : !baker.packet<"ether">
  %copy = baker.packet_copy %ph : !baker.packet<"ether">
  // CHECK: baker.packet_drop %{{.*}} reason @bad_checksum : !baker.packet<"ether">
  baker.packet_drop %copy reason @bad_checksum : !baker.packet<"ether">
  // CHECK: baker.packet_decap %{{.*}}, %{{.*}} : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  // CHECK: baker.packet_read %{{.*}} "options"[%{{.*}}] : !baker.packet<"ipv4"> -> i32
  %o = baker.packet_read %ih "options"[%c0] : !baker.packet<"ipv4"> -> i32
  // CHECK: baker.packet_write %{{.*}}, %{{.*}} "options"[%{{.*}}] : i32, !baker.packet<"ipv4">
  baker.packet_write %o, %ih "options"[%c0] : i32, !baker.packet<"ipv4">
  // CHECK: baker.meta_write %{{.*}}, %{{.*}} @tx.port : i8, !baker.packet<"ipv4">
  baker.meta_write %port, %ih @tx.port : i8, !baker.packet<"ipv4">
  // CHECK: baker.global_ref @m.hops : !baker.ref<!baker.array<64 x !next_hop>>
  %hops = baker.global_ref @m.hops : !baker.ref<!baker.array<64 x !next_hop>>
  // CHECK: baker.element %{{.*}}[%{{.*}}] : !baker.ref<!baker.array<64 x !next_hop>>
  %hop = baker.element %hops[%c0] : !baker.ref<!baker.array<64 x !next_hop>>
  // CHECK: baker.field %{{.*}} "mac" : !baker.ref<!next_hop>
  %mac = baker.field %hop "mac" : !baker.ref<!next_hop>
  // CHECK: baker.load %{{.*}} : !baker.ref<i48>
  %v = baker.load %mac : !baker.ref<i48>
  // CHECK: baker.store %{{.*}}, %{{.*}} : !baker.ref<i48>
  baker.store %v, %mac : !baker.ref<i48>
  // CHECK: baker.packet_encap %{{.*}}, %{{.*}} : !baker.packet<"ipv4"> -> !baker.packet<"ether">
  %oh = baker.packet_encap %ih, %c14 : !baker.packet<"ipv4"> -> !baker.packet<"ether">
  // CHECK: %{{.*}}:2 = baker.packet_load %{{.*}} at -4 : !baker.packet<"ether"> -> i32, i32
  %w:2 = baker.packet_load %oh at -4 : !baker.packet<"ether"> -> i32, i32
  // CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 12 mask 63 : !baker.packet<"ether">
  baker.packet_store [%w#0, %w#1] to %oh at 12 mask 63 : !baker.packet<"ether">
  // CHECK: baker.packet_store [%{{.*}}] to %{{.*}} at 0 : !baker.packet<"ether">
  baker.packet_store [%w#0] to %oh at 0 : !baker.packet<"ether">
  // CHECK: baker.packet_store [%{{.*}}, %{{.*}}] to %{{.*}} at 8 aligned : !baker.packet<"ether">
  baker.packet_store [%w#0, %w#1] to %oh at 8 aligned : !baker.packet<"ether">
  // CHECK: %{{.*}}:2 = baker.meta_load %{{.*}} word 1 : !baker.packet<"ether"> -> i32, i32
  %m:2 = baker.meta_load %oh word 1 : !baker.packet<"ether"> -> i32, i32
  // CHECK: baker.meta_store [%{{.*}}] to %{{.*}} word 2 : !baker.packet<"ether">
  baker.meta_store [%m#1] to %oh word 2 : !baker.packet<"ether">
  // CHECK: %{{.*}}:3 = baker.load_words %{{.*}} at 0 : !baker.ref<!next_hop> -> i32, i32, i32
  %g:3 = baker.load_words %hop at 0 : !baker.ref<!next_hop> -> i32, i32, i32
  // CHECK: baker.store_words [%{{.*}}] to %{{.*}} at 2 : !baker.ref<!next_hop>
  baker.store_words [%g#2] to %hop at 2 : !baker.ref<!next_hop>
  // CHECK: baker.channel_put @m.f.out_cc, %{{.*}} : !baker.packet<"ether">
  baker.channel_put @m.f.out_cc, %oh : !baker.packet<"ether">
  return
}

// CHECK: func.func @m.add(%{{.*}}: i32 {baker.name = "prefix", baker.type = "u32"}) -> (i32 {baker.type = "s32"}) attributes {baker.kind = #baker.kind<control>}
func.func @m.add(%p: i32 {baker.name = "prefix", baker.type = "u32"}) -> (i32 {baker.type = "s32"}) attributes {baker.kind = #baker.kind<control>} {
  return %p : i32
}

// CHECK-LABEL: func.func @queues
func.func @queues(%ph: !baker.packet<"ether">) -> i1 {
  // CHECK: %[[KEPT:.*]] = baker.packet_keep %{{.*}} : !baker.packet<"ether">
  %w = baker.packet_keep %ph : !baker.packet<"ether">
  %c0 = arith.constant 0 : i32
  %old = baker.packet_take %w, %c0 : !baker.packet<"ether">
  // CHECK: baker.packet_held %{{.*}} : !baker.packet<"ether">
  %h = baker.packet_held %old : !baker.packet<"ether">
  return %h : i1
}
