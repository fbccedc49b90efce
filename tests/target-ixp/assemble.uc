// Assembles to words, bytes and an image; each disassembles to the same text.
//
// RUN: ixp-as %s -o %t.words
// RUN: FileCheck --check-prefix=WORDS --input-file=%t.words %s
// RUN: ixp-dis %t.words | tee %t.uc | FileCheck --check-prefix=TEXT %s
// RUN: ixp-as %t.uc -o %t.again
// RUN: cmp %t.words %t.again
// RUN: ixp-as --format=bytes %s -o %t.bytes
// RUN: ixp-dis %t.bytes | cmp - %t.uc
// RUN: ixp-as --format=ixp %s -o %t.ixp
// RUN: ixp-dis --aggregate=assemble %t.ixp | FileCheck --check-prefix=TEXT %s
// RUN: ixp-dis --lines --words %t.ixp | FileCheck --check-prefix=LINES %s
// RUN: ixp-as --listing -D START=7 %s -o - 2>&1 | FileCheck --check-prefix=LIST %s

#ifndef START
#define START 0x30
#endif
    .reg read $status
    .reg count
    .sig arrived
    immed[count, START]
// WORDS: f0000cc000
// TEXT: immed[a0, 0x30]
// LINES: immed[a0, 0x30] // 0 f0000cc000 {{.*}}assemble.uc:[[#@LINE-3]]
// LIST-DAG: f0000c1c00
// LIST-DAG: a0 count at
// LIST-DAG: $0 $status at
// LIST-DAG: s1 arrived at
// LIST-DAG: 4 words of 4096
wait#:
    ctx_arb[arrived]
    alu[count, count, +, $status]
    bne[wait#]
// WORDS-NEXT: e000000002
// TEXT-NEXT: l_0001#:
// TEXT-NEXT: ctx_arb[s1]
// TEXT-NEXT: alu[a0, a0, +, $0]
// TEXT-NEXT: bne[l_0001#]
