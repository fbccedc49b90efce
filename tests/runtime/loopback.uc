;===- loopback.uc - the least program between Rx and Tx -------------------===;
;
; Takes each packet from ring 0, sends it to the neighbour of the port that it
; came from (0 and 1, 2 and 3), and puts it on ring 1. Eight contexts of one
; engine; baton G orders the gets, baton P the puts, so packets stay in order.
;
;===-----------------------------------------------------------------------===;

#define RX_RING 0                       ; scratch ring 0, as an address
#define TX_RING 4                       ; scratch ring 1
#define PORTS   8                       ; descriptor word 2

.reg buffer address port zero
.reg read $message $ports
.reg write $forward $new_ports
.sig got fetched written put_done baton_g baton_p

start#:
    immed[zero, 0]
    br!=ctx[0, join#]
    local_csr_wr[SAME_ME_SIGNAL, (&baton_g << 3)]
    local_csr_wr[SAME_ME_SIGNAL, (&baton_p << 3)]
join#:
    ctx_arb[baton_g]
get#:
    scratch[get, $message, zero, RX_RING, 1], sig_done[got]
    ctx_arb[got], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_g << 3))]
    alu[buffer, --, B, $message]
    beq[empty#]
    alu_shf[address, --, B, buffer, <<2]
    sram[read, $ports, address, PORTS, 1], ctx_swap[fetched]
    alu_shf[port, --, B, $ports, >>24]
    alu[port, port, XOR, 1]
    alu_shf[$new_ports, $ports, OR, port, <<16]
    sram[write, $new_ports, address, PORTS, 1], sig_done[written]
    alu[$forward, --, B, buffer]
    ctx_arb[written, baton_p]
put#:
    br_inp_state[scr_ring1_status, full#]
    scratch[put, $forward, zero, TX_RING, 1], sig_done[put_done]
    ctx_arb[put_done, baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_p << 3))]
full#:
    ctx_arb[voluntary], br[put#]
empty#:
    ctx_arb[baton_p]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, (0x80 | (&baton_p << 3))]
