; RFC 1812 5.2.2: version 4 without options, total length, checksum. What fails
; is sent with bit 0 of its destination address set.
;
; The sum of a word and of the word rotated by 16 has the folded sum in its high
; half: the carry out of the low half is added by itself. The checksum is right
; if this half is 0xffff; the low half is then 0xffff or 0xfffe.
#include "kernel.uc"
.reg sum low least first
.reg read $$in[8]
.xfer_order $$in
.reg write $$out0 $$out1
.xfer_order $$out0 $$out1
    immed[least, 20, <<16]
    alu_shf[first, --, B, 1, <<24]
    kernel_constants()
put#:
    kernel_begin()
    kernel_read($$in[0], at136, 4)
    ; words of the header: in1 low half, in2 to in5, in6 high half
    br!=byte[$$in[1], 1, 0x45, bad#], defer[2]
    alu_shf[low, --, B, $$in[6], >>16]
    alu[sum, low, +16, $$in[1]]
    alu[--, $$in[2], -, least]
    blo[bad#]
    alu[sum, sum, +, $$in[2]]
    alu[sum, sum, +carry, $$in[3]]
    alu[sum, sum, +carry, $$in[4]]
    alu[sum, sum, +carry, $$in[5]]
    alu[sum, sum, +carry, 0]
    alu_shf[low, --, B, sum, <<rot16]
    alu[sum, sum, +, low]
    alu[--, sum, +, 2]
    bcc[bad#]
send#:
    br_!inp_state[scr_ring1_status, put#]
    kernel_end(put#)
bad#:
    dram[read, $$in[0], base, at128, 1], sig_done[moved]
    ctx_arb[moved]
    alu[$$out0, first, OR, $$in[0]]
    alu[$$out1, --, B, $$in[1]]
    dram[write, $$out0, base, at128, 1], sig_done[moved]
    ctx_arb[moved], br[send#]
