// RUN: baker-opt %s --baker-to-llvm=core=me | FileCheck %s

// Writes where the head is known, at a byte or modulo 4.

baker.protocol @mpls min_bytes 4 [
  #baker.protocol_field<"label" at 0 : 20>,
  #baker.protocol_field<"bottom" at 23 : 1>,
  #baker.protocol_field<"ttl" at 24 : 8>,
  #baker.protocol_field<"all" at 0 : 32>]

// Four bytes of two quadwords: two commands without a read.
// CHECK-LABEL: llvm.func @two_quadwords
// CHECK-NOT: llvm.load {{.*}}!llvm.ptr<2>
// CHECK: llvm.call @__ixp_dram_write_masked(
// CHECK: llvm.call @__ixp_dram_write_masked(
// CHECK-NOT: __ixp_dram_write_masked
// CHECK: llvm.return
func.func @two_quadwords(%ph: !baker.packet<"mpls">, %v: i32) {
  baker.packet_write %v, %ph "all" {baker.head = #baker.head<offset 142>} : i32, !baker.packet<"mpls">
  return
}

// A bit of a byte must be merged with the others.
// CHECK-LABEL: llvm.func @part_of_a_byte
// CHECK: llvm.load {{.*}} -> vector<2xi32>
// CHECK: llvm.store {{.*}} : vector<2xi32>
func.func @part_of_a_byte(%ph: !baker.packet<"mpls">, %v: i1) {
  baker.packet_write %v, %ph "bottom" {baker.head = #baker.head<offset 142>} : i1, !baker.packet<"mpls">
  return
}

// Three quadwords, two of them in part: a read and a write are fewer commands.
// CHECK-LABEL: llvm.func @three_quadwords
// CHECK: llvm.load {{.*}} -> vector<6xi32>
// CHECK-NOT: __ixp_dram_write_masked
// CHECK: llvm.store {{.*}} : vector<6xi32>
func.func @three_quadwords(%ph: !baker.packet<"mpls">, %v: i32) {
  baker.packet_store [%v, %v, %v, %v] to %ph at 0 {baker.head = #baker.head<offset 142>} : !baker.packet<"mpls">
  return
}

// One quadword in part and one whole: two commands.
// CHECK-LABEL: llvm.func @part_and_whole
// CHECK-NOT: llvm.load {{.*}} -> vector
// CHECK: llvm.call @__ixp_dram_write_masked(
// CHECK: llvm.store {{.*}} : vector<2xi32>
func.func @part_and_whole(%ph: !baker.packet<"mpls">, %v: i32) {
  baker.packet_store [%v, %v, %v] to %ph at 0 {baker.head = #baker.head<offset 140>} : !baker.packet<"mpls">
  return
}

// Modulo 4, both halves of a quadword have code of their own. In the first
// half the four bytes are in one quadword.
// CHECK-LABEL: llvm.func @modulo_4
// CHECK: %[[HALF:.*]] = llvm.icmp "ne"
// CHECK: llvm.cond_br %[[HALF]], ^[[SECOND:.*]], ^[[FIRST:[^ ]*]]
// CHECK: ^[[FIRST]]:
// CHECK: llvm.call @__ixp_dram_write_masked(
// CHECK-NOT: __ixp_dram_write_masked
// CHECK: ^[[SECOND]]:
// CHECK: llvm.call @__ixp_dram_write_masked(
// CHECK: llvm.call @__ixp_dram_write_masked(
func.func @modulo_4(%ph: !baker.packet<"mpls">, %v: i32) {
  baker.packet_write %v, %ph "all" {baker.head = #baker.head<mod 4 is 2>} : i32, !baker.packet<"mpls">
  return
}

// Bytes of one word need no branch: the mask tells the half.
// CHECK-LABEL: llvm.func @one_word
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.select
// CHECK: llvm.call @__ixp_dram_write_masked(
func.func @one_word(%ph: !baker.packet<"mpls">, %v: i8) {
  baker.packet_write %v, %ph "ttl" {baker.head = #baker.head<mod 4 is 2>} : i8, !baker.packet<"mpls">
  return
}

// A word from the seventh byte of a quadword on: its bytes 6 and 7, and bytes 0 and 1
// of the next.
// CHECK-LABEL: llvm.func @word_in_two_quadwords
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[136]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(192 : i32)
// CHECK: llvm.call @__ixp_dram_write_masked(%[[FIRST]], %[[BYTES]],
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]][8]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.call @__ixp_dram_write_masked(%[[SECOND]], %[[BYTES]],
func.func @word_in_two_quadwords(%ph: !baker.packet<"mpls">, %v: i32) {
  baker.packet_store [%v] to %ph at 0 {baker.head = #baker.head<offset 142>} : !baker.packet<"mpls">
  return
}

// Modulo 4, a read takes the quadwords that enclose its words, and no more.
// CHECK-LABEL: llvm.func @one_word_read
// CHECK: llvm.load {{.*}}!llvm.ptr<2> -> vector<2xi32>
// CHECK-NOT: llvm.load {{.*}}!llvm.ptr<2>
func.func @one_word_read(%ph: !baker.packet<"mpls">) -> i32 {
  %a = baker.packet_load %ph at 0 {baker.head = #baker.head<mod 4 is 0>} : !baker.packet<"mpls"> -> i32
  return %a : i32
}
// CHECK-LABEL: llvm.func @three_words_read
// CHECK: llvm.load {{.*}}!llvm.ptr<2> -> vector<4xi32>
// CHECK-NOT: llvm.load {{.*}}!llvm.ptr<2>
// CHECK: llvm.return
func.func @three_words_read(%ph: !baker.packet<"mpls">) -> (i32, i32, i32) {
  %a, %b, %c = baker.packet_load %ph at 0 {baker.head = #baker.head<mod 4 is 0>} : !baker.packet<"mpls"> -> i32, i32, i32
  return %a, %b, %c : i32, i32, i32
}
