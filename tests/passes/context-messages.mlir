// RUN: baker-opt %s --baker-lower-channels=context-messages=true | FileCheck %s --check-prefix=LOWER
// RUN: baker-opt %s --baker-lower-channels | FileCheck %s --check-prefix=CALLS --implicit-check-not=me_message --implicit-check-not=baker.message
// RUN: baker-opt %s --baker-lower-channels=context-messages=true --baker-inline=max-copied=0 | FileCheck %s --check-prefix=INLINE --implicit-check-not=baker.message
// RUN: baker-opt %s --baker-lower-channels=context-messages=true --baker-inline | FileCheck %s --check-prefix=SMALL

// A rare PPF gets its packets by messages of a context to itself, so that its
// code exists once and shares no value with the frequent code: m.rarer, which
// two PPFs put to. Where the path goes on after the put, it is inlined. A small
// one is copied to where rare code puts to it.

baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"type" at 96 : 16>]
baker.drop_reason @rare

baker.channel @rx : "ether" from "rx" to @m.first.in_cc {baker.id = 0 : i32}
baker.channel @m.first.rare_cc : "ether" from "m.first" to @m.rare.in_cc
    {baker.id = 3 : i32, baker.via = #baker.via<call>, baker.head = #baker.head<offset 128>}
baker.channel @m.first.next_cc : "ether" from "m.first" to @m.next.in_cc
    {baker.id = 4 : i32, baker.via = #baker.via<call>}
baker.channel @m.rare.again_cc : "ether" from "m.rare" to @m.rarer.in_cc
    {baker.id = 5 : i32, baker.via = #baker.via<call>}
baker.channel @m.next.rarer_cc : "ether" from "m.next" to @m.rarer.in_cc
    {baker.id = 7 : i32, baker.via = #baker.via<call>}
baker.channel @m.next.out_cc : "ether" from "m.next" to @tx {baker.id = 6 : i32}

// LOWER-LABEL: func.func @m.first.in_cc
// LOWER: call @m.rare.in_cc(%{{.*}}) {baker.message = 3 : i32}
// LOWER: call @m.rare.in_cc(%{{.*}}) {baker.message = 3 : i32}
// LOWER: call @m.next.in_cc(%{{.*}}) {baker.message = 4 : i32}
// CALLS: call @m.rare.in_cc
func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>} {
  %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %c1 = arith.constant 1 : i16
  %is1 = arith.cmpi eq, %type, %c1 : i16
  cf.cond_br %is1, ^rare, ^more
^rare:
  baker.channel_put @m.first.rare_cc, %ph : !baker.packet<"ether">
  return
^more:
  %c2 = arith.constant 2 : i16
  %is2 = arith.cmpi eq, %type, %c2 : i16
  cf.cond_br %is2, ^both, ^next
^both:
  %copy = baker.packet_copy %ph : !baker.packet<"ether">
  baker.channel_put @m.first.rare_cc, %copy : !baker.packet<"ether">
  cf.br ^next
^next:
  baker.channel_put @m.first.next_cc, %ph : !baker.packet<"ether">
  return
}

func.func @m.next.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>} {
  %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  %c3 = arith.constant 3 : i16
  %is3 = arith.cmpi eq, %type, %c3 : i16
  cf.cond_br %is3, ^rarer, ^out
^rarer:
  baker.channel_put @m.next.rarer_cc, %ph : !baker.packet<"ether">
  return
^out:
  baker.channel_put @m.next.out_cc, %ph : !baker.packet<"ether">
  return
}

func.func @m.rare.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.rare} {
  baker.channel_put @m.rare.again_cc, %ph : !baker.packet<"ether">
  return
}

func.func @m.rarer.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.rare} {
  baker.packet_drop %ph reason @rare : !baker.packet<"ether">
  return
}

// LOWER-LABEL: func.func @me_message(%arg0: i32)
// LOWER: baker.loop_entry 1
// LOWER: cf.br ^[[LOOP:bb[0-9]+]](%arg0 : i32)
// LOWER: ^[[LOOP]](%[[M:.*]]: i32):
// A message to m.rare, then one to m.rarer.
// LOWER: baker.loop_iteration 1, 2
// LOWER: cf.switch %{{.*}} : i32, [
// LOWER: 3: ^[[RARE:bb[0-9]+]],
// LOWER: 4: ^[[NEXT:bb[0-9]+]],
// LOWER: 5: ^[[RARER:bb[0-9]+]],
// LOWER: 7: ^[[RARER]]
// LOWER: ^[[RARE]]:
// LOWER: baker.packet_take %[[M]], %{{.*}} {baker.head = #baker.head<offset 128>}
// LOWER: call @m.rare.in_cc
// LOWER: ^[[NEXT]]:
// LOWER: call @m.next.in_cc
// LOWER: ^[[RARER]]:
// LOWER: call @m.rarer.in_cc

// INLINE-LABEL: func.func @me_main
// INLINE: %[[M:.*]] = baker.packet_send %{{.*}} ring 17 id 3 : !baker.packet<"ether"> -> i32
// INLINE-NEXT: cf.br ^[[MESSAGE:bb[0-9]+]](%[[M]] : i32)
// INLINE: %[[COPY:.*]] = baker.packet_copy
// INLINE: baker.packet_drop %[[COPY]]
// INLINE: %[[R:.*]] = baker.packet_send %{{.*}} ring 17 id 7 : !baker.packet<"ether"> -> i32
// INLINE-NEXT: cf.br ^[[MESSAGE]](%[[R]] : i32)
// INLINE: baker.packet_send %{{.*}} ring 1
// INLINE: ^[[MESSAGE]](%[[N:.*]]: i32):
// INLINE-NEXT: call @me_message(%[[N]])
// INLINE-LABEL: func.func @me_message
// INLINE: ^[[LOOP:bb[0-9]+]](%{{.*}}: i32):
// INLINE-NEXT: baker.loop_iteration 1, 2
// No frequent code sends to m.next so.
// INLINE: cf.switch %{{.*}} : i32, [
// INLINE-NEXT: default
// INLINE-NEXT: 3: ^
// INLINE-NEXT: 5: ^[[RARER:bb[0-9]+]],
// INLINE-NEXT: 7: ^[[RARER]]
// INLINE-NEXT: ]
// INLINE: %[[NEXT:.*]] = baker.packet_send %{{.*}} ring 17 id 5 : !baker.packet<"ether"> -> i32
// INLINE-NEXT: cf.br ^[[LOOP]](%[[NEXT]] : i32)
// INLINE: baker.packet_drop
// INLINE-NOT: baker.packet_drop

// SMALL-LABEL: func.func @me_message
// SMALL: baker.packet_take
// SMALL: baker.packet_drop
// SMALL: baker.packet_take
// SMALL: baker.packet_drop
// SMALL-NOT: baker.packet_
