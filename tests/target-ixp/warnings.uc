// What is legal word by word but wrong together is warned of.
//
// RUN: ixp-as %s -o %t.words 2>&1 | FileCheck %s
// RUN: not ixp-as --strict %s -o %t.none 2>&1 | FileCheck %s
// RUN: not ls %t.none

start#:
// CHECK: [[#@LINE+1]]:5: warning: the new local-memory address is used 1 words later
    local_csr_wr[ACTIVE_LM_ADDR_0, a0]
    immed[*l$index0[0], 0]
// CHECK: [[#@LINE+1]]:5: warning: its delay slot 1 holds a branch
    br[start#], defer[1]
    br[start#]
