; Two label stack entries between Ethernet header and payload: the header moves
; eight bytes to the front. sram[add] mends head and length at once.
#include "kernel.uc"
.reg at120 upper middle lower change descriptor
.reg read $$in0 $$in1 $$in2 $$in3
.xfer_order $$in0 $$in1 $$in2 $$in3
.reg write $$out0 $$out1 $$out2 $$out3 $$out4 $$out5
.xfer_order $$out0 $$out1 $$out2 $$out3 $$out4 $$out5
.reg write $change
.sig moved
    immed[at120, 120]
    immed[upper, 0x1234]        ; 0x8847, first half of 0x12345040
    immed_w1[upper, 0x8847]
    immed[middle, 0x5432]       ; second half, first half of 0x54321140
    immed_w1[middle, 0x5040]
    immed[lower, 0x1140, <<16]  ; second half
    immed[change, 8]            ; head - 8, length + 8
    immed_w1[change, 0xfff8]
    kernel_begin()
    dram[read, $$in0, base, at128, 2], sig_done[moved]
    alu_shf[descriptor, --, B, handle, <<2]
    alu[$change, --, B, change]
    sram[add, $change, descriptor, 4], sig_done[done]
    ctx_arb[moved, done], defer[1]
    alu[$send, --, B, handle]
    alu[$$out0, --, B, $$in0]
    alu[$$out1, --, B, $$in1]
    alu[$$out2, --, B, $$in2]
    alu[$$out3, --, B, upper]
    alu[$$out4, --, B, middle]
    alu[$$out5, lower, +16, $$in3]
    dram[write, $$out0, base, at120, 3], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
