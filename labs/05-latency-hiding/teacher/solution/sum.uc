; Replaces the first word of each frame by the exclusive or of its words 0, 2, 4
; and 6. All four reads are under way at once, and the context waits once for them.
#include "kernel.uc"
.reg sum offset
.reg read $$a0 $$a1
.xfer_order $$a0 $$a1
.reg read $$b0 $$b1
.xfer_order $$b0 $$b1
.reg read $$c0 $$c1
.xfer_order $$c0 $$c1
.reg read $$d0 $$d1
.xfer_order $$d0 $$d1
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.sig first second third fourth
    kernel_begin()
    dram[read, $$a0, base, at128, 1], sig_done[first]
    dram[read, $$b0, base, at136, 1], sig_done[second]
    alu[offset, at144, +, 8]
    dram[read, $$c0, base, at144, 1], sig_done[third]
    dram[read, $$d0, base, offset, 1], sig_done[fourth]
    ctx_arb[first, second, third, fourth], defer[1]
    alu[$send, --, B, handle]
    alu[sum, --, B, $$b0]
    alu[sum, sum, XOR, $$c0]
    alu[sum, sum, XOR, $$d0]
    alu[$$out0, sum, XOR, $$a0]
    alu[$$out1, --, B, $$a1]
    dram[write, $$out0, base, at128, 1], sig_done[first]
    ctx_arb[first]
    kernel_send()
