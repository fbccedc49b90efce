// RUN: not baker-opt %s --split-input-file --baker-assign-memory 2>&1 | FileCheck %s

// CHECK: error: the variable 'second' does not fit: 20000000 bytes needed, 2812 of 2812 left in scratch, 3588092 of 3588092 left in sram0, 4194300 of 4194300 left in sram1, 10932992 of 30932992 left in dram [E-passes-001]
// CHECK: note: 'first' takes 20000000 bytes
baker.global @first : !baker.array<5000000 x i32>
baker.global @second : !baker.array<5000000 x i32>

// -----

// CHECK: error: the variable 'large' does not fit: 8000 bytes needed, 2812 of 2812 left in scratch
baker.global @large : !baker.array<2000 x i32> {baker.placement.in = #baker.memory_request<scratch>}

// -----

// A variable takes whole quadwords.
// CHECK: error: the variable 'full' does not fit: 2816 bytes needed, 2812 of 2812 left in scratch
baker.global @full : !baker.array<703 x i32> {baker.placement.in = #baker.memory_request<scratch>}

// -----

// CHECK: error: expected {{.*}} to be one of: scratch, sram, sram0, sram1, sram2, sram3, dram
baker.global @g : i32 {baker.placement.in = #baker.memory_request<tape>}

// -----

// CHECK: error: 'baker.global' op 'baker.tolerate' must be a 64-bit integer above 0
baker.global @g : i32 {baker.tolerate = 0 : i64}

// -----

// CHECK: error: the variable 'g' cannot go to dram: engines write it, and DRAM has no single-word writes [E-passes-003]
baker.global @g : i32 {baker.placement.in = #baker.memory_request<dram>}
baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %w = baker.global_ref @g : !baker.ref<i32>
  %v = baker.load %w : !baker.ref<i32>
  baker.store %v, %w : !baker.ref<i32>
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// -----

// CHECK: error: the metadata field 'g' does not fit: 2 words needed, 1 of 12 left in the packet's descriptor [E-passes-004]
baker.metadata @a : i64
baker.metadata @b : i64
baker.metadata @c : i64
baker.metadata @d : i64
baker.metadata @e : i64
baker.metadata @f : i32
baker.metadata @g : i64
