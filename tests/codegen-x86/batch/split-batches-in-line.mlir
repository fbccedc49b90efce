// RUN: baker-opt %s --baker-split-batches | FileCheck %s

// No path leads back to a stage: each has its own part of the function, keeps
// what is live where it begins and ends, and runs once.

llvm.func @karakal_cut(i32)
llvm.func @use(i32)

llvm.func @karakal.batch(%handle: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %v = llvm.add %handle, %one : i32
  llvm.call @karakal_cut(%one) : (i32) -> ()
  %w = llvm.mul %v, %v : i32
  llvm.call @karakal_cut(%two) : (i32) -> ()
  llvm.call @use(%w) : (i32) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func internal @karakal.batch.stage.0(%arg0: i32, %arg1: i32)
// CHECK-COUNT-1: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: llvm.add
// CHECK: @karakal.batch.live0
// CHECK: llvm.call @karakal_x86_wait
// CHECK-NOT: llvm.mul
// CHECK-LABEL: llvm.func internal @karakal.batch.stage.1(%arg0: i32)
// CHECK-COUNT-2: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK-NOT: llvm.add
// CHECK: llvm.mul
// CHECK: @karakal.batch.live1
// CHECK: llvm.call @karakal_x86_wait
// CHECK-NOT: @use
// CHECK: @karakal.batch.live0
// CHECK-LABEL: llvm.func internal @karakal.batch.stage.2(%arg0: i32)
// CHECK-COUNT-1: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK-NOT: llvm.mul
// CHECK-NOT: @karakal.batch.live0
// CHECK: llvm.call @use
// CHECK: @karakal.batch.live1
// CHECK-NOT: llvm.call @karakal_x86_wait
// CHECK-LABEL: llvm.func @karakal_x86_run_batch
// CHECK: llvm.call @karakal_x86_start_batch
// CHECK: @karakal.batch.waiting.1
// CHECK: llvm.call @karakal_x86_run_stage
// CHECK: @karakal.batch.waiting.2
// CHECK: llvm.call @karakal_x86_run_stage
// CHECK-NOT: llvm.call @karakal_x86_any_waits
// CHECK: llvm.return
