// RUN: not baker-opt %s --baker-phr 2>&1 | FileCheck %s

// CHECK: baker-phr: there is no @me_main: run baker-inline
module {}
