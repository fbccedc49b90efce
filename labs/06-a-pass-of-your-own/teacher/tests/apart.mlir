// CHECK: baker.packet_load %{{.*}} at 0 : {{.*}} -> i32{{$}}
// CHECK: baker.packet_load %{{.*}} at 8 : {{.*}} -> i32{{$}}
module @prog {
  baker.protocol @ether min_bytes 14 constant_size [#baker.protocol_field<"dst" at 0 : 48>, #baker.protocol_field<"src" at 48 : 48>, #baker.protocol_field<"type" at 96 : 16>]
  baker.channel @rx : "ether" from "rx" to @m.work.in_cc
  baker.channel @m.work.out_cc : "ether" from "m.work" to @tx
  func.func @m.work.in_cc(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
    // Words with a gap stay apart.
    %a = baker.packet_load %ph at 0 : !baker.packet<"ether"> -> i32
    %b = baker.packet_load %ph at 8 : !baker.packet<"ether"> -> i32
    %sum = arith.subi %a, %b : i32
    %wide = arith.extui %sum : i32 to i48
    baker.packet_write %wide, %ph "src" : i48, !baker.packet<"ether">
    baker.channel_put @m.work.out_cc, %ph : !baker.packet<"ether">
    return
  }
}
