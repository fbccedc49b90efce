// RUN: baker-opt %s --baker-split-batches | FileCheck %s

// %v is live at the first cut, so it crosses in an array; the loop of stage 1
// repeats until no packet waits; the last stage has no cut.

llvm.func @karakal_cut(i32)
llvm.func @karakal_cut_last()
llvm.func @use(i32)

// CHECK: llvm.mlir.global internal @karakal.batch.live0() {{.*}} : !llvm.array<256 x i32>
// CHECK-NOT: @karakal.batch(
llvm.func @karakal.batch(%handle: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.add %handle, %one : i32
  llvm.br ^loop
^loop:
  llvm.call @karakal_cut(%one) : (i32) -> ()
  %again = llvm.icmp "eq" %v, %one : i32
  llvm.cond_br %again, ^loop, ^end
^end:
  llvm.call @karakal_cut_last() : () -> ()
  llvm.call @use(%v) : (i32) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func internal @karakal.batch.stage.0(%arg0: i32, %arg1: i32)
// CHECK: llvm.add
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr
// CHECK: llvm.call @karakal_x86_wait
// CHECK-NOT: llvm.icmp
// CHECK-LABEL: llvm.func internal @karakal.batch.stage.1(%arg0: i32)
// CHECK-NOT: llvm.add
// CHECK: llvm.icmp
// CHECK-NOT: @use
// CHECK: llvm.call @karakal_x86_wait
// CHECK-LABEL: llvm.func internal @karakal.batch.stage.last(%arg0: i32)
// CHECK-NOT: llvm.call @karakal_x86_wait
// CHECK: llvm.call @use
// Nothing waits at the start, whatever a fault has left.
// CHECK-LABEL: llvm.func @karakal_x86_run_batch
// CHECK: %[[ONE:.*]] = llvm.mlir.addressof @karakal.batch.waiting.1
// CHECK: llvm.store %{{.*}}, %[[ONE]] : !llvm.array<4 x i64>
// CHECK: %[[LAST:.*]] = llvm.mlir.addressof @karakal.batch.waiting.last
// CHECK: llvm.store %{{.*}}, %[[LAST]] : !llvm.array<4 x i64>
// CHECK: llvm.call @karakal_x86_start_batch
// CHECK: ^[[LOOP:bb[0-9]+]]:
// CHECK: llvm.call @karakal_x86_run_stage
// CHECK: llvm.call @karakal_x86_any_waits
// CHECK: llvm.cond_br {{.*}}, ^[[LOOP]], ^
// CHECK: llvm.call @karakal_x86_run_last
