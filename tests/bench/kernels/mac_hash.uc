; The slot of the destination address and the next one; the port found, or 4,
; becomes the low half of the source address.
;
; The slot's number is (low ^ low >> 12 ^ high) & 255. low ^ high, in its low
; half, is the high half of the first two words' sum without carry, and a double
; shift gives low >> 12 at the same place. A hit in the first slot falls through.
#include "kernel.uc"
.reg table mask word sum index low high
.reg read $high $low $port
.xfer_order $high $low $port
.reg read $$in[4]
.xfer_order $$in
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
    table_address(table)
    immed[mask, 0xff0]
    kernel_constants()
put#:
    ctx_arb[moved]
    kernel_begin()
    kernel_read($$in[0], at128, 2)
    alu[word, --, B, $$in[1]]
    alu[sum, word, XOR, $$in[0]]
    dbl_shf[index, $$in[0], word, >>12]
    alu[index, index, XOR, sum]
    alu_shf[index, mask, AND, index, >>12]
    sram[read, $high, table, index, 3], ctx_swap[done], defer[2]
    dbl_shf[low, $$in[0], word, >>16]
    alu_shf[high, --, B, $$in[0], >>16]
    alu[--, low, -, $low]
    bne[second#], defer[1]
    alu[$$out1, --, B, $$in[3]]
    alu[--, high, -, $high]
    bne[second#]
    alu[$$out0, --, B, $port]
found#:
    kernel_put(put#, 1)
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    kernel_end(put#)
second#:
    alu[index, index, +, 16]
    alu[index, mask, AND, index]
    sram[read, $high, table, index, 3], ctx_swap[done], defer[1]
    immed[$$out0, 4]
    alu[--, low, -, $low]
    bne[found#]
    alu[--, high, -, $high]
    bne[found#]
    br[found#], defer[1]
    alu[$$out0, --, B, $port]
