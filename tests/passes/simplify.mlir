// A branch that a pattern makes has the profile's counts of the branch that it
// replaces, here one through an empty block.
// RUN: baker-opt %s --baker-simplify | FileCheck %s

// CHECK-LABEL: func.func @pass
// CHECK: cf.cond_br %{{.*}}, ^bb[[THERE:[0-9]+]], ^bb{{[0-9]+}} {baker.branch = array<i64: 7, 993>}
// CHECK: ^bb[[THERE]]:
// CHECK-NEXT: call @there
func.func private @there()
func.func private @here()
func.func @pass(%c: i1) {
  cf.cond_br %c, ^empty, ^here {baker.branch = array<i64: 7, 993>}
^empty:
  cf.br ^there
^there:
  func.call @there() : () -> ()
  return
^here:
  func.call @here() : () -> ()
  return
}

// The two branches of a condition with `||`, through blocks that only pass a
// value: other patterns apply, in another order.
// CHECK-LABEL: func.func @either
// CHECK: cf.cond_br %{{.*}}, ^bb2(%true : i1), ^bb1 {baker.branch = array<i64: 3, 20000>}
// CHECK: cf.cond_br %{{.*}}, ^bb2(%true : i1), ^bb2(%false : i1) {baker.branch = array<i64: 1, 19999>}
func.func @either(%a: i1, %b: i1) -> i1 {
  cf.cond_br %a, ^yes, ^second {baker.branch = array<i64: 3, 20000>}
^second:
  cf.cond_br %b, ^yes, ^no {baker.branch = array<i64: 1, 19999>}
^yes:
  %true = arith.constant true
  cf.br ^end(%true : i1)
^no:
  %false = arith.constant false
  cf.br ^end(%false : i1)
^end(%value: i1):
  return %value : i1
}

// A case with the default's target is removed and counts for the default.
// CHECK-LABEL: func.func @cases
// CHECK: cf.switch
// CHECK-NEXT: default: ^bb1,
// CHECK-NEXT: 2: ^bb2
// CHECK-NEXT: ] {baker.branch = array<i64: 7, 90>}
func.func @cases(%n: i32) {
  cf.switch %n : i32, [
    default: ^other,
    1: ^other,
    2: ^two
  ] {baker.branch = array<i64: 4, 3, 90>}
^other:
  call @there() : () -> ()
  return
^two:
  call @here() : () -> ()
  return
}
