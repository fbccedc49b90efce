// RUN: baker-opt %s --baker-make-caches | FileCheck %s

// The words that each load of an element takes from the burst, and from the
// cache line. The words of an element: a 0, b 1, wide 2 and 3, short 4.

!e = !baker.struct<"e", a : i32, b : i32, wide : i64, short : i16>
baker.global @karakal.generation : i32 {baker.placement = #baker.placement<local at 8>}
baker.global @karakal.lines.t : !baker.array<32 x !baker.struct<"cache_line", entry : !e, tag : i32, unused : !baker.array<2 x i32>>> {baker.placement = #baker.placement<local at 64>}
baker.global @karakal.seen.sram1 : i32 {baker.placement = #baker.placement<local at 4>}
baker.global @karakal.version.sram1 : i32 init [1] {baker.cache.version = #baker.memory<sram1>, baker.placement = #baker.placement<sram1 at 90000>}
baker.global @karakal.lock : i32 {baker.placement = #baker.placement<local at 0>}
baker.global @t : !baker.array<1000 x !e> {baker.cache.lines = @karakal.lines.t, baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 100 : i64, writes = 0 : i64, read_words = 100 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 5000 : i64}, baker.locality = array<i64: 0, 10, 20, 75, 80, 90, 95>}

// CHECK-LABEL: func.func @me_main

// A scalar after others. 32 direct-mapped lines hit as eight entries: 75 of 100.
// CHECK: cf.cond_br %{{.*}}, ^[[READ:bb[0-9]+]], ^[[MISS:bb[0-9]+]] {baker.branch = array<i64: 75, 25>}
// CHECK: ^[[READ]]:
// CHECK: baker.field %{{.*}} "entry"
// CHECK: baker.field %{{.*}} "b"
// CHECK: ^[[MISS]]:
// CHECK: %[[W:.*]]:5 = baker.load_words %{{.*}} at 0
// CHECK: cf.cond_br %{{.*}}, ^[[FILL:bb[0-9]+]], ^{{.*}} {baker.branch = array<i64: 1000000, 1>}
// CHECK: ^[[FILL]]:
// CHECK: baker.store_words [%[[W]]#0, %[[W]]#1, %[[W]]#2, %[[W]]#3, %[[W]]#4] to %{{.*}} at 0
// CHECK: cf.br ^{{.*}}(%[[W]]#1 : i32)

// 64 bits: the high word comes first.
// CHECK: baker.field %{{.*}} "entry"
// CHECK: %[[V:.*]]:5 = baker.load_words %{{.*}} at 0
// CHECK: %[[HIGH:.*]] = arith.extui %[[V]]#2 : i32 to i64
// CHECK: %[[LOW:.*]] = arith.extui %[[V]]#3 : i32 to i64
// CHECK: %[[BY:.*]] = arith.constant 32 : i64
// CHECK: %[[UP:.*]] = arith.shli %[[HIGH]], %[[BY]]
// CHECK: %[[ALL:.*]] = arith.ori %[[UP]], %[[LOW]]
// CHECK: cf.br ^{{.*}}(%[[ALL]] : i64)

// Less than a word.
// CHECK: %[[S:.*]]:5 = baker.load_words %{{.*}} at 0
// CHECK: %[[CUT:.*]] = arith.trunci %[[S]]#4 : i32 to i16
// CHECK: cf.br ^{{.*}}(%[[CUT]] : i16)

// A burst of the element from word 1 on.
// CHECK: baker.load_words %{{.*}} at 1
// CHECK: %[[B:.*]]:5 = baker.load_words %{{.*}} at 0
// CHECK: cf.br ^{{.*}}(%[[B]]#1, %[[B]]#2 : i32, i32)
// CHECK: baker.load_words %{{.*}} at 1
func.func @me_main() {
  cf.br ^loop
^loop:
  %i = func.call @__ixp_ctx() : () -> i32
  %refs = baker.global_ref @t : !baker.ref<!baker.array<1000 x !e>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<1000 x !e>>
  %b = baker.field %ref "b" : !baker.ref<!e>
  %vb = baker.load %b : !baker.ref<i32>
  func.call @word(%vb) : (i32) -> ()
  %wide = baker.field %ref "wide" : !baker.ref<!e>
  %vw = baker.load %wide : !baker.ref<i64>
  func.call @wide(%vw) : (i64) -> ()
  %short = baker.field %ref "short" : !baker.ref<!e>
  %vs = baker.load %short : !baker.ref<i16>
  func.call @short(%vs) : (i16) -> ()
  %two:2 = baker.load_words %ref at 1 : !baker.ref<!e> -> i32, i32
  func.call @words(%two#0, %two#1) : (i32, i32) -> ()
  cf.br ^loop
}
func.func private @__ixp_ctx() -> i32
func.func private @word(i32)
func.func private @wide(i64)
func.func private @short(i16)
func.func private @words(i32, i32)
