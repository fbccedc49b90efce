// RUN: baker-opt %s --baker-phr --split-input-file | FileCheck %s

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @ipv4 min_bytes 20
  [#baker.protocol_field<"ttl" at 64 : 8>]

// From Rx to Tx: nothing is read from the descriptor, nothing written.

baker.metadata @hop : i16 {baker.word = 0 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK-NOT: baker.meta
// CHECK-NOT: baker.packet_decap
// CHECK-NOT: memref
// CHECK: baker.packet_send {{.*}} ring 1 id 0 port {{.*}} head_length
// CHECK-NOT: baker.meta
// CHECK: return
func.func @me_main(%m0: i32, %m1: i32, %v: i16, %c: i1) {
  %c14 = arith.constant 14 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
  %ih = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ipv4">
  cf.cond_br %c, ^set, ^join(%ih : !baker.packet<"ipv4">)
^set:
  baker.meta_write %v, %ih @hop : i16, !baker.packet<"ipv4">
  cf.br ^join(%ih : !baker.packet<"ipv4">)
^join(%p: !baker.packet<"ipv4">):
  %hop = baker.meta_read %p @hop : !baker.packet<"ipv4"> -> i16
  %to = arith.trunci %hop : i16 to i8
  %sum = arith.addi %to, %port : i8
  baker.meta_write %sum, %p @tx.port : i8, !baker.packet<"ipv4">
  %out = baker.packet_encap %p, %c14 : !baker.packet<"ipv4"> -> !baker.packet<"ether">
  baker.packet_send %out ring 1 id 0 : !baker.packet<"ether">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// To another core: only the changed words are written.

baker.metadata @hop : i16 {baker.word = 0 : i32}
baker.metadata @flow : i32 {baker.word = 1 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK: baker.meta_store [%{{[^,]*}}] to %{{.*}} word 4
// CHECK-NEXT: baker.packet_send {{.*}} ring 2 id 3 :
func.func @me_main(%m0: i32, %m1: i32, %v: i16) {
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  baker.meta_write %v, %ph @hop : i16, !baker.packet<"ether">
  %f = baker.meta_read %ph @flow : !baker.packet<"ether"> -> i32
  baker.packet_send %ph ring 2 id 3 : !baker.packet<"ether">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// From another core: the descriptor is read once.

baker.metadata @hop : i16 {baker.word = 0 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK: %[[W:.*]]:4 = baker.meta_load %{{.*}} word 1
// CHECK-NOT: baker.meta_load
// CHECK: arith.trunci %[[W]]#3 : i32 to i16
func.func @me_main(%m0: i32, %m1: i32) -> i16 {
  %ph = baker.packet_take %m0, %m1 : !baker.packet<"ether">
  %n = baker.packet_length %ph : !baker.packet<"ether">
  %v = baker.meta_read %ph @hop : !baker.packet<"ether"> -> i16
  baker.packet_drop %ph : !baker.packet<"ether">
  return %v : i16
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// A copy for another core has all words of its descriptor written.

baker.metadata @hop : i16 {baker.word = 0 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK: %[[CLONE:.*]] = baker.packet_clone
// CHECK: %[[S:.*]] = baker.meta_load %{{.*}} word 3
// CHECK: baker.meta_store [%[[S]]] to %[[CLONE]] word 3
// CHECK: baker.meta_store [%{{[^,]*}}, %{{[^,]*}}] to %{{.*}} word 1
// CHECK: baker.meta_store [%{{[^,]*}}] to %{{.*}} word 4
// CHECK: baker.packet_send {{.*}} ring 2 id 1
func.func @me_main(%m0: i32, %m1: i32) {
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  %copy = baker.packet_copy %ph : !baker.packet<"ether">
  baker.packet_send %copy ring 2 id 1 : !baker.packet<"ether">
  baker.packet_drop %ph : !baker.packet<"ether">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// Packets that cannot be tracked stay as they are.

// CHECK-LABEL: func.func @me_main
// CHECK: baker.packet_length
func.func @me_main(%m0: i32, %m1: i32) -> i32 {
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  call @other(%ph) : (!baker.packet<"ether">) -> ()
  %n = baker.packet_length %ph : !baker.packet<"ether">
  baker.packet_drop %ph : !baker.packet<"ether">
  return %n : i32
}
func.func private @other(!baker.packet<"ether">)

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// CHECK-LABEL: func.func @me_main
// CHECK: baker.meta_write
func.func @me_main(%m0: i32, %m1: i32, %v: i8) -> i8 {
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  cf.br ^next(%ph : !baker.packet<"ether">)
^next(%p: !baker.packet<"ether">):
  baker.meta_write %v, %p @tx.port : i8, !baker.packet<"ether">
  %t = baker.meta_read %ph @tx.port : !baker.packet<"ether"> -> i8
  baker.packet_drop %ph : !baker.packet<"ether">
  return %t : i8
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// Tails become arithmetic, appended bytes are cleared, and a created packet has no
// descriptor.

// CHECK-LABEL: func.func @me_main
func.func @me_main(%m0: i32, %m1: i32, %n: i32, %less: i32) -> i32 {
  // CHECK: %[[LENGTH:.*]] = arith.andi %arg1
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  // CHECK: %[[END:.*]] = arith.addi %[[LENGTH]], %c128
  // CHECK: baker.packet_clear %{{.*}} at %[[END]], %arg2
  // CHECK: %[[LONG:.*]] = arith.addi %[[LENGTH]], %arg2
  %long = baker.packet_add_tail %ph, %n : !baker.packet<"ether">
  // CHECK: %[[SHORT:.*]] = arith.subi %[[LONG]], %arg3
  %short = baker.packet_remove_tail %long, %less : !baker.packet<"ether">
  // CHECK-NOT: packet_headroom
  %room = baker.packet_headroom %short : !baker.packet<"ether">
  baker.packet_send %short ring 1 id 0 : !baker.packet<"ether">
  // CHECK: %[[MADE:.*]] = baker.packet_blank %arg2
  %made = baker.packet_create %n : !baker.packet<"ether">
  // CHECK-NOT: meta_store
  // CHECK: baker.packet_send %{{.*}} ring 1 id 0 port %c0{{.*}} head_length
  baker.packet_send %made ring 1 id 0 : !baker.packet<"ether">
  // CHECK: %[[OTHER:.*]] = baker.packet_blank
  %other = baker.packet_create %n : !baker.packet<"ether">
  // The descriptor has the words that another core reads: sequence number, head
  // and length.
  // CHECK: baker.meta_store [%c0{{.*}}] to %[[OTHER]] word 3
  // CHECK: baker.meta_store [%{{.*}}, %{{.*}}] to %{{.*}} word 1
  baker.packet_send %other ring 2 id 0 : !baker.packet<"ether">
  return %room : i32
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// A read of metadata that was just written uses the value.

baker.metadata @hop : i16 {baker.word = 0 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK-SAME: %[[V:arg2]]: i16
// CHECK-NOT: baker.meta
// CHECK: %[[W:.*]] = arith.extui %[[V]] : i16 to i32
// CHECK: %[[R:.*]] = arith.trunci %[[W]] : i32 to i16
// CHECK: return %[[R]]
func.func @me_main(%m0: i32, %m1: i32, %v: i16) -> i16 {
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  baker.meta_write %v, %ph @hop : i16, !baker.packet<"ether">
  %r = baker.meta_read %ph @hop : !baker.packet<"ether"> -> i16
  baker.packet_drop %ph : !baker.packet<"ether">
  return %r : i16
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]
baker.protocol @tag min_bytes 4 constant_size
  [#baker.protocol_field<"id" at 0 : 16>]

// Where paths with different heads meet, the head is a block argument. The pairs
// of decap and encap before it are gone.

// CHECK-LABEL: func.func @me_main
// CHECK-NOT: baker.packet_decap
// CHECK-NOT: baker.packet_encap
// CHECK: %[[NEAR:.*]] = arith.constant 142 : i32
// CHECK: cf.br ^[[JOIN:.*]](%{{.*}}, %[[NEAR]], %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: %[[FAR:.*]] = arith.constant 146 : i32
// CHECK: cf.br ^[[JOIN]](%{{.*}}, %[[FAR]], %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: ^[[JOIN]](%[[P:.*]]: !baker.packet<"tag">, %[[HEAD:[0-9a-z]+]]: i32,
// CHECK: baker.packet_view %[[P]] head %[[HEAD]]
func.func @me_main(%m0: i32, %m1: i32, %c: i1) {
  %c14 = arith.constant 14 : i32
  %c4 = arith.constant 4 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  %t = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"tag">
  cf.cond_br %c, ^near, ^far
^near:
  cf.br ^join(%t : !baker.packet<"tag">)
^far:
  %u = baker.packet_decap %t, %c4 : !baker.packet<"tag"> -> !baker.packet<"tag">
  cf.br ^join(%u : !baker.packet<"tag">)
^join(%p: !baker.packet<"tag">):
  %id = baker.packet_read %p "id" : !baker.packet<"tag"> -> i16
  baker.packet_write %id, %p "id" : i16, !baker.packet<"tag">
  baker.packet_send %p ring 1 id 0 : !baker.packet<"tag">
  return
}

// -----

baker.protocol @ether min_bytes 14 constant_size
  [#baker.protocol_field<"dst" at 0 : 48>]

// In a queue: the changed words are written. From a queue: all are read.

baker.metadata @hop : i16 {baker.word = 0 : i32}

// CHECK-LABEL: func.func @me_main
// CHECK: baker.meta_store [%{{[^,]*}}] to %{{.*}} word 4
// CHECK-NEXT: baker.packet_keep
// CHECK: %[[TAKEN:.*]] = baker.packet_take
// CHECK-NEXT: baker.meta_load %[[TAKEN]] word 1
// CHECK: baker.packet_held
// CHECK: baker.packet_send {{.*}} ring 1 id 0 port {{.*}} head_length
func.func @me_main(%m0: i32, %m1: i32, %v: i16, %word: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %ph = baker.packet_take %m0, %m1 from_rx : !baker.packet<"ether">
  baker.meta_write %v, %ph @hop : i16, !baker.packet<"ether">
  %w = baker.packet_keep %ph : !baker.packet<"ether">
  %old = baker.packet_take %word, %zero : !baker.packet<"ether">
  %h = baker.packet_held %old : !baker.packet<"ether">
  cf.cond_br %h, ^held, ^none
^held:
  baker.packet_send %old ring 1 id 0 : !baker.packet<"ether">
  cf.br ^none
^none:
  return %w : i32
}
