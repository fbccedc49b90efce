; Exchanges the addresses: three words in, three funnel shifts, three words out.
; The fourth word of the two quadwords is written back as it was.
#include "kernel.uc"
.reg first second
.reg read $$in0 $$in1 $$in2 $$in3
.xfer_order $$in0 $$in1 $$in2 $$in3
.reg write $$out0 $$out1 $$out2 $$out3
.xfer_order $$out0 $$out1 $$out2 $$out3
.sig moved
    kernel_begin()
    dram[read, $$in0, base, at128, 2], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[second, --, B, $$in1]
    alu[first, --, B, $$in0]
    dbl_shf[$$out0, second, $$in2, >>16]
    dbl_shf[$$out1, $$in2, first, >>16]
    dbl_shf[$$out2, first, $$in1, >>16]
    alu[$$out3, --, B, $$in3]
    dram[write, $$out0, base, at128, 2], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
