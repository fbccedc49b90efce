// RUN: not baker-opt %s --split-input-file --baker-lower-channels=core=me 2>&1 | FileCheck %s
// RUN: not baker-opt %s --split-input-file --baker-lower-channels=core=dsp 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: for the --core option: Cannot find option named 'dsp'!

// CHECK: error: PPF @m.a.in_cc has no core: run baker-split-cores
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @m.a.in_cc {baker.id = 1 : i32}
func.func @m.a.in_cc(%ph: !baker.packet<"ether">)
    attributes {baker.kind = #baker.kind<ppf>} {
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// -----

// CHECK: error: channel @m.a.out_cc has no number: run baker-assign-memory
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @rx : "ether" from "rx" to @tx {baker.id = 1 : i32}
baker.channel @m.a.out_cc : "ether" from "m.a" to @tx

// -----

// CHECK: error: the program takes no packets: no channel comes from rx
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
