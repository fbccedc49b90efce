; RFC 1812 5.2.2: version 4 without options, total length, checksum. What fails
; is sent with bit 0 of its destination address set.
#include "kernel.uc"
.reg sum low mask
.reg read $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.xfer_order $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
.reg first
.sig moved
    immed[mask, 0xffff]
    kernel_begin()
    dram[read, $$in0, base, at136, 4], sig_done[moved]
    ctx_arb[moved], defer[1]
    alu[$send, --, B, handle]
    br!=byte[$$in1, 1, 0x45, bad#]
    ; words of the header: in1 low half, in2 .. in5, in6 high half
    alu_shf[low, --, B, $$in6, >>16]
    alu[sum, low, +16, $$in1]
    alu[sum, sum, +, $$in2]
    alu[sum, sum, +carry, $$in3]
    alu[sum, sum, +carry, $$in4]
    alu[sum, sum, +carry, $$in5]
    alu[sum, sum, +carry, 0]
    alu_shf[low, --, B, sum, >>16]
    alu[sum, low, +16, sum]
    alu_shf[low, --, B, sum, >>16]
    alu[sum, low, +16, sum]
    alu[--, sum, -, mask]
    bne[bad#]
    alu_shf[low, --, B, $$in2, >>16]
    alu[--, low, -, 20]
    blo[bad#]
out#:
    kernel_send()
bad#:
    dram[read, $$in0, base, at128, 1], sig_done[moved]
    ctx_arb[moved]
    alu_shf[first, --, B, 1, <<24]
    alu[$$out0, first, OR, $$in0]
    alu[$$out1, --, B, $$in1]
    dram[write, $$out0, base, at128, 1], sig_done[moved]
    ctx_arb[moved]
    br[out#]
