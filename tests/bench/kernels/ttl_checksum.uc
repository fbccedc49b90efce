; One less to live, and the checksum with it (RFC 1141): 0x100 more in its
; high half, with the carry added back. A TTL of 0 becomes 255.
#include "kernel.uc"
.reg less one_check carry time check
.reg read $$in[4]
.xfer_order $$in
.reg write $$out[4]
.xfer_order $$out
    immed[less, 0xff00]
    immed[one_check, 0x100, <<16]
    immed[carry, 1, <<16]
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    kernel_read($$in[0], at144, 2)
    ; in1: fragment, TTL, protocol; in2: checksum, half of the source
    alu[$$out[2], one_check, +, $$in[2]]
    bcs[wrap#], defer[3]
    alu[time, less, +, $$in[1]]
    ld_field[time, 1101, $$in[1]]
    alu[$$out[1], --, B, time]
kept#:
    kernel_put(put#, 3)
    alu[$$out[0], --, B, $$in[0]]
    alu[$$out[3], --, B, $$in[3]]
    dram[write, $$out[0], base, at144, 2], sig_done[moved]
    kernel_end(put#)
wrap#:
    br[kept#], defer[2]
    alu[check, one_check, +, $$in[2]]
    alu[$$out[2], check, +, carry]
