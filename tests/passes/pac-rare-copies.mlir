// RUN: baker-opt %s --baker-pac | FileCheck %s --check-prefix=NONE
// RUN: baker-opt %s --baker-pac=rare-copies=40 | FileCheck %s --check-prefix=COPY
// RUN: baker-opt %s --baker-pac=rare-copies=5 | FileCheck %s --check-prefix=NONE

// @me_message takes the packets of rare PPFs. A loop there gets a path of its
// own for its first iteration if there is leave for it, and only one.

!p = !baker.packet<"p">
baker.protocol @p min_bytes 4 [
  #baker.protocol_field<"label" at 0 : 16>,
  #baker.protocol_field<"ttl" at 24 : 8>]

// NONE: module attributes {baker.uncopied = {{[0-9]+}} : i32}
// NONE-LABEL: func.func @me_message
// NONE-COUNT-2: baker.packet_load
// NONE-NOT: baker.packet_load

// COPY: module {
// COPY-LABEL: func.func @me_message
// The copy uses the bytes that are read before the loop.
// COPY: %[[TAKEN:.*]] = baker.packet_take
// COPY: baker.packet_load %[[TAKEN]] at -6 {{.*}} -> i32, i32, i32, i32
// COPY: baker.packet_decap
// COPY: baker.packet_store {{.*}} at 2 aligned
// COPY: baker.packet_load {{.*}} at 0 :
// COPY-NOT: baker.packet_load
func.func @me_message(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %end = arith.constant 16 : i16
  %ph = baker.packet_take %n, %c0 {baker.head = #baker.head<offset 142>} : !p
  %ttl = baker.packet_read %ph "ttl" : !p -> i8
  cf.br ^loop(%ph : !p)
^loop(%p: !p):
  %label = baker.packet_read %p "label" : !p -> i16
  %more = arith.cmpi ult, %label, %end : i16
  cf.cond_br %more, ^pop, ^send
^pop:
  %inner = baker.packet_decap %p, %c4 : !p -> !p
  cf.br ^loop(%inner : !p)
^send:
  baker.packet_write %ttl, %p "ttl" : i8, !p
  %m = baker.packet_send %p ring 17 id 3 : !p -> i32
  return %m : i32
}
