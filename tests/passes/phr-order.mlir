// Where the order of packets is kept, the second word of a message goes on with its
// ticket (target-ixp/chip/Order.h): it follows the head by one addition.

// RUN: baker-opt --baker-phr --canonicalize %s | FileCheck %s

module attributes {baker.order.kept} {
baker.protocol @ether min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.protocol @ipv4 min_bytes 20 [#baker.protocol_field<"ttl" at 64 : 8>]

// CHECK-LABEL: func.func @me_main
func.func @me_main() {
  // 14 << 16 - 14
  // CHECK: %[[C:.*]] = arith.constant 917490 : i32
  cf.br ^loop
^loop:
  %m:2 = func.call @next() : () -> (i32, i32)
  // CHECK: %[[M:.*]]:2 = call @next()
  %ph = baker.packet_take %m#0, %m#1 from_rx : !baker.packet<"ether">
  %c14 = arith.constant 14 : i32
  %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  // CHECK: %[[W:.*]] = arith.addi %[[M]]#1, %[[C]]
  // CHECK: baker.packet_send {{.*}} ring 1 id 0 port {{.*}} head_length %[[W]]
  baker.packet_send %ih ring 1 id 0 : !baker.packet<"ipv4">
  cf.br ^loop
}
func.func private @next() -> (i32, i32)
}
