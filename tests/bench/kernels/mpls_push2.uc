; Two label stack entries between Ethernet header and payload: the header moves
; eight bytes to the front, and the message says so. The words that are the same
; in all packets stay in transfer registers.
#include "kernel.uc"
.reg at120 last change
.reg read $$in[4]
.xfer_order $$in
.reg write $$out[6]
.xfer_order $$out
    immed[at120, 120]
    immed[last, 0x1234]         ; 0x8847, first half of 0x12345040
    immed_w1[last, 0x8847]
    alu[$$out[3], --, B, last]
    immed[last, 0x5432]         ; second half, first half of 0x54321140
    immed_w1[last, 0x5040]
    alu[$$out[4], --, B, last]
    immed[last, 0x1140, <<16]   ; second half
    immed[change, 8]            ; head - 8, length + 8
    immed_w1[change, 0xfff8]
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    dram[read, $$in[0], base, at128, 2], sig_done[moved]
    ctx_arb[moved], defer[2]
    alu[$send, --, B, handle]
    alu[$send_place, change, +, $place]
    alu[$$out[0], --, B, $$in[0]]
    alu[$$out[1], --, B, $$in[1]]
    kernel_put(put#, 3)
    alu[$$out[2], --, B, $$in[2]]
    alu[$$out[5], last, +16, $$in[3]]
    dram[write, $$out[0], base, at120, 3], sig_done[moved]
    kernel_end(put#)
