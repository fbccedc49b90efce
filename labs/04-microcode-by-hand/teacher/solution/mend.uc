; Marks the receiver of each frame as locally administered
; (bit 1 of the first byte), and counts its frames in local memory.
#include "kernel.uc"
.reg bit counters
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.sig moved
    immed[bit, 0x0200, <<16]
    immed[counters, 64]
    kernel_begin()
    dram[read, $$in0, base, at128, 1], sig_done[moved]
    local_csr_wr[ACTIVE_LM_ADDR_0, counters]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[$$out0, bit, OR, $$in0]
    alu[$$out1, --, B, $$in1]
    dram[write, $$out0, base, at128, 1], sig_done[moved]
    alu[*l$index0, 1, +, *l$index0]
    ctx_arb[moved]
    immed[$$out0, 0]
    kernel_send()
