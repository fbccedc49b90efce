module @prog {
  baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"src" at 48 : 48>, #baker.protocol_field<"type" at 96 : 16>]
  baker.channel @rx : "ether" from "rx" to @m.work.in_cc
  baker.channel @m.work.out_cc : "ether" from "m.work" to @tx
  func.func @m.work.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
    // Three words in a row: one pair.
    %a = baker.packet_load %ph at 0 : !baker.packet<"ether"> -> i32
    %b = baker.packet_load %ph at 4 : !baker.packet<"ether"> -> i32
    %c = baker.packet_load %ph at 8 : !baker.packet<"ether"> -> i32
    %x = arith.subi %a, %b : i32
    %sum = arith.addi %x, %c : i32
    %wide = arith.extui %sum : i32 to i48
    baker.packet_write %wide, %ph "src" : i48, !baker.packet<"ether">
    baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
    return
  }
}
