// RUN: not baker-opt %s --split-input-file --baker-to-llvm=core=me 2>&1 | FileCheck %s

// A missing decision of an earlier pass is an error that names the pass.

// CHECK: error: global @g has no placement: run baker-assign-memory
baker.global @g : i32
func.func @f() -> i32 {
  %ref = baker.global_ref @g : !baker.ref<i32>
  %v = baker.load %ref : !baker.ref<i32>
  return %v : i32
}

// -----

// CHECK: error: metadata field @hop has no word: run baker-assign-memory
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.metadata @hop : i16
func.func @f(%ph: !baker.packet<"ether">) -> i16 {
  %h = baker.meta_read %ph @hop : !baker.packet<"ether"> -> i16
  return %h : i16
}
