// RUN: baker-opt --baker-lower-tables --explain=tables %s 2>%t.said | FileCheck %s
// RUN: FileCheck --check-prefix=SAID %s < %t.said
// A table becomes global data, its look-up and its control functions.

!flows = !baker.struct<"flows", class : i8, used : i32>
// SAID: [tables] m.change: on the XScale core, because it changes a table
// SAID: [tables] m.flows: not direct (1 access): the key has 48 bits, more than 16
// SAID: [tables] m.flows: buckets, 1 hash and 1.07 accesses of 5 words for a key, at most 16, 2560 bytes
// SAID: [tables] m.flows: not hash
// CHECK: baker.table @m.flows {{.*}} structure "buckets"
baker.table @m.flows key(exact "mac" : i48) record !flows types ["u8", "u32"]
    mutable ["used"] size 10 limit 16
baker.protocol @p min_bytes 6 constant_size [#baker.protocol_field<"a" at 0 : 48>]

// CHECK-LABEL: func.func @m.change
func.func @m.change(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
  // CHECK: %[[A:.*]] = baker.packet_read
  %a = baker.packet_read %ph "a" : !baker.packet<"p"> -> i48
  // CHECK: %[[N:.*]] = call @m.flows.find(%[[A]]) : (i48) -> i128
  %n = baker.table_find @m.flows(%a) : i48
  // The bit above the data words is set if there was an entry.
  // CHECK: %[[H:.*]] = arith.shrui %[[N]], %c96
  // CHECK: arith.trunci %[[H]] : i128 to i1
  %hit = baker.table_hit @m.flows[%n]
  // The second data word is the number of what packets write.
  // CHECK: %[[W:.*]] = arith.shrui %[[N]], %c32
  // CHECK: %[[I:.*]] = arith.trunci %[[W]] : i128 to i32
  // CHECK: %[[ALL:.*]] = baker.global_ref @m.flows.own.states
  // CHECK: %[[R:.*]] = baker.element %[[ALL]][%[[I]]]
  // CHECK: baker.field %[[R]] "v1"
  %r = baker.table_entry @m.flows[%n] : !baker.ref<!flows>
  %f = baker.field %r "used" : !baker.ref<!flows>
  %u = baker.load %f : !baker.ref<i32>
  baker.store %u, %f : !baker.ref<i32>
  // CHECK: call @m.flows.own.remove_entry(%[[A]])
  %s = baker.table_update "remove" @m.flows(%a) : i48
  baker.packet_drop %ph : !baker.packet<"p">
  return
}
// CHECK: baker.global @m.flows.own.buckets
// One command reads a bucket.
// CHECK: func.func private @m.flows.own.look_up
// CHECK: %{{.*}}:5 = baker.load_words
// CHECK: func.func private @m.flows.find(%{{.*}}: i48) -> i128
// CHECK: func.func @m.flows.add(%{{.*}}: i48 {baker.name = "mac", baker.type = "u48"}, %{{.*}}: i8 {baker.name = "class", baker.type = "u8"})
// CHECK: func.func @m.flows.used(
