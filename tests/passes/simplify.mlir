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

// Where a look-up's result is not 0, it is the number of the slot that was tested.
// CHECK-LABEL: func.func @found
// CHECK: %[[NUMBER:.*]] = arith.addi
// CHECK: %[[SELECT:.*]] = arith.select %{{.*}}, %[[NUMBER]], %c0_i32
// CHECK: cf.cond_br %{{.*}}, ^[[FOUND:.*]], ^[[LOST:.*]] {baker.branch = array<i64: 9, 1>}
// CHECK: ^[[FOUND]]:
// CHECK: %[[SLOT:.*]] = baker.element %{{.*}}[%[[NUMBER]]]
// CHECK: %[[VALUE:.*]] = baker.field %[[SLOT]] "value"
// CHECK: baker.load %[[VALUE]]
// CHECK: return %{{.*}}, %[[NUMBER]]
// CHECK: ^[[LOST]]:
// CHECK: return %{{.*}}, %[[SELECT]]
!slot = !baker.struct<"slot", state : i32, value : i32>
baker.global @slots : !baker.array<9 x !slot>
func.func @found(%key: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %place = arith.andi %key, %seven : i32
  %number = arith.addi %place, %one : i32
  %slots = baker.global_ref @slots : !baker.ref<!baker.array<9 x !slot>>
  %tested = baker.element %slots[%number] : !baker.ref<!baker.array<9 x !slot>>
  %state_ref = baker.field %tested "state" : !baker.ref<!slot>
  %state = baker.load %state_ref : !baker.ref<i32>
  %used = arith.cmpi ne, %state, %zero : i32
  %result = arith.select %used, %number, %zero : i32
  %slot = baker.element %slots[%result] : !baker.ref<!baker.array<9 x !slot>>
  %is_found = arith.cmpi ne, %result, %zero : i32
  cf.cond_br %is_found, ^yes, ^no {baker.branch = array<i64: 9, 1>}
^yes:
  %value_ref = baker.field %slot "value" : !baker.ref<!slot>
  %value = baker.load %value_ref : !baker.ref<i32>
  return %value, %result : i32, i32
^no:
  call @here() : () -> ()
  return %zero, %result : i32, i32
}

// Not where control also comes from elsewhere, and not by another comparison.
// CHECK-LABEL: func.func @not_known
// CHECK: %[[SELECT:.*]] = arith.select
// CHECK: ^[[JOIN:.*]]:
// CHECK: return %[[SELECT]]
func.func @not_known(%c: i1, %d: i1, %a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %nine = arith.constant 9 : i32
  %s = arith.select %c, %a, %zero : i32
  %is = arith.cmpi ult, %s, %nine : i32
  cf.cond_br %d, ^first, ^join
^first:
  call @there() : () -> ()
  cf.cond_br %is, ^join, ^second
^second:
  call @here() : () -> ()
  cf.br ^join
^join:
  return %s : i32
}
