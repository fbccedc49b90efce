// RUN: baker-opt --split-input-file --baker-line-scopes --mlir-print-debuginfo \
// RUN:   %s | FileCheck %s

#file = #llvm.di_file<"whole.baker" in "">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C,
  file = #file, isOptimized = true, emissionKind = LineTablesOnly>
#type = #llvm.di_subroutine_type<types = #llvm.di_null_type>
#scope = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit,
  scope = #file, name = "me_main", file = #file, line = 2,
  subprogramFlags = "Definition", type = #type>

// A line of another file gets a scope that names it; one of the function's
// file keeps its location.
// CHECK-LABEL: llvm.func @me_main
// CHECK: llvm.add {{.*}} loc(#[[OWN:loc[0-9]*]])
// CHECK: llvm.mul {{.*}} loc(#[[OTHER:loc[0-9]*]])
// CHECK: llvm.return
// CHECK-DAG: #[[OWN]] = loc("whole.baker":3:1)
// CHECK-DAG: #[[PART:loc[0-9]*]] = loc("parts/check.baker":40:5)
// CHECK-DAG: #[[OTHER]] = loc(fused<#{{.*}}>[#[[PART]]])
llvm.func @me_main(%a: i32) -> i32 {
  %b = llvm.add %a, %a : i32 loc("whole.baker":3:1)
  %c = llvm.mul %b, %a : i32 loc("parts/check.baker":40:5)
  llvm.return %c : i32 loc("whole.baker":4:1)
} loc(fused<#scope>["whole.baker":2:1])

// -----

// A function without a scope stays as it is.
// CHECK-LABEL: llvm.func @bare
// CHECK-NOT: fused
llvm.func @bare(%a: i32) -> i32 {
  %b = llvm.add %a, %a : i32 loc("parts/check.baker":3:1)
  llvm.return %b : i32 loc("whole.baker":4:1)
} loc("whole.baker":2:1)
