; Part 2: this program marks the receiver of each frame as locally administered
; (bit 1 of the first byte), and counts its frames in local memory. It has three
; faults, each a hazard that `ixpsim` reports. Mend them.
#include "kernel.uc"
.reg bit mark counters
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.sig moved
    immed[bit, 0x0200, <<16]
    immed[counters, 64]
    kernel_begin()
    dram[read, $$in0, base, at128, 1], sig_done[moved]
    alu[mark, bit, OR, $$in0]
    ctx_arb[moved]
    local_csr_wr[ACTIVE_LM_ADDR_0, counters]
    alu[*l$index0, 1, +, *l$index0]
    alu[$$out0, --, B, mark]
    alu[$$out1, --, B, $$in1]
    dram[write, $$out0, base, at128, 1], sig_done[moved]
    immed[$$out0, 0]
    ctx_arb[moved]
    alu[$send, --, B, handle]
    kernel_send()
