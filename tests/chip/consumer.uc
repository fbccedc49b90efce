; consumer.uc - takes buffers from a ring, sums what they hold, gives them on.
;
; RUN: ixp-as %s -o %t
;
; One context: get a buffer's longword address from ring 0, add the buffer's
; second word to the sum in scratch word 0x2000, enqueue the buffer to queue 2 of
; SRAM channel 0. It polls for ever.

#define QUEUE   0x02000000
#define RING    0
#define SUM     0x2000

.reg queue buffer address sum sum_address zero
.reg read $buffer $value
.reg write $sum
.sig got loaded stored

start#:
    immed[queue, 0]
    immed_w1[queue, (QUEUE >> 16)]
    immed[zero, 0]
    immed[sum, 0]
    immed[sum_address, SUM]
next#:
    scratch[get, $buffer, zero, RING, 1], ctx_swap[got]
    alu[buffer, --, B, $buffer]
    beq[next#]
    alu_shf[address, --, B, buffer, <<2]
    sram[read, $value, address, 4, 1], ctx_swap[loaded]
    alu[sum, sum, +, $value]
    alu[$sum, --, B, sum]
    scratch[write, $sum, sum_address, 0, 1], ctx_swap[stored]
    sram[enqueue, --, queue, buffer]
    br[next#]
