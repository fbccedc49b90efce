; The label, the first word behind the Ethernet header, is replaced by the
; table's; EXP and bottom stay, TTL is one less.
#include "kernel.uc"
.reg table entry low label mask one
.reg read $new
.reg read $$in0 $$in1 $$in2 $$in3
.xfer_order $$in0 $$in1 $$in2 $$in3
.reg write $$out0 $$out1 $$out2 $$out3
.xfer_order $$out0 $$out1 $$out2 $$out3
.sig moved
    table_address(table)
    immed[mask, 0x3fc]
    kernel_begin()
    dram[read, $$in0, base, at136, 2], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[low, --, B, $$in2]
    dbl_shf[label, $$in1, low, >>16]
    alu_shf[entry, mask, AND, label, >>10]
    sram[read, $new, table, entry, 1], ctx_swap[done], defer[2]
    alu[label, label, -, 1]
    alu[$$out0, --, B, $$in0]
    alu_shf[one, --, B, label, <<20]
    alu_shf[one, --, B, one, >>20]
    alu_shf[label, one, OR, $new, <<12]
    ld_field[low, 1100, label, <<16]
    alu[$$out2, --, B, low]
    alu_shf[one, --, B, $$in1, >>16]
    alu_shf[one, --, B, one, <<16]
    alu_shf[$$out1, one, OR, label, >>16]
    alu[$$out3, --, B, $$in3]
    dram[write, $$out0, base, at136, 2], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
