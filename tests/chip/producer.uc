; producer.uc - takes buffers from a queue, fills them in, and hands them on.
;
; RUN: ixp-as %s -o %t
;
; Eight contexts of one engine: dequeue from queue 1 of SRAM channel 0, write
; context and number into the buffer, put its longword address on ring 0. A
; context stops when the queue is empty.

#define QUEUE 0x01000000
#define RING  0

.reg queue buffer address count zero
.reg read $buffer
.reg write $word $message
.sig taken written put_done

start#:
    immed[queue, 0]
    immed_w1[queue, (QUEUE >> 16)]
    immed[zero, 0]
    immed[count, 0]
next#:
    sram[dequeue, $buffer, queue, 0], ctx_swap[taken]
    alu[buffer, --, B, $buffer]
    beq[done#]
    alu_shf[address, --, B, buffer, <<2]
    alu[count, count, +, 1]
    alu[$word, --, B, count]
    sram[write, $word, address, 4, 1], ctx_swap[written]
    alu[$message, --, B, buffer]
full#:
    br_inp_state[scr_ring0_status, full#]
    scratch[put, $message, zero, RING, 1], ctx_swap[put_done]
    br[next#]
done#:
    ctx_arb[kill]
