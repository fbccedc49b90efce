; The smallest program with ports: it sends each frame out of the port that it
; came in by, without any other engine.
;
; RUN: ixp-as %s --format=bytes -o %t.ucode
; RUN: npftrace make ipv4 --packets 200 --size imix --seed 5 --out %t.in.pcapng --control %t.control
; RUN: ixpsim --ucode=0:%t.ucode --trace=%t.in.pcapng --out=%t.out.pcapng --strict | FileCheck %s
; RUN: npftrace diff --any-order %t.in.pcapng %t.out.pcapng
; CHECK: no frame moves any more
; CHECK: 200 arrived, 200 transmitted, 0 lost
;
; Context 0 takes a piece of a frame of up to 64 bytes from the receive buffer
; (RBUF), moves it through DRAM into the next element of the port's partition of
; the transmit buffer (TBUF), and validates the element. The pieces of a port
; come and go in order, so frames of any length pass. The media interface is set
; up before the program starts: elements of 64 bytes, a partition of 32 elements
; for each of four ports, all channels enabled.
;
; Local memory: word n counts the elements that port n has been given.

; Status word 0 of a piece: 30:24 element, 23:16 bytes, 15 start, 14 end, 4:0
; port. Control word 0 of an element: 31:24 bytes, 9 start, 8 end, 4:0 port.

.reg element            ; element << 11, as in an indirect reference
.reg buffer             ; DRAM address that the piece passes
.reg port count index temp
.reg freelist_word      ; fast_wr word that enqueues this context
.reg element_mask buffer_base done_register control_base zero
.reg read $status $checksum
.xfer_order $status $checksum
.reg read $sequence
.reg write $control0 $control1
.xfer_order $control0 $control1
.sig received moved filled sequenced validated

start#:
    br=ctx[0, only#]
    ctx_arb[kill]
only#:
    ; The freelist word's data is signal 15:12, engine 9:7, context 6:4, first
    ; transfer register 3:0; ACTIVE_CTX_STS has the engine in 7:3.
    local_csr_rd[ACTIVE_CTX_STS]
    immed[temp, 0]
    alu[index, temp, AND, 0x1f]
    alu_shf[freelist_word, --, B, index, <<4]
    alu_shf[index, 0x1, AND, temp, >>7]
    alu_shf[freelist_word, freelist_word, OR, index, <<9]
    immed[index, (&received << 12) | &$status]
    alu[freelist_word, freelist_word, OR, index]
    alu_shf[freelist_word, --, B, freelist_word, <<16]
    alu[freelist_word, freelist_word, OR, IXP_RX_THREAD_FREELIST]
    immed[zero, 0]
    immed[buffer, 0x1000]
    immed[element_mask, 0xf800]
    immed_w1[element_mask, 0x3]
    ; Both buffers lie at this address; bit 4 of the base: an element.
    immed[buffer_base, (((IXP_MSF_BUFFER_DATA << 5) & 0xffff) | 0x10)]
    immed_w1[buffer_base, (IXP_MSF_BUFFER_DATA >> 11)]
    immed[done_register, IXP_RBUF_ELEMENT_DONE]
    immed[control_base, IXP_TBUF_ELEMENT_CONTROL]
    immed[$control1, 0]
    immed[temp, 16]
clear#:
    alu[temp, temp, -, 4]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    nop
    nop
    nop
    alu[*l$index0, --, B, 0]
    alu[--, --, B, temp]
    bne[clear#]

next#:
    msf[fast_wr, --, freelist_word, 0]
    ctx_arb[received]
    alu_shf[element, element_mask, AND, $status, >>13]
    alu[--, buffer_base, OR, element]
    dram[rbuf_rd, --, buffer, 0, max_8], indirect_ref, sig_done[moved]
    alu[port, 0x1f, AND, $status]
    alu_shf[temp, --, B, port, <<2]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    ctx_arb[moved]
    alu_shf[temp, done_register, OR, element, <<5] ; element << 16 | register
    msf[fast_wr, --, temp, 0]

    ; TX_SEQUENCE counts the elements that the port has sent, modulo 256.
full#:
    alu_shf[temp, --, B, port, <<2]
    msf[read, $sequence, temp, IXP_TX_SEQUENCE, 1], ctx_swap[sequenced]
    alu[count, --, B, *l$index0]
    alu[temp, count, -, $sequence]
    alu[temp, temp, AND, 0xff]
    alu[--, 31, -, temp]
    blo[full#]
    alu[*l$index0, count, +, 1]
    alu[index, count, AND, 31]
    alu_shf[index, index, OR, port, <<5]
    alu_shf[--, buffer_base, OR, index, <<11]
    dram[tbuf_wr, --, buffer, 0, max_8], indirect_ref, sig_done[filled]
    alu_shf[temp, 0xff, AND, $status, >>16]
    alu_shf[count, port, OR, temp, <<24]
    alu_shf[temp, 0x3, AND, $status, >>14]  ; start << 1 | end
    alu_shf[$control0, count, OR, temp, <<8]
    alu_shf[temp, --, B, index, <<3]
    alu[temp, temp, +, control_base]
    ctx_arb[filled]
    msf[write, $control0, temp, 0, 2], ctx_swap[validated]
    br[next#]
