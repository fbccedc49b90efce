// RUN: not baker-opt %s --split-input-file --baker-assign-memory 2>&1 | FileCheck %s

// CHECK: error: global @second does not fit: 4000000 bytes needed, 3801088 of 3801088 left in sram0, 194304 of 4194304 left in sram1
// CHECK: note: @first takes 4000000 bytes
baker.global @first : !baker.array<1000000 x i32>
baker.global @second : !baker.array<1000000 x i32>

// -----

// CHECK: error: metadata field @g does not fit: 2 words needed, 1 of 12 left in the packet's descriptor
baker.metadata @a : i64
baker.metadata @b : i64
baker.metadata @c : i64
baker.metadata @d : i64
baker.metadata @e : i64
baker.metadata @f : i32
baker.metadata @g : i64
