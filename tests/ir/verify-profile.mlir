// RUN: baker-opt --split-input-file --verify-diagnostics %s

// A whole profile is accepted on each operation that has one.

module attributes {baker.profile = {received = 10 : i64, traces = 1 : i64}} {
  baker.channel @rx : "p" from "rx" to @f {baker.profile = {packets = 10 : i64}}
  baker.global @g : i32 {
    baker.profile = {reads = 4 : i64, writes = 1 : i64, read_words = 4 : i64, write_words = 1 : i64, updates = 0 : i64, extent = 1 : i64},
    baker.locality = array<i64: 0, 0, 1, 2, 2, 3, 3>}
  func.func @f(%ph: !baker.packet<"p">) attributes {
    baker.kind = #baker.kind<ppf>,
    baker.locality = array<i64: 0, 0, 0, 0, 0, 0, 0>,
    baker.profile = {packets = 10 : i64, instructions = 9 : i64, packet_reads = 8 : i64, packet_writes = 7 : i64, head_moves = 6 : i64, length_reads = 5 : i64, meta_reads = 4 : i64, meta_writes = 3 : i64, puts = 2 : i64, drops = 1 : i64, copies = 0 : i64}} {
    %c = arith.constant true
    cf.cond_br %c, ^a, ^b {baker.branch = array<i64: 10, 0>}
  ^a:
    cf.br ^b
  ^b:
    return
  }
}

// -----

// expected-error @+1 {{'baker.profile' has no entry 'packets'}}
module attributes {baker.profile = {packets = 10 : i64}} {}

// -----

// expected-error @+1 {{'baker.profile' has no entry 'received'}}
func.func private @f() attributes {baker.profile = {packets = 1 : i64, received = 10 : i64}}

// -----

// expected-error @+1 {{'baker.profile' has no entry 'packets'}}
baker.global @g : i32 {baker.profile = {packets = 10 : i64}}

// -----

// expected-error @+1 {{'baker.profile' has no entry 'puts'}}
baker.channel @rx : "p" from "rx" to @tx {baker.profile = {packets = 1 : i64, puts = 1 : i64}}

// -----

// expected-error @+1 {{'baker.profile' must be {packets = N : i64, ...}}}
func.func private @f() attributes {baker.profile = {puts = 1 : i64}}

// -----

// expected-error @+1 {{'baker.profile' must be {packets = N : i64, ...}}}
baker.channel @rx : "p" from "rx" to @tx {baker.profile = {}}

// -----

// expected-error @+1 {{'baker.profile' must be {...}}}
baker.global @g : i32 {baker.profile = 10 : i64}

// -----

// expected-error @+1 {{'reads' of 'baker.profile' must be a 64-bit count}}
baker.global @g : i32 {baker.profile = {reads = 10 : i32}}

// -----

// expected-error @+1 {{'reads' of 'baker.profile' must be a 64-bit count}}
baker.global @g : i32 {baker.profile = {reads = -1 : i64}}

// -----

// expected-error @+1 {{'reads' of 'baker.profile' must be a 64-bit count}}
baker.global @g : i32 {baker.profile = {reads = "many"}}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{one count for each of 2 successors}}
  cf.cond_br %c, ^a, ^a {baker.branch = array<i64: 10>}
^a:
  return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{one count for each of 2 successors}}
  cf.cond_br %c, ^a, ^a {baker.branch = array<i64: 10, -1>}
^a:
  return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{one count for each of 2 successors}}
  cf.cond_br %c, ^a, ^a {baker.branch = array<i32: 10, 1>}
^a:
  return
}

// -----

// expected-error @+1 {{'baker.locality' must be array<i64: ...> with 7}}
baker.global @g : i32 {baker.locality = array<i64: 0, 0, 0, 0, 0, 0>}

// -----

// expected-error @+1 {{'baker.locality' must be array<i64: ...> with 7}}
baker.global @g : i32 {baker.locality = array<i64: 0, 2, 1, 2, 2, 2, 2>}

// -----

// expected-error @+1 {{'baker.locality' must be array<i64: ...> with 7}}
baker.global @g : i32 {baker.locality = array<i64: -1, 0, 0, 0, 0, 0, 0>}

// -----

// expected-error @+1 {{'baker.locality' must be array<i64: ...> with 7}}
func.func private @f() attributes {baker.locality = "often"}
