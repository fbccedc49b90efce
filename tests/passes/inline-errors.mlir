// RUN: not baker-opt %s --baker-inline 2>&1 | FileCheck %s

// CHECK: baker-inline: there is no @me_main: run baker-lower-channels
module {}
