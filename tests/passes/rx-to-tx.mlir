// RUN: baker-opt %s --baker-lower-channels=core=me | FileCheck %s

// A program without PPFs: each packet from Rx goes to Tx, whose channel is 0.

baker.protocol @p min_bytes 14 []
baker.channel @rx : "p" from "rx" to @tx {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 0 : i32}

// CHECK-LABEL: func.func @me_main()
// CHECK: %[[NEW:.*]]:2 = call @__ixp_scratch_get2(%c0_i32{{.*}})
// CHECK: %[[PACKET:.*]] = baker.packet_take %[[NEW]]#0, %[[NEW]]#1 from_rx : !baker.packet<"p">
// CHECK-NEXT: baker.packet_send %[[PACKET]] ring 1 id 0 : !baker.packet<"p">
