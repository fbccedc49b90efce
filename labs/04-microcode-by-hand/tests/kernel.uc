; The loop around a kernel: one message of the receive ring a turn.
; A received frame begins at byte 128 of its buffer (docs/runtime.md), whose DRAM
; address is handle << 7.
;
; Messages are two words; what is sent bears a second word of 0: the transmitter
; reads port, head and length in the descriptor.
;
;   kernel_begin()   handle and base = the buffer's address, for each packet
;   kernel_send()    passes the packet on and takes the next

#define RX_RING IXP_RX_RING
#define TX_RING IXP_TX_RING

.reg handle base at128 at136 at144 zero
.reg read $message $place
.xfer_order $message $place
.reg write $send $descriptor
.xfer_order $send $descriptor
.sig done

#macro kernel_begin()
    immed[zero, 0]
    immed[at128, 128]
    immed[at136, 136]
    immed[at144, 144]
    immed[$descriptor, 0]
next#:
    scratch[get, $message, RX_RING, zero, 2], ctx_swap[done]
    ld_field_w_clr[handle, 0111, $message], load_cc
    beq[idle#], defer[1]
    alu_shf[base, --, B, handle, <<7]
#endm

#macro kernel_send()
    br_inp_state[scr_ring1_status, full#]
send#:
    scratch[put, $send, TX_RING, zero, 2], ctx_swap[done]
    br[next#]
idle#:
    ctx_arb[voluntary], br[next#]
full#:
    ctx_arb[voluntary], br[send#]
#endm
