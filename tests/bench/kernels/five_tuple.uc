; Addresses, ports and protocol, folded to one word that becomes the low half
; of the source address.
#include "kernel.uc"
.reg hash ports
.reg read $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.xfer_order $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.reg type source
.sig moved
    kernel_begin()
    dram[read, $$in0, base, at136, 4], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    ; in0: source address 31:0; in1: type, version; in4, in5, in6: check,
    ; addresses; in6, in7: rest of destination, ports
    alu[source, --, B, $$in5]
    dbl_shf[hash, $$in4, source, >>16]
    alu[ports, --, B, $$in6]
    dbl_shf[type, source, ports, >>16]
    alu[hash, hash, XOR, type]
    dbl_shf[ports, ports, $$in7, >>16]
    alu[hash, hash, XOR, ports]
    ld_field_w_clr[type, 0001, $$in3]
    alu[hash, hash, XOR, type]
    alu_shf[ports, --, B, hash, >>16]
    alu[$$out0, hash, XOR, ports]
    alu[$$out1, --, B, $$in1]
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
