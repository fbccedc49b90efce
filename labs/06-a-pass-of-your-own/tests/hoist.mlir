// CHECK: baker.packet_load %{{.*}} at 16 : {{.*}} -> i32, i32
// CHECK: cf.cond_br
// CHECK-NOT: packet_load
module @prog {
  baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"src" at 48 : 48>, #baker.protocol_field<"type" at 96 : 16>]
  baker.channel @rx : "ether" from "rx" to @m.work.in_cc
  baker.channel @m.work.out_cc : "ether" from "m.work" to @tx
  func.func @m.work.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
    // Both branches begin with the same load.
    %k = baker.packet_load %ph at 20 : !baker.packet<"ether"> -> i32
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %low = arith.andi %k, %one : i32
    %cond = arith.cmpi eq, %low, %c0 : i32
    cf.cond_br %cond, ^left, ^right
  ^left:
    %l = baker.packet_load %ph at 16 : !baker.packet<"ether"> -> i32
    %l2 = arith.addi %l, %k : i32
    cf.br ^end(%l2 : i32)
  ^right:
    %r = baker.packet_load %ph at 16 : !baker.packet<"ether"> -> i32
    %r2 = arith.subi %k, %r : i32
    cf.br ^end(%r2 : i32)
  ^end(%sum: i32):
    %wide = arith.extui %sum : i32 to i48
    baker.packet_write %wide, %ph "src" : i48, !baker.packet<"ether">
    baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
    return
  }
}
