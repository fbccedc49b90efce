; The smallest program between Rx and Tx.
;
; RUN: ixp-as %s -o %t
; RUN: ixp-as -D DESCRIBED %s -o %t
; RUN: ixp-as -D TOUCH %s --listing -o %t 2>&1 | FileCheck %s
; CHECK: words of 4096
;
; Takes each packet from ring 0, sends it to the neighbour of the port that it
; came from (0 and 1, 2 and 3), and puts it on ring 1. Eight contexts of one
; engine; baton G orders the gets, baton P the puts, so packets stay in order.
; The messages contain the port, head and length of the packet; with DESCRIBED, Tx
; must read them from the descriptor. With TOUCH the program also reads and writes
; back the first 32 bytes of each packet, as a program that changes headers does.

#define RX_RING 0                       ; scratch ring 0, as an address
#define TX_RING 4                       ; scratch ring 1
#define PORTS   8                       ; descriptor word 2

.reg buffer port zero
.reg read $message $head
.xfer_order $message $head
.reg write $forward $new_head
.xfer_order $forward $new_head
#ifdef DESCRIBED
.reg address
.reg write $new_ports
#endif
#ifdef TOUCH
.reg packet_address
.reg read $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.xfer_order $$in0 $$in1 $$in2 $$in3 $$in4 $$in5 $$in6 $$in7
.reg write $$out0 $$out1 $$out2 $$out3 $$out4 $$out5 $$out6 $$out7
.xfer_order $$out0 $$out1 $$out2 $$out3 $$out4 $$out5 $$out6 $$out7
.sig loaded stored
#endif
.sig got written put_done baton_g baton_p

start#:
    immed[zero, 0]
    br!=ctx[0, join#]
    local_csr_wr[SAME_ME_SIGNAL, (&baton_g << 3)]
    local_csr_wr[SAME_ME_SIGNAL, (&baton_p << 3)]
join#:
    ctx_arb[baton_g]
get#:
    scratch[get, $message, zero, RX_RING, 2], sig_done[got]
    ctx_arb[got], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_g << 3))]
    ld_field_w_clr[buffer, 0111, $message], load_cc
    beq[empty#]
    alu_shf[port, --, B, $message, >>24]
    alu[port, port, XOR, 1]
#ifdef DESCRIBED
    alu_shf[address, --, B, buffer, <<2]
    alu_shf[$new_ports, --, B, port, <<16]
    sram[write, $new_ports, address, PORTS, 1], sig_done[written]
    alu[$forward, --, B, buffer]
    alu[$new_head, --, B, 0]
#else
    alu_shf[$forward, buffer, OR, port, <<24]
    alu[$new_head, --, B, $head]
#endif
#ifdef TOUCH
    alu_shf[packet_address, --, B, buffer, <<7]
    alu[packet_address, packet_address, +, 127]
    dram[read, $$in0, packet_address, 1, 4], sig_done[loaded]
    ctx_arb[loaded]
    alu[$$out0, --, B, $$in0]
    alu[$$out1, --, B, $$in1]
    alu[$$out2, --, B, $$in2]
    alu[$$out3, --, B, $$in3]
    alu[$$out4, --, B, $$in4]
    alu[$$out5, --, B, $$in5]
    alu[$$out6, --, B, $$in6]
    alu[$$out7, --, B, $$in7]
    dram[write, $$out0, packet_address, 1, 4], sig_done[stored]
    ctx_arb[stored]
#endif
#ifdef DESCRIBED
    ctx_arb[written]
#endif
    ctx_arb[baton_p]
put#:
    br_inp_state[scr_ring1_status, full#]
    scratch[put, $forward, zero, TX_RING, 2], sig_done[put_done]
    ctx_arb[put_done, baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_p << 3))]
full#:
    ctx_arb[voluntary], br[put#]
empty#:
    ctx_arb[baton_p]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_p << 3))]
