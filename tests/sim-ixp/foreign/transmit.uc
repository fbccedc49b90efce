; Transmit as another project's driver might, on a 32-bit bus of one part: one
; partition of 128 elements, of which 96 are used at a time, and the port in the
; control word. The host gives descriptors by ring 2 and takes them back by ring
; 3. One context sends, so elements are used and made valid in order.

.reg descriptor buffer control element sent temp base space zero
.reg read $descriptor $buffer $length $port $sequence
.xfer_order $buffer $length $port
.reg write $control $nothing $done
.xfer_order $control $nothing
.sig got described moved valid sequenced put_done

start#:
    br!=ctx[0, stop#]
    immed[zero, 0]
    immed[element, 0]                       ; counts elements, modulo 256
    immed[sent, 0]
    immed[base, 0x10]
    immed_w1[base, 0x4]
next#:
    scratch[get, $descriptor, zero, 8, 1], ctx_swap[got]
    alu[descriptor, --, B, $descriptor]
    bne[have#]
    ctx_arb[voluntary]
    br[next#]
have#:
    sram[read, $buffer, descriptor, 0, 3], ctx_swap[described]
space#:
    alu[space, element, -, sent]
    alu[space, space, AND, 0xff]
    alu[--, space, -, 96]
    blo[room#]
    msf[read, $sequence, zero, 0x60, 1], ctx_swap[sequenced]
    alu[sent, 0xff, AND, $sequence]
    br[space#]
room#:
    alu[buffer, --, B, $buffer]
    alu_shf[temp, 0x7f, AND, element]
    alu_shf[--, base, OR, temp, <<11]
    dram[tbuf_wr, --, buffer, 0, max_8], indirect_ref, sig_done[moved]
    alu_shf[control, --, B, $length, <<24]
    alu[control, control, OR, $port]
    immed[space, 0x300]                     ; start and end
    alu[$control, control, OR, space]
    alu[$nothing, --, B, 0]
    ctx_arb[moved]
    alu_shf[temp, --, B, temp, <<3]
    immed[space, 0x1800]
    msf[write, $control, temp, space, 2], ctx_swap[valid]
    alu[element, element, +, 1]
    alu[element, element, AND, 0xff]
    alu[$done, --, B, descriptor]
    scratch[put, $done, zero, 12, 1], ctx_swap[put_done]
    br[next#]
stop#:
    ctx_arb[kill]
