; The slot of the destination address and the next one; the port found, or 4,
; becomes the low half of the source address.
#include "kernel.uc"
.reg table mask low high index port
.reg read $high $low $port
.xfer_order $high $low $port
.reg read $$in0 $$in1 $$in2 $$in3
.xfer_order $$in0 $$in1 $$in2 $$in3
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.sig moved
    table_address(table)
    immed[mask, 0xff0]
    kernel_begin()
    dram[read, $$in0, base, at128, 2], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    alu[low, --, B, $$in1]
    dbl_shf[low, $$in0, low, >>16]
    alu_shf[high, --, B, $$in0, >>16]
    alu_shf[index, --, B, low, >>12]
    alu[index, index, XOR, low]
    alu[index, index, XOR, high]
    alu_shf[index, mask, AND, index, <<4]
    sram[read, $high, table, index, 3], ctx_swap[done], defer[2]
    alu[index, index, +, 16]
    alu[index, mask, AND, index]
    alu[--, low, -, $low]
    beq[first#]
second#:
    sram[read, $high, table, index, 3], ctx_swap[done], defer[1]
    immed[port, 4]
    alu[--, low, -, $low]
    bne[found#]
    alu[--, high, -, $high]
    bne[found#]
    alu[port, --, B, $port]
found#:
    alu[$$out0, --, B, port]
    alu[$$out1, --, B, $$in3]
    dram[write, $$out0, base, at136, 1], sig_done[moved]
    ctx_arb[moved]
    kernel_send()
first#:
    alu[--, high, -, $high]
    bne[second#]
    br[found#], defer[1]
    alu[port, --, B, $port]
