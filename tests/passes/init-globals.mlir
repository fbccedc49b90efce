// RUN: baker-opt %s --baker-init-globals | FileCheck %s

// Only values other than zero are stored, each through its elements and fields.

baker.global @zero : !baker.array<4 x i32>
baker.global @used : i32 init [16]
baker.global @pairs : !baker.array<2 x !baker.struct<"pair", a : i48, b : i8>>
    init [0, 0, 7, -1]

// CHECK-LABEL: func.func @karakal.globals() attributes {baker.kind = #baker.kind<init>}
// CHECK: %[[USED:.*]] = baker.global_ref @used
// CHECK: %[[V:.*]] = arith.constant 16 : i32
// CHECK: baker.store %[[V]], %[[USED]]
// CHECK: baker.global_ref @pairs
// CHECK: baker.element %{{.*}}[%c1_i32
// CHECK: baker.field %{{.*}} "a"
// CHECK: baker.store %c7_i48
// CHECK: baker.field %{{.*}} "b"
// CHECK: baker.store %c-1_i8
// CHECK-NOT: baker.store
// CHECK: return
