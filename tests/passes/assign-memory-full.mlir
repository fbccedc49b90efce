// RUN: baker-opt %s --split-input-file --baker-assign-memory | FileCheck %s

// A global may fill a memory to its last byte.

// CHECK: baker.global @whole : !baker.array<5636096 x i32> {baker.placement = #baker.placement<dram at 11010048>
baker.global @whole : !baker.array<5636096 x i32> {baker.placement.in = #baker.memory_request<dram>}
