; Three levels of 256 entries; what is found becomes the type of service. An
; index beyond the table takes its last entry, as the language says.
#include "kernel.uc"
.reg table mask last index low
.reg read $entry
.reg read $$in[8]
.xfer_order $$in
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
    table_address(table)
    immed[mask, 0x3fc]
    immed[last, 767]
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    kernel_read($$in[0], at136, 4)
    ; in1: type, version, type of service; in5 low half, in6 high half:
    ; destination
    alu_shf[index, mask, AND, $$in[5], >>6]
    sram[read, $entry, table, index, 1], ctx_swap[done], defer[2]
    alu[$$out0, --, B, $$in[0]]
    alu[index, $$in[5], AND, 0xff]
    alu[index, index, OR, $entry]
    alu[--, last, -, index]
    blo[second#], defer[1]
    alu_shf[index, --, B, index, <<2]
checked#:
    sram[read, $entry, table, index, 1], ctx_swap[done], defer[2]
    alu_shf[index, --, B, $$in[6], >>24]
    alu[low, $$in[1], AND~, 0xff]
    alu[index, index, OR, $entry]
    alu[--, last, -, index]
    blo[third#], defer[1]
    alu_shf[index, --, B, index, <<2]
found#:
    sram[read, $entry, table, index, 1], ctx_swap[done]
    kernel_put(put#, 2)
    alu[$$out1, low, +8, $entry]
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    kernel_end(put#)
second#:
    br[checked#], defer[1]
    alu_shf[index, --, B, last, <<2]
third#:
    br[found#], defer[1]
    alu_shf[index, --, B, last, <<2]
