; The frame's first 64 bytes, DRAM to SRAM.
#include "kernel.uc"
.reg table
.reg read $$in[16]
.xfer_order $$in
.reg write $out[8]
.xfer_order $out
    table_address(table)
    kernel_constants()
put#:
    kernel_begin()
    kernel_read($$in[0], at128, 8)
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
    br_!inp_state[scr_ring1_status, put#]
    kernel_end(put#)
