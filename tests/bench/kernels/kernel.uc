; Frame of the hand-written kernels: one message of the receive ring a turn, by
; the protocol of compiled code (docs/runtime.md). A received frame begins at
; byte 128 of its buffer: DRAM address handle << 7. Head and length travel in
; the second word of the message; nobody reads the descriptor.
;
;   kernel_begin()   handle and base = the buffer's address, for each packet
;   kernel_read(first, offset, quads)   reads the frame, and meanwhile fills the
;                    message that passes the packet on
;   kernel_put(wait, slots)   goes to wait if the ring has space, after as many
;                    delay slots. There the kernel waits for its last write and
;                    goes on to kernel_begin, which puts the message
;   kernel_end(wait) what is rare: the ring is full, or there is no message
;   table_address(r) r = address of the kernel's table in SRAM
;
; The frame costs ten instructions, and two more where the packet is written.

#define RX_RING IXP_RX_RING
#define TX_RING IXP_TX_RING

.reg handle base at128 at136 at144 zero now
.reg read $message $place
.xfer_order $message $place
.reg write $send $send_place
.xfer_order $send $send_place
.sig done moved wake

#macro table_address(r)
    immed[r, (TABLE & 0xffff)]
    immed_w1[r, (TABLE >> 16)]
#endm

#macro kernel_constants()
    immed[zero, 0]
    immed[at128, 128]
    immed[at136, 136]
    immed[at144, 144]
    local_csr_wr[ACTIVE_FUTURE_COUNT_SIGNAL, &wake]
    br[next#]
#endm

#macro kernel_begin()
    scratch[put, $send, TX_RING, zero, 2], ctx_swap[done]
next#:
    scratch[get, $message, RX_RING, zero, 2], ctx_swap[done]
    ld_field_w_clr[handle, 0111, $message], load_cc
    beq[idle#], defer[1]
    alu_shf[base, --, B, handle, <<7]
#endm

#macro kernel_read(first, offset, quads)
    dram[read, first, base, offset, quads], sig_done[moved]
    ctx_arb[moved], defer[2]
    alu[$send, --, B, handle]
    alu[$send_place, --, B, $place]
#endm

#macro kernel_put(wait, slots)
    br_!inp_state[scr_ring1_status, wait], defer[slots]
#endm

; A context without a message sleeps for 32 ticks of 16 cycles.
#macro kernel_end(wait)
full#:
    ctx_arb[voluntary]
    br_!inp_state[scr_ring1_status, wait]
    br[full#]
idle#:
    local_csr_rd[TIMESTAMP_LOW]
    immed[now, 0]
    alu[now, now, +, 32]
    local_csr_wr[ACTIVE_CTX_FUTURE_COUNT, now]
    ctx_arb[wake], br[next#]
#endm
