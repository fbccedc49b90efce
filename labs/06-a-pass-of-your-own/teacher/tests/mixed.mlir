module @prog {
  baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"src" at 48 : 48>, #baker.protocol_field<"type" at 96 : 16>]
  baker.channel @rx : "ether" from "rx" to @m.work.in_cc
  baker.channel @m.work.out_cc : "ether" from "m.work" to @tx
  func.func @m.work.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
    // All of it: pairs, a write between, and a branch.
    %a = baker.packet_load %ph at 4 : !baker.packet<"ether"> -> i32
    %b = baker.packet_load %ph at 0 : !baker.packet<"ether"> -> i32
    %h = arith.trunci %a : i32 to i16
    baker.packet_write %h, %ph "type" : i16, !baker.packet<"ether">
    %c = baker.packet_load %ph at 12 : !baker.packet<"ether"> -> i32
    %d = baker.packet_load %ph at 8 : !baker.packet<"ether"> -> i32
    %p = arith.subi %a, %b : i32
    %q = arith.subi %c, %d : i32
    %u = arith.xori %p, %q : i32
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %low = arith.andi %u, %one : i32
    %cond = arith.cmpi eq, %low, %c0 : i32
    cf.cond_br %cond, ^left, ^right
  ^left:
    %l = baker.packet_load %ph at 24 : !baker.packet<"ether"> -> i32
    %l2 = baker.packet_load %ph at 28 : !baker.packet<"ether"> -> i32
    %l3 = arith.subi %l, %l2 : i32
    cf.br ^end(%l3 : i32)
  ^right:
    %r = baker.packet_load %ph at 24 : !baker.packet<"ether"> -> i32
    cf.br ^end(%r : i32)
  ^end(%v: i32):
    %sum = arith.addi %u, %v : i32
    %wide = arith.extui %sum : i32 to i48
    baker.packet_write %wide, %ph "src" : i48, !baker.packet<"ether">
    baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
    return
  }
}
