; Transmit: from packet buffers to the MSF.
;
; One microengine sends the packets whose messages are on scratch ring 1. It
; moves their bytes from DRAM into the transmit buffer, tells the MSF to send
; them, returns the buffer to the free list and counts the packet.
;
; The transmit buffer has a partition of 32 elements of 64 bytes for each port.
; The MSF sends a partition's elements strictly in order, each as soon as it is
; valid. So the order on a port is fixed when elements are reserved, and the
; eight contexts may fill and validate theirs in any order. Two batons
; circulate:
;
;   baton G  take messages from the ring in turn;
;   baton E  reserve elements in the same order, and wait for space if necessary
;            (TX_SEQUENCE counts the elements sent).
;
;   G: get, pass G -> E: reserve, pass E -> fill elements
;       ^                                        |
;       +-- wait for G <- free the buffer, <- validate
;                         count
;
; A message is port << 24 | handle and head << 16 | length. If the second word
; is 0, the packet's descriptor is read instead.
;
; A packet for a port that is not there, 4 to 255, is dropped and counted.
;
; No baton is needed to finish a packet, so a context that waits while it holds
; a baton delays later packets only.
;
; A packet starts at any byte of its buffer. Moves are of whole quadwords, so
; the first element's payload starts at offset head & 7, and the elements hold
; the buffer's bytes from head & ~7 on, 64 each.
;
; While the ring is empty only the context that holds baton G polls it, so that
; an idle transmitter puts little load on scratch.
;
; Cost: 44 instructions and 3 swaps for a packet of one element, 16 and 2 for
; each further element.
;
; Local memory: words 0..31 hold the state of ports 0..3, eight words each:
;   0  elements reserved so far (the low bits are the next element)
;   1  TX_SEQUENCE when it was last read
; Word 32 is 1 if the last poll found the ring empty.

; Addresses (target-ixp/chip/RuntimeConstants.def).
#define TX_RING      IXP_TX_RING        ; scratch ring 1, as the get's address
#define TX_COUNTERS  IXP_TX_PACKETS     ; +0 packets, +8 packets without bytes
                                        ; or too long for a partition
#define TX_SEQUENCE  IXP_TX_SEQUENCE    ; + 4 * partition
#define TBUF_CONTROL IXP_TBUF_ELEMENT_CONTROL ; + 8 * element

; Control word 0 of an element: 31:24 bytes, 15:13 payload offset, 9 start,
; 8 end, 4:0 port. Control word 1 is 0.
#define START_AND_END 0x300
#define START         0x200
#define END           0x100

; --- Registers of a context -------------------------------------------------
.reg buffer             ; handle
.reg port offset length ; offset: head & 7
.reg span               ; bytes from head & ~7 to the end
.reg from_address       ; DRAM address of the next element's bytes
.reg need               ; elements still to fill
.reg element            ; sequence number of the element in its partition
.reg index              ; element of the transmit buffer
.reg control            ; address of the element's control words
.reg space temp
.reg tbuf_base control_base counters zero

.reg read $message $head $ports $sequence
.xfer_order $message $head $ports $sequence
.reg write $control0 $control1
.xfer_order $control0 $control1

.sig got described baton_g baton_e filled sequenced validated

; === Start ==================================================================

