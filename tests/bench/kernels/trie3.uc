; Three levels of 256 entries; what is found becomes the type of service.
#include "kernel.uc"
.reg table mask index low
.reg read $entry
.reg read $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.xfer_order $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.reg address
.sig moved
    table_address(table)
    immed[mask, 0x3fc]
    kernel_begin()
    dram[read, $$in0, base, at136, 4], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[low, --, B, $$in6]
    dbl_shf[address, $$in5, low, >>16]
    alu_shf[index, mask, AND, address, >>22]
    sram[read, $entry, table, index, 1], ctx_swap[done], defer[2]
    alu_shf[index, mask, AND, address, >>14]
    alu_shf[address, mask, AND, address, >>6]
    alu_shf[index, index, OR, $entry, <<2]
    sram[read, $entry, table, index, 1], ctx_swap[done], defer[2]
    alu[$$out0, --, B, $$in0]
    alu[low, --, B, $$in1]
    alu_shf[index, address, OR, $entry, <<2]
    sram[read, $entry, table, index, 1], ctx_swap[done]
    ld_field[low, 0001, $entry]
    alu[$$out1, --, B, low]
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
