; The frame's first 64 bytes, DRAM to SRAM.
#include "kernel.uc"
.reg table
.reg read $$in[16]
.xfer_order $$in
.reg write $out[8]
.xfer_order $out
.sig moved
    table_address(table)
    kernel_begin()
    dram[read, $$in[0], base, at128, 8], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
#define_eval i 0
#repeat 8
    alu[$out[i], --, B, $$in[i]]
#define_eval i (i + 1)
#endloop
    sram[write, $out[0], table, 0, 8], ctx_swap[done]
#define_eval i 0
#repeat 8
#define_eval j (i + 8)
    alu[$out[i], --, B, $$in[j]]
#define_eval i (i + 1)
#endloop
    sram[write, $out[0], table, 32, 8], ctx_swap[done]
    kernel_send()
