// RUN: baker-opt %s --baker-assign-memory | FileCheck %s --check-prefix=FAST
// RUN: sed -e 's/ixp2400/ixp2400 scratch.op_cycles=40/' %s | baker-opt --baker-assign-memory | FileCheck %s --check-prefix=SLOW

// Where a global lies follows from the chip: on one whose scratch is occupied for long
// by each command, the rings of Rx and Tx and the polls of the contexts leave no time
// for global data.

module attributes {baker.target = "ixp2400"} {
  // FAST: baker.global @small {{.*}}#baker.placement<scratch at
  // SLOW: baker.global @small {{.*}}#baker.placement<sram1 at {{.*}}; in scratch a packet would wait {{[0-9]+}}.{{[0-9]+}} more cycles
  baker.global @small : !baker.array<4 x i48>

  func.func @m.p.in(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
    %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
    %index = arith.extui %port : i8 to i32
    %refs = baker.global_ref @small : !baker.ref<!baker.array<4 x i48>>
    %ref = baker.element %refs[%index] : !baker.ref<!baker.array<4 x i48>>
    %mac = baker.load %ref : !baker.ref<i48>
    baker.packet_write %mac, %ph "dst" : i48, !baker.packet<"ether">
    baker.packet_drop %ph : !baker.packet<"ether">
    return
  }
  baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"rest" at 48 : 64>]
}
