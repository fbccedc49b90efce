; Replaces the first word of each frame by the exclusive or of its words 0, 2, 4
; and 6. It is right, but waits for each quadword before it asks for the next.
#include "kernel.uc"
.reg sum offset
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.sig moved
    kernel_begin()
    dram[read, $$in0, base, at144, 1], sig_done[moved]
    ctx_arb[moved]
    alu[sum, --, B, $$in0]
    alu[offset, at144, +, 8]
    dram[read, $$in0, base, offset, 1], sig_done[moved]
    ctx_arb[moved]
    alu[sum, sum, XOR, $$in0]
    dram[read, $$in0, base, at136, 1], sig_done[moved]
    ctx_arb[moved]
    alu[sum, sum, XOR, $$in0]
    dram[read, $$in0, base, at128, 1], sig_done[moved]
    ctx_arb[moved]
    alu[$$out0, sum, XOR, $$in0]
    alu[$$out1, --, B, $$in1]
    dram[write, $$out0, base, at128, 1], sig_done[moved]
    ctx_arb[moved]
    alu[$send, --, B, handle]
    kernel_send()
