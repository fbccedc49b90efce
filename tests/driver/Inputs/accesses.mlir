baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>,
   #baker.protocol_field<"src" at 48 : 48>,
   #baker.protocol_field<"type" at 96 : 16>]
baker.metadata @seen : i16
baker.channel @rx : "ether" from "rx" to @take
baker.channel @take.out : "ether" from "take" to @last
baker.channel @last.out : "ether" from "last" to @tx

func.func @take(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %old = baker.packet_read %ph "src" : !baker.packet<"ether"> -> i48
  %type = arith.constant 7 : i16
  baker.packet_write %type, %ph "type" : i16, !baker.packet<"ether">
  %new = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
  baker.meta_write %new, %ph @seen : i16, !baker.packet<"ether">
  baker.packet_write %old, %ph "dst" : i48, !baker.packet<"ether">
  baker.channel_put @take.out, %ph : !baker.packet<"ether">
  return
}

func.func @last(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
  %seen = baker.meta_read %ph @seen : !baker.packet<"ether"> -> i16
  baker.packet_write %seen, %ph "type" : i16, !baker.packet<"ether">
  baker.channel_put @last.out, %ph : !baker.packet<"ether">
  return
}
