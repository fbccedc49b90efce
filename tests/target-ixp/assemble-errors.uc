// Every error of a file is shown, with its line and a caret; nothing is
// written.
//
// RUN: rm -f %t.words
// RUN: not ixp-as %s -o %t.words 2>&1 | FileCheck %s
// RUN: not ls %t.words
// RUN: not ixp-as %t.missing 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not ixp-as --format=tape %s 2>&1 | FileCheck --check-prefix=USAGE %s
// RUN: not ixp-as --format=ixp %s 2>&1 | FileCheck --check-prefix=FILE %s

.reg x y
// CHECK: [[#@LINE+1]]:5: error: 'x' cannot be both sources
    alu[x, x, +, x]
// CHECK-NEXT: alu[x, x, +, x]
// CHECK-NEXT: ^
// CHECK: [[#@LINE+1]]:9: error: there is no label 'nowhere#'
    beq[nowhere#]
// CHECK: [[#@LINE+1]]:5: error: there is no instruction or macro 'frobnicate'
    frobnicate[y]
// CHECK: 3 errors

// MISSING: error: cannot read the file: No such file
// USAGE: --format
// FILE: an image requires an output file
