; Addresses, ports and protocol, folded to one word that becomes the low half
; of the source address.
;
; Both addresses and the ports begin in the middle of a word. The words are
; combined before they are aligned: one double shift aligns the result.
#include "kernel.uc"
.reg high low hash fold
.reg read $$in[8]
.xfer_order $$in
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    kernel_read($$in[0], at136, 4)
    ; in0: source address 31:0; in3: protocol; in4 to in7: check, addresses,
    ; ports, two more bytes
    alu[low, --, B, $$in[5]]
    alu[low, low, XOR, $$in[6]]
    alu[high, low, XOR, $$in[4]]
    alu[low, low, XOR, $$in[7]]
    dbl_shf[hash, high, low, >>16]
    alu[fold, $$in[3], AND, 0xff]
    alu[hash, hash, XOR, fold]
    alu_shf[fold, --, B, hash, >>16]
    alu[$$out0, hash, XOR, fold]
    kernel_put(put#, 2)
    alu[$$out1, --, B, $$in[1]]
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    kernel_end(put#)
