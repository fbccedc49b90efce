; One less to live, and the checksum with it (RFC 1141): 0x100 more in its
; high half, with the carry added back.
#include "kernel.uc"
.reg one_ttl one_check carry check
.reg read $$in0 $$in1 $$in2 $$in3
.xfer_order $$in0 $$in1 $$in2 $$in3
.reg write $$out0 $$out1 $$out2 $$out3
.xfer_order $$out0 $$out1 $$out2 $$out3
.sig moved
    immed[one_ttl, 0x100]
    immed[one_check, 0x100, <<16]
    immed[carry, 1, <<16]
    kernel_begin()
    dram[read, $$in0, base, at144, 2], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[check, $$in2, +, one_check]
    bcs[wrap#]
kept#:
    alu[$$out2, --, B, check]
    alu[$$out1, $$in1, -, one_ttl]
    alu[$$out0, --, B, $$in0]
    alu[$$out3, --, B, $$in3]
    dram[write, $$out0, base, at144, 2], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
wrap#:
    br[kept#], defer[1]
    alu[check, check, +, carry]
