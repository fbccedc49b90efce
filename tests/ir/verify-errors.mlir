// RUN: baker-opt --split-input-file --verify-diagnostics %s

baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 16>]
func.func @f(%ph: !baker.packet<"p">) {
  // expected-error @+1 {{protocol @p has no field "b"}}
  %0 = baker.packet_read %ph "b" : !baker.packet<"p"> -> i16
  return
}

// -----

baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 16>]
func.func @f(%ph: !baker.packet<"p">) {
  // expected-error @+1 {{field "a" has 16 bits, not 'i8'}}
  %0 = baker.packet_read %ph "a" : !baker.packet<"p"> -> i8
  return
}

// -----

baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 16 x 2>]
func.func @f(%ph: !baker.packet<"p">) {
  // expected-error @+1 {{field "a" is an array and needs an index}}
  %0 = baker.packet_read %ph "a" : !baker.packet<"p"> -> i16
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">, %v: i16) {
  // expected-error @+1 {{there is no protocol @q}}
  baker.packet_write %v, %ph "a" : i16, !baker.packet<"q">
  return
}

// -----

// expected-error @+1 {{field "a" has 65 bits instead of 1 to 64}}
baker.protocol @p min_bytes 9 [#baker.protocol_field<"a" at 0 : 65>]

// -----

// expected-error @+1 {{field "a" is declared twice}}
baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 8>, #baker.protocol_field<"a" at 8 : 8>]

// -----

// expected-error @+1 {{has 3 scalars but 2 initial values}}
baker.global @g : !baker.array<3 x i32> init [1, 2]

// -----

// expected-error @+1 {{'sequence' is built in}}
baker.metadata @sequence : i32

// -----

// expected-error @+2 {{to be one of: scratch, sram0, sram1, sram2, sram3, dram, local}}
// expected-error @+1 {{failed to parse Baker_PlacementAttr parameter 'memory'}}
baker.global @g : i32 {baker.placement = #baker.placement<tape at 0>}

// -----

// expected-error @+1 {{address 6 is not a multiple of 4}}
baker.global @g : i32 {baker.placement = #baker.placement<sram0 at 6>}

// -----

// expected-error @+1 {{'baker.word' belongs on a baker.metadata}}
baker.global @g : i32 {baker.word = 0 : i32}

// -----

// expected-error @+1 {{unknown attribute 'baker.nonsense'}}
baker.global @g : i32 {baker.nonsense = 0 : i32}

// -----

// expected-error @+1 {{a PPF body takes one packet and returns nothing}}
func.func @f(%x: i32) attributes {baker.kind = #baker.kind<ppf>} {
  return
}

// -----

// expected-error @+2 {{to be one of: ppf, function, control, init}}
// expected-error @+1 {{failed to parse Baker_FunctionKindAttr parameter 'value'}}
func.func @f() attributes {baker.kind = #baker.kind<main>} {
  return
}

// -----

// expected-error @+1 {{'baker.kind' must be a #baker.kind<...>}}
func.func @f() attributes {baker.kind = "ppf"} {
  return
}

// -----

// expected-error @+1 {{a control function cannot take or return packets}}
func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<control>} {
  return
}

// -----

// expected-error @+1 {{consumer @nobody is not a PPF body}}
baker.channel @rx : "p" from "rx" to @nobody

// -----

func.func @f(%ph: !baker.packet<"q">) attributes {baker.kind = #baker.kind<ppf>} {
  return
}
// expected-error @+1 {{carries "p" but @f takes '!baker.packet<"q">'}}
baker.channel @rx : "p" from "rx" to @f

// -----

baker.channel @c : "p" from "f" to @tx
func.func @f(%ph: !baker.packet<"q">) attributes {baker.kind = #baker.kind<ppf>} {
  // expected-error @+1 {{channel @c carries "p", not '!baker.packet<"q">'}}
  baker.channel_put @c, %ph : !baker.packet<"q">
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">) {
  // expected-error @+1 {{there is no drop reason @why}}
  baker.packet_drop %ph reason @why : !baker.packet<"q">
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">, %v: i8) {
  // expected-error @+1 {{@rx.port cannot be written}}
  baker.meta_write %v, %ph @rx.port : i8, !baker.packet<"q">
  return
}

// -----

baker.metadata @hop : i16
func.func @f(%ph: !baker.packet<"q">) {
  // expected-error @+1 {{metadata field @hop has type 'i16', not 'i8'}}
  %0 = baker.meta_read %ph @hop : !baker.packet<"q"> -> i8
  return
}

// -----

baker.global @g : i32
func.func @f() {
  // expected-error @+1 {{global @g has type 'i32'}}
  %0 = baker.global_ref @g : !baker.ref<i64>
  return
}

// -----

func.func @f(%r: !baker.ref<!baker.struct<"s", a : i8>>) {
  // expected-error @+1 {{struct "s" has no field "b"}}
  %0 = baker.field %r "b" : !baker.ref<!baker.struct<"s", a : i8>>
  return
}

// -----

// expected-error @+2 {{field "a" is declared twice in struct "s"}}
// expected-error @+1 {{failed to parse Baker_RefType}}
func.func private @f(!baker.ref<!baker.struct<"s", a : i8, a : i8>>)

// -----

// expected-error @+2 {{an array has at least one element}}
// expected-error @+1 {{failed to parse Baker_RefType}}
func.func private @f(!baker.ref<!baker.array<0 x i8>>)

// -----

func.func @f(%ph: !baker.packet<"q">) {
  // expected-error @+1 {{has 15 words instead of 1 to 14}}
  %0:15 = baker.packet_load %ph at 0 : !baker.packet<"q"> -> i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">) {
  // expected-error @+1 {{offset 2048 is outside of the buffer}}
  %0 = baker.packet_load %ph at 2048 : !baker.packet<"q"> -> i32
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">, %w: i32) {
  // expected-error @+1 {{mask has bits for 4 bytes, at least one of them set}}
  baker.packet_store [%w] to %ph at 0 mask 16 : !baker.packet<"q">
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">, %w: i32) {
  // expected-error @+1 {{an aligned burst is whole quadwords}}
  baker.packet_store [%w] to %ph at 0 aligned : !baker.packet<"q">
  return
}

// -----

func.func @f(%ph: !baker.packet<"q">) {
  // expected-error @+1 {{a descriptor has 16 words}}
  %0:2 = baker.meta_load %ph word 15 : !baker.packet<"q"> -> i32, i32
  return
}

// -----

func.func @f(%r: !baker.ref<!baker.struct<"s", a : i48, b : i8>>, %w: i32) {
  // expected-error @+1 {{the object has 3 words}}
  baker.store_words [%w, %w] to %r at 2 : !baker.ref<!baker.struct<"s", a : i48, b : i8>>
  return
}

// -----

func.func @f() -> i32 {
  // expected-error @+1 {{there is no drop reason @why}}
  %0 = baker.drop_count @why
  return %0 : i32
}

// -----

// expected-error @+1 {{'baker.target': 'ixp9' is not a configuration (ixp2400, ixp2400-400, ixp2800, ixp1200)}}
module attributes {baker.target = "ixp9"} {}

// -----

// expected-error @+1 {{'baker.target': 'sram.size' must be between}}
module attributes {baker.target = "ixp2800 sram.size=1"} {}

// -----

// expected-error @+1 {{'baker.target': programs cannot be compiled for this chip: its engines have 4 contexts, and code needs 8}}
module attributes {baker.target = "ixp1200"} {}

// -----

// expected-error @+1 {{'baker.target' must be the name of a chip}}
module attributes {baker.target = 2800 : i32} {}

// -----

func.func @f(%ph: !baker.packet<"p">) {
  // expected-error @+1 {{has a result on ring 17, and only there}}
  %m = baker.packet_send %ph ring 4 id 3 : !baker.packet<"p"> -> i32
  return
}

// -----

func.func @f(%ph: !baker.packet<"p">) {
  // expected-error @+1 {{has a result on ring 17, and only there}}
  baker.packet_send %ph ring 17 id 3 : !baker.packet<"p">
  return
}

// -----

baker.global @word : i32
func.func @f(%n: i32) {
  %ref = baker.global_ref @word : !baker.ref<i32>
  // expected-error @+1 {{is 'addi', 'ori', 'andi' or 'assign'}}
  %old = baker.atomic maxu %n, %ref : !baker.ref<i32>
  return
}
