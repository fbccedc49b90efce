; The label, the first word after the Ethernet header, is replaced by the
; table's; EXP and bottom stay, TTL is one less. A TTL of 0 becomes 255, apart
; from the others: it alone borrows from the bits above it.
#include "kernel.uc"
.reg table entry word mask one rest upper label
.reg read $new
.reg read $$in[4]
.xfer_order $$in
.reg write $$out[4]
.xfer_order $$out
    table_address(table)
    immed[mask, 0x3fc]
    immed[one, 1, <<16]
    immed[rest, ~0xf000, <<16]
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    kernel_read($$in[0], at136, 2)
    ; in1 low half, in2 high half: label, EXP, bottom, TTL
    br=byte[$$in[2], 2, 0, expired#], defer[1]
    alu[word, $$in[2], -, one]
alive#:
    dbl_shf[entry, $$in[1], word, >>26]
    alu[entry, mask, AND, entry]
    sram[read, $new, table, entry, 1], ctx_swap[done], defer[2]
    alu[$$out[0], --, B, $$in[0]]
    alu[word, word, AND, rest]
    alu_shf[$$out[2], word, OR, $new, <<28]
    alu_shf[label, --, B, $new, >>4]
    ld_field[label, 1100, $$in[1]]
    kernel_put(put#, 3)
    alu[$$out[1], --, B, label]
    alu[$$out[3], --, B, $$in[3]]
    dram[write, $$out[0], base, at136, 2], sig_done[moved]
    kernel_end(put#)
expired#:
    br[alive#], defer[2]
    immed[word, 0xff, <<16]
    alu[word, word, OR, $$in[2]]
