// A branch that a pattern makes anew keeps the counts that the profile gave the
// one it replaces: here one that went through an empty block.
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
