// RUN: baker-opt %s --baker-to-llvm=core=me | FileCheck %s
// RUN: baker-opt %s --baker-to-llvm=core=host | FileCheck %s

// Zeroed bytes are a call of the primitive, which returns nothing.

baker.protocol @p min_bytes 14 []

// CHECK-LABEL: llvm.func @f(
// CHECK: llvm.call @baker_packet_clear(%arg0, %arg1, %arg2) {{.*}}(i32, i32, i32) -> ()
// CHECK-NEXT: llvm.return
func.func @f(%ph: !baker.packet<"p">, %first: i32, %count: i32) {
  baker.packet_clear %ph at %first, %count : !baker.packet<"p">
  return
}
