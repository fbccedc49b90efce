// RUN: baker-opt %s --baker-remove-copies | FileCheck %s
// RUN: baker-opt %s --baker-remove-copies --explain=remove-copies -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: baker-opt %s --baker-remove-copies --check-passes=10 -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAME

// SAME: check-passes: baker-remove-copies: the same for

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"type" at 96 : 16>]
baker.drop_reason @old
baker.channel @rx : "ether" from "rx" to @moved
baker.channel @out : "ether" from "moved" to @tx
!e = !baker.packet<"ether">

// The original is dropped: the copy is the packet, and the drop is counted.
// CHECK-LABEL: func.func @moved(
// CHECK-NOT: packet_copy
// CHECK-NOT: packet_drop
// CHECK: %[[OLD:.*]] = arith.constant 3 : i32
// CHECK: call @baker_count_drop(%[[OLD]])
// CHECK: baker.channel_put @out, %arg0
// WHY: remark: [remove-copies] no copy: one of the two packets is dropped at
func.func @moved(%ph: !e) attributes {baker.kind = #baker.kind<ppf>} {
  %copy = baker.packet_copy %ph : !e
  %type = baker.packet_read %copy "type" : !e -> i16
  baker.packet_write %type, %copy "type" : i16, !e
  baker.packet_drop %ph reason @old : !e
  baker.channel_put @out, %copy : !e
  return
}

// The copy is dropped.
// CHECK-LABEL: func.func @dropped(
// CHECK-NOT: packet_copy
// CHECK: call @baker_count_drop(
// CHECK: baker.channel_put @out, %arg0
func.func @dropped(%ph: !e) {
  %copy = baker.packet_copy %ph : !e
  baker.packet_drop %copy : !e
  baker.channel_put @out, %ph : !e
  return
}

// Both are used.
// CHECK-LABEL: func.func @both(
// CHECK: baker.packet_copy
// WHY: remark: [remove-copies] the copy stays: both packets are used
func.func @both(%ph: !e) {
  %copy = baker.packet_copy %ph : !e
  baker.channel_put @out, %copy : !e
  baker.channel_put @out, %ph : !e
  return
}

// The original is read first.
// CHECK-LABEL: func.func @read(
// CHECK: baker.packet_copy
// CHECK: baker.packet_drop
func.func @read(%ph: !e) -> i16 {
  %c = arith.constant 1 : i16
  %copy = baker.packet_copy %ph : !e
  baker.packet_write %c, %copy "type" : i16, !e
  %type = baker.packet_read %ph "type" : !e -> i16
  baker.packet_drop %ph : !e
  baker.channel_put @out, %copy : !e
  return %type : i16
}

// Each path drops the original under its own reason.
// CHECK-LABEL: func.func @ways(
// CHECK-NOT: packet_copy
// CHECK: baker.channel_put @out, %arg0
// CHECK: call @baker_count_drop(
// CHECK-NOT: packet_drop
// CHECK: call @baker_count_drop(
// CHECK: return
func.func @ways(%ph: !e, %is_old: i1) {
  %copy = baker.packet_copy %ph : !e
  baker.channel_put @out, %copy : !e
  cf.cond_br %is_old, ^old, ^other
^old:
  baker.packet_drop %ph reason @old : !e
  return
^other:
  baker.packet_drop %ph : !e
  return
}

// Several copies of one packet, which ends after the loop.
// CHECK-LABEL: func.func @flood(
// CHECK: baker.packet_copy
// CHECK: baker.packet_drop
func.func @flood(%ph: !e, %again: i1) {
  cf.br ^each
^each:
  %copy = baker.packet_copy %ph : !e
  baker.channel_put @out, %copy : !e
  cf.cond_br %again, ^each, ^done
^done:
  baker.packet_drop %ph : !e
  return
}

// A read before the copy does not keep it.
// CHECK-LABEL: func.func @before(
// CHECK-NOT: packet_copy
// CHECK: call @baker_count_drop(
// CHECK: baker.channel_put @out, %arg0
func.func @before(%ph: !e) -> i16 {
  %type = baker.packet_read %ph "type" : !e -> i16
  %copy = baker.packet_copy %ph : !e
  baker.packet_drop %ph : !e
  baker.channel_put @out, %copy : !e
  return %type : i16
}

// A path to the drop goes round the copy.
// CHECK-LABEL: func.func @around(
// CHECK: baker.packet_copy
// CHECK: baker.packet_drop
func.func @around(%ph: !e, %c: i1) {
  cf.cond_br %c, ^copies, ^ends
^copies:
  %copy = baker.packet_copy %ph : !e
  baker.channel_put @out, %copy : !e
  cf.br ^ends
^ends:
  baker.packet_drop %ph : !e
  return
}

// A loop makes a copy and drops it each time; the packet itself ends after it.
// CHECK-LABEL: func.func @each(
// CHECK-NOT: packet_copy
// CHECK: call @baker_count_drop(
// CHECK: baker.packet_drop %arg0
func.func @each(%ph: !e, %again: i1) {
  cf.br ^each
^each:
  %copy = baker.packet_copy %ph : !e
  baker.packet_drop %copy : !e
  cf.cond_br %again, ^each, ^done
^done:
  baker.packet_drop %ph : !e
  return
}
