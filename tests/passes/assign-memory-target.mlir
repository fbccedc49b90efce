// RUN: baker-opt %s --baker-assign-memory | FileCheck %s
// RUN: sed -e 's/ attributes {baker.target = "ixp2800"}//' %s | not baker-opt --baker-assign-memory 2>&1 | FileCheck %s --check-prefix=DEFAULT

// The IXP2800 has four SRAM channels, the default chip has two.

// DEFAULT: error: the variable 'last' cannot go to sram3: the chip has no such memory [E-passes-002]

module attributes {baker.target = "ixp2800"} {
  // CHECK: baker.global @last {{.*}}baker.placement = #baker.placement<sram3 at 0>
  baker.global @last : i32 {baker.placement.in = #baker.memory_request<sram3>}
  // More than fits two channels of 4 MB, besides the other memories.
  // CHECK-DAG: baker.global @a {{.*}}#baker.placement<sram{{[0-3]}} at
  // CHECK-DAG: baker.global @b {{.*}}#baker.placement<sram{{[0-3]}} at
  // CHECK-DAG: baker.global @c {{.*}}#baker.placement<sram{{[0-3]}} at
  baker.global @a : !baker.array<750000 x i32> {baker.placement.in = #baker.memory_request<sram>}
  baker.global @b : !baker.array<750000 x i32> {baker.placement.in = #baker.memory_request<sram>}
  baker.global @c : !baker.array<750000 x i32> {baker.placement.in = #baker.memory_request<sram>}
}