start#:
    immed[zero, 0]
    ; Bit 4 of the base: an element.
    immed[tbuf_base, (((IXP_MSF_BUFFER_DATA << 5) & 0xffff) | 0x10)]
    immed_w1[tbuf_base, (IXP_MSF_BUFFER_DATA >> 11)] ; address << 5
    immed[control_base, TBUF_CONTROL]
    immed[counters, TX_COUNTERS]
    immed[$control1, 0]
    immed[temp, 128]                        ; LM_ADDR_1: the idle flag
    local_csr_wr[ACTIVE_LM_ADDR_1, temp]
    br!=ctx[0, join#]
    ; Context 0 clears the shared state and gives both batons to itself.
    immed[temp, 0]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    nop
    nop
    nop
    alu[*l$index1, --, B, 0]
    immed[temp, 32]
clear#:
    alu[temp, temp, -, 1]
    bne[clear#], defer[1]
    alu[*l$index0++, --, B, 0]
    local_csr_wr[SAME_ME_SIGNAL, &baton_g << 3]
    local_csr_wr[SAME_ME_SIGNAL, &baton_e << 3]
join#:
    ctx_arb[baton_g]

; === Baton G: a message =====================================================

get#:
    alu[--, --, B, *l$index1]
    bne[idle#]
    scratch[get, $message, zero, TX_RING, 2], sig_done[got]
    ctx_arb[got], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_g << 3)]
    ld_field_w_clr[buffer, 0111, $message], load_cc
    beq[empty#]
taken#:
    alu[--, --, B, $head]
    beq[describe#]
    ctx_arb[baton_e], defer[1]
    alu_shf[port, --, B, $message, >>24]

; === Baton E: elements of the port's partition ==============================

elements#:
    alu_shf[--, --, B, port, >>2]
    bne[no_port#]
    ld_field_w_clr[length, 0011, $head], load_cc
    beq[refuse#]
    alu_shf[temp, --, B, port, <<5]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    alu_shf[temp, --, B, $head, >>16]
    alu[offset, temp, AND, 7]
    alu[span, offset, +, length]
    alu_shf[from_address, --, B, buffer, <<7]
    alu[from_address, from_address, +, temp]
    alu[from_address, from_address, AND~, 7]
    alu[need, span, +, 63]
    alu_shf[need, --, B, need, >>6]
reserve#:
    ; space = 32 - (reserved - sent), modulo 256 like TX_SEQUENCE
    alu[element, --, B, *l$index0[0]]
    alu[temp, element, -, *l$index0[1]]
    alu[temp, temp, AND, 0xff]
    alu[space, 32, -, temp]
    alu[--, space, -, need]
    blo[full#]
    alu[*l$index0[0], element, +, need]
    ; index = port * 32 + element modulo 32
    alu[index, element, AND, 31]
    alu_shf[index, index, OR, port, <<5]
    alu_shf[--, tbuf_base, OR, index, <<11]
    dram[tbuf_wr, --, from_address, 0, max_8], indirect_ref, sig_done[filled]
    alu_shf[control, control_base, OR, index, <<3]
    alu[--, need, -, 1]
    bne[several#]

; --- The packet fits into one element ---------------------------------------
    alu_shf[temp, port, OR, length, <<24]
    alu_shf[temp, temp, OR, offset, <<13]
    immed[space, START_AND_END]
    alu[$control0, temp, OR, space]
    ctx_arb[filled], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

; --- Send, free, count; then the next message, with baton G -----------------
sent#:
    msf[write, $control0, control, 0, 2], sig_done[validated]
    ctx_arb[validated, baton_g], defer[2], br[get#]
    sram[enqueue, --, buffer, IXP_FREE_LIST]
    scratch[incr, --, counters, 0]

; --- No message: pass baton E in order, and return with baton G ---------------
empty#:
    alu[*l$index1, --, B, 1]
    ctx_arb[baton_e]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

idle#:
    scratch[get, $message, zero, TX_RING, 2], ctx_swap[got]
    ld_field_w_clr[buffer, 0111, $message], load_cc
    beq[idle#]
    alu[*l$index1, --, B, 0]
    br[taken#], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_g << 3)]

; --- The message has only a handle: read the descriptor -----------------------
describe#:
    alu_shf[temp, --, B, buffer, <<2]
    sram[read, $head, temp, 4, 2], sig_done[described]
    ctx_arb[described, baton_e]
    br[elements#], defer[1]
    alu_shf[port, 0xff, AND, $ports, >>16]

; --- No space: read how many elements have been sent --------------------------
full#:
    alu[--, 32, -, need]
    blo[refuse#]                            ; can never fit
    alu_shf[temp, --, B, port, <<2]
    msf[read, $sequence, temp, TX_SEQUENCE, 1], ctx_swap[sequenced]
    br[reserve#], defer[1]
    alu[*l$index0[1], 0xff, AND, $sequence]

; --- A packet with no bytes or too many: free its buffer, count it separately
refuse#:
    scratch[incr, --, counters, 8]
    sram[enqueue, --, buffer, IXP_FREE_LIST]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

; --- A packet for a port that is not there ------------------------------------
no_port#:
    immed[temp, IXP_DROPS_NO_PORT]
    scratch[incr, --, temp, 0]
    sram[enqueue, --, buffer, IXP_FREE_LIST]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

; === A packet of several elements ===========================================
; The first element's move has begun. Each iteration waits for a move, begins
; the next one, and validates the element that the first move filled.

several#:
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]
    alu[space, 64, -, offset]               ; payload bytes of this element
    alu_shf[temp, --, B, offset, <<13]
    alu_shf[temp, temp, OR, 0x2, <<8]       ; START
    alu[temp, temp, OR, port]
    alu_shf[$control0, temp, OR, space, <<24]
    alu[length, length, -, space]           ; bytes that remain after it

element_done#:
    ctx_arb[filled]
    msf[write, $control0, control, 0, 2], sig_done[validated]
    alu[need, need, -, 1]
    alu[element, element, +, 1]
    alu[index, element, AND, 31]
    alu_shf[index, index, OR, port, <<5]
    alu[from_address, from_address, +, 64]
    alu_shf[--, tbuf_base, OR, index, <<11]
    dram[tbuf_wr, --, from_address, 0, max_8], indirect_ref, sig_done[filled]
    ctx_arb[validated]
    alu_shf[control, control_base, OR, index, <<3]
    alu[--, need, -, 1]
    beq[last_element#]
    immed[temp, 0x4000, <<16]               ; 64 bytes
    br[element_done#], defer[2]
    alu[$control0, temp, OR, port]
    alu[length, length, -, 64]

last_element#:
    alu_shf[temp, port, OR, length, <<24]
    alu_shf[$control0, temp, OR, 0x1, <<8]  ; END
    ctx_arb[filled], br[sent#]
