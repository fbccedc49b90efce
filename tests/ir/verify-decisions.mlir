// RUN: baker-opt --split-input-file --verify-diagnostics %s

// Each decision is accepted on the operation that it belongs on.

module attributes {baker.aggregates = [{name = "main", engines = array<i32: 1, 2>}]} {
  baker.metadata @hop : i16 {baker.word = 6 : i32}
  baker.global @near : i32 {baker.placement = #baker.placement<local at 0>}
  baker.global @far : i32 {baker.placement = #baker.placement<dram at 4>, baker.placement.in = #baker.memory_request<sram>, baker.tolerate = 1 : i64}
  baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 0 : i32, baker.head = #baker.head<offset 2048>}
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main", baker.cold} {
    return
  }
  func.func @start() attributes {baker.kind = #baker.kind<init>, baker.core = #baker.core<xscale>} {
    return
  }
}

// -----

// expected-error @+1 {{'baker.placement' must be a #baker.placement<...>}}
baker.global @g : i32 {baker.placement = "sram0"}

// -----

// expected-error @+1 {{address 2 is not a multiple of 4}}
baker.global @g : i32 {baker.placement = #baker.placement<local at 2>}

// -----

// expected-error @+1 {{'baker.placement' belongs on a baker.global}}
baker.metadata @hop : i16 {baker.placement = #baker.placement<local at 0>}

// -----

// expected-error @+1 {{'baker.placement.in' must be a #baker.memory_request<...>}}
baker.global @g : i32 {baker.placement.in = #baker.placement<sram0 at 0>}

// -----

// expected-error @+1 {{'baker.tolerate' must be a 64-bit integer above 0}}
baker.global @g : i32 {baker.tolerate = 0 : i64}

// -----

// expected-error @+1 {{'baker.tolerate' must be a 64-bit integer above 0}}
baker.global @g : i32 {baker.tolerate = 1 : i32}

// -----

// expected-error @+1 {{'baker.tolerate' must be a 64-bit integer above 0}}
baker.global @g : i32 {baker.tolerate = "some"}

// -----

// expected-error @+1 {{'baker.word' must be a 32-bit integer}}
baker.metadata @hop : i16 {baker.word = 6 : i64}

// -----

// expected-error @+1 {{'baker.ring' must be a 32-bit integer}}
baker.channel @rx : "p" from "rx" to @tx {baker.ring = "first"}

// -----

// expected-error @+1 {{'baker.id' must be a 32-bit integer}}
baker.channel @rx : "p" from "rx" to @tx {baker.id = 0 : i16}

// -----

// expected-error @+1 {{'baker.via' must be a #baker.via<...>}}
baker.channel @rx : "p" from "rx" to @tx {baker.via = "ring"}

// -----

// expected-error @+1 {{'baker.head' must be a #baker.head<...>}}
baker.channel @rx : "p" from "rx" to @tx {baker.head = 128 : i32}

// -----

// expected-error @+1 {{is a core of the chip, not the host}}
func.func private @f() attributes {baker.core = #baker.core<host>}

// -----

// expected-error @+1 {{'baker.core' must be a #baker.core<...>}}
func.func private @f() attributes {baker.core = "me"}

// -----

// expected-error @+1 {{'baker.cold' must be a unit attribute}}
func.func private @f() attributes {baker.cold = true}

// -----

// expected-error @+1 {{'baker.rare' must be a unit attribute}}
func.func private @f() attributes {baker.rare = 1 : i32}

// -----

func.func private @g()
func.func @f() {
  // expected-error @+1 {{'baker.message' must be a 32-bit integer}}
  call @g() {baker.message} : () -> ()
  return
}

// -----

// expected-error @+1 {{'baker.aggregate' must be the name of an aggregate}}
func.func private @f() attributes {baker.aggregate = ""}

// -----

// expected-error @+1 {{'baker.aggregate' must be the name of an aggregate}}
func.func private @f() attributes {baker.aggregate = 1 : i32}

// -----

// expected-error @+1 {{'baker.aggregates' must be a list}}
module attributes {baker.aggregates = []} {}

// -----

// expected-error @+1 {{'baker.aggregates' must be a list}}
module attributes {baker.aggregates = [{name = "main", engines = array<i32>}]} {}

// -----

// expected-error @+1 {{'baker.aggregates' must be a list}}
module attributes {baker.aggregates = [{engines = array<i32: 1>}]} {}

// -----

// expected-error @+1 {{'baker.aggregates' must be a list}}
module attributes {baker.aggregates = [{name = "main"}]} {}

// -----

// expected-error @+1 {{'baker.aggregates' must be a list}}
module attributes {baker.aggregates = {name = "main", engines = array<i32: 1>}} {}

// -----

// expected-error @+1 {{an init function takes and returns nothing}}
func.func private @f(i32) attributes {baker.kind = #baker.kind<init>}

// -----

// expected-error @+1 {{an init function takes and returns nothing}}
func.func private @f() -> i32 attributes {baker.kind = #baker.kind<init>}

// -----

// expected-error @+1 {{a PPF body takes one packet and returns nothing}}
func.func private @f(!baker.packet<"p">) -> i32 attributes {baker.kind = #baker.kind<ppf>}

// -----

// expected-error @+1 {{a PPF body takes one packet and returns nothing}}
func.func private @f(!baker.packet<"p">, i32) attributes {baker.kind = #baker.kind<ppf>}

// -----

// expected-error @+1 {{a control function cannot take or return packets}}
func.func private @f() -> !baker.packet<"p"> attributes {baker.kind = #baker.kind<control>}

// -----

// A pass has its own prefix, and verifies its attributes itself.

baker.global @g : i32 {baker.mine.note = 1 : i32}

// -----

// expected-error @+1 {{offset 2049 is}}
baker.channel @rx : "p" from "rx" to @tx {baker.head = #baker.head<offset 2049>}

// -----

// expected-error @+1 {{2, 4 or 8}}
baker.channel @rx : "p" from "rx" to @tx {baker.head = #baker.head<mod 16 is 6>}

// -----

// expected-error @+1 {{remainder modulo 4}}
baker.channel @rx : "p" from "rx" to @tx {baker.head = #baker.head<mod 4 is 4>}

// -----

// expected-error @+1 {{field "a" has 0 bits}}
baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 0>]

// -----

// expected-error @+1 {{field "a" has no elements}}
baker.protocol @p min_bytes 2 [#baker.protocol_field<"a" at 0 : 8 x 0>]

// -----

// expected-error @+1 {{must have 32 hexadecimal digits}}
module attributes {baker.hash_multiplier = "1"} {}

// -----

// expected-error @+1 {{the last 12 are not all 0}}
module attributes {baker.hash_multiplier = "11111111111111111111000000000000"} {}

// -----

module attributes {baker.hash_multiplier = "00000000000000000000000000000001"} {}
