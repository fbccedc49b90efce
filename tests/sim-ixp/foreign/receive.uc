; Receive as another project's driver might: the host gives descriptors of 16
; bytes in SRAM by ring 0 and takes them back by ring 1, with an interrupt.
; Frames are one element long. Descriptor: 0 buffer in DRAM, 4 length, 8 port.

.reg descriptor buffer length element base temp zero word
.reg read $descriptor $buffer $status $checksum
.xfer_order $status $checksum
.reg write $length $port $done
.xfer_order $length $port
.sig got described arrived moved written put_done

start#:
    immed[zero, 0]
    immed[base, 0x10]                       ; an indirect reference's element
    immed_w1[base, 0x4]                     ; 0x2000 << 5
    local_csr_rd[ACTIVE_CTX_STS]
    immed[temp, 0]
    alu[temp, temp, AND, 7]
    alu_shf[word, --, B, temp, <<20]        ; engine 0, this context
    immed[temp, ((&arrived << 12) | &$status)]
    alu_shf[temp, --, B, temp, <<16]
    alu[word, word, OR, temp]
next#:
    scratch[get, $descriptor, zero, 0, 1], ctx_swap[got]
    alu[descriptor, --, B, $descriptor]
    bne[wait#]
    ctx_arb[voluntary]
    br[next#]
wait#:
    msf[fast_wr, --, word, 0x30]
    sram[read, $buffer, descriptor, 0, 1], ctx_swap[described]
    ctx_arb[arrived]
    alu_shf[element, 0x7f, AND, $status, >>24]
    alu_shf[length, 0x7f, AND, $status, >>16]
    alu_shf[temp, 0x1f, AND, $status]
    alu[buffer, --, B, $buffer]
    alu_shf[--, base, OR, element, <<11]
    dram[rbuf_rd, --, buffer, 0, max_8], indirect_ref, sig_done[moved]
    alu[$length, --, B, length]
    alu[$port, --, B, temp]
    ctx_arb[moved]
    alu_shf[temp, --, B, element, <<16]
    msf[fast_wr, --, temp, 0x44]
    sram[write, $length, descriptor, 4, 2], ctx_swap[written]
    alu[$done, --, B, descriptor]
full#:
    br_inp_state[scr_ring1_status, yield#]
    scratch[put, $done, zero, 4, 1], ctx_swap[put_done]
    cap[fast_wr, 0, 0x4b20]
    br[next#]
yield#:
    ctx_arb[voluntary]
    br[full#]
