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
; With ORDER messages have tickets (target-ixp/chip/Order.h), and baton E goes with
; the next number: a context that holds it and has a later number stores its
; message at the number's place in local memory, and takes the message that waits
; at the next number's place, if one does. So each turn of baton E takes one
; message in and sends at most one. What waits after the next number then leaves
; in turns in which the ring is empty, or instead of what comes later. A message
; without a ticket is sent at once.
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
; Cost: 49 instructions and 4 swaps for a packet of one element, 17 and 2 for
; each further element; with ORDER 58 in order, and 19 more for a packet that
; waited (target-ixp/microcode/RuntimeCost.h).
;
; Local memory: from PORT_STATES on eight words for each of ports 0..3:
;   0  elements reserved so far (the low bits are the next element)
;   1  TX_SEQUENCE when it was last read
; From SHARED on:
;   0  1 if the last poll found the ring empty
;   1  the place of the next number, as a byte address
; With ORDER words 0..511 are the places of the numbers, two words each: port << 24
; | handle, 0 = none; and head << 16 | length.

; Addresses (target-ixp/chip/RuntimeConstants.def).
#define TX_RING      IXP_TX_RING        ; scratch ring 1, as the get's address
#define TX_COUNTERS  IXP_TX_PACKETS     ; +0 packets, +8 packets without bytes
                                        ; or too long for a partition
#define TX_SEQUENCE  IXP_TX_SEQUENCE    ; + 4 * partition
#define TBUF_CONTROL IXP_TBUF_ELEMENT_CONTROL ; + 8 * element

#ifdef ORDER
#define PORT_STATES (512 << 2)
#else
#define PORT_STATES 0
#endif
#define SHARED (PORT_STATES + 128)

; Control word 0 of an element: 31:24 bytes, 15:13 payload offset, 9 start,
; 8 end, 4:0 port. Control word 1 is 0.
#define START_AND_END 0x300
#define START         0x200
#define END           0x100

; --- Registers of a context -------------------------------------------------
.reg buffer             ; handle
.reg place              ; head << 16 | length
.reg port offset length ; offset: head & 7
.reg span               ; bytes from head & ~7 to the end
.reg from_address       ; DRAM address of the next element's bytes
.reg need               ; elements still to fill
.reg element            ; sequence number of the element in its partition
.reg index              ; element of the transmit buffer
.reg control            ; address of the element's control words
.reg space temp
.reg tbuf_base control_base port_states counters zero
#ifdef ORDER
.reg slot               ; the place of a number in local memory
.reg ticket_mask slot_mask wrap_mask not_packet
#endif

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
    immed[port_states, PORT_STATES]
#ifdef ORDER
    immed[ticket_mask, (IXP_TICKET_MASK & 0xffff)]
    immed_w1[ticket_mask, (IXP_TICKET_MASK >> 16)]
    immed[slot_mask, 0x780]
    immed[wrap_mask, 0x7f8]
    immed[not_packet, (IXP_ORDER_CONTROL & 0xffff)]
    immed_w1[not_packet, (IXP_ORDER_CONTROL >> 16)]
#endif
    immed[temp, SHARED]                     ; LM_ADDR_1
    local_csr_wr[ACTIVE_LM_ADDR_1, temp]
    br!=ctx[0, join#]
    ; Context 0 clears the shared state and gives both batons to itself.
    immed[temp, 0]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    nop
    nop
    nop
    immed[temp, ((SHARED >> 2) + 2)]
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
#ifdef ORDER
    alu[place, $head, AND~, ticket_mask]
#else
    alu[place, --, B, $head]
#endif
    beq[describe#]
    ctx_arb[baton_e], defer[1]
    alu_shf[port, --, B, $message, >>24]

#ifdef ORDER
; === Baton E: whose turn is it? =============================================

    br_bclr[$head, 31, elements#]           ; no ticket
    alu_shf[slot, 0x78, AND, $head, >>9]    ; bits 3..0 of the number
    alu_shf[temp, slot_mask, AND, $head, >>20] ; bits 7..4
    alu[slot, slot, OR, temp]
in_turn#:
    alu[--, slot, XOR, *l$index1[1]]
    bne[early#]
turn#:
    alu[temp, slot, +, 8]
    alu[*l$index1[1], temp, AND, wrap_mask]
    br=byte[temp, 0, 0, block#]
#endif

; === Baton E: elements of the port's partition ==============================

elements#:
    alu_shf[--, --, B, port, >>2]
    bne[no_port#]
    ld_field_w_clr[length, 0011, place], load_cc
    beq[refuse#]
    alu_shf[temp, port_states, OR, port, <<5]
    local_csr_wr[ACTIVE_LM_ADDR_0, temp]
    alu_shf[temp, --, B, place, >>16]
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
#ifdef ORDER
    ctx_arb[baton_e], br[take#]
#else
    ctx_arb[baton_e]
#endif
next#:
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

idle#:
    scratch[get, $message, zero, TX_RING, 2], ctx_swap[got]
    ld_field_w_clr[buffer, 0111, $message], load_cc
#ifdef ORDER
    bne[busy#]
    alu[slot, --, B, *l$index1[1]]
    local_csr_wr[ACTIVE_LM_ADDR_0, slot]
    nop
    nop
    nop
    alu[--, --, B, *l$index0[0]]
    beq[idle#]
    ; The next number's message waits.
    ctx_arb[baton_e], defer[1], br[take#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_g << 3)]
busy#:
#else
    beq[idle#]
#endif
    alu[*l$index1, --, B, 0]
    br[taken#], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_g << 3)]

; --- The message has only a handle: read the descriptor -----------------------
describe#:
    alu_shf[temp, --, B, buffer, <<2]
    sram[read, $head, temp, 4, 2], sig_done[described]
    ctx_arb[described, baton_e]
#ifdef ORDER
    alu[place, --, B, $head]
    alu_shf[port, 0xff, AND, $ports, >>16]
    br_bclr[$ports, 11, elements#]          ; no ticket
    alu[temp, slot_mask, AND, $ports]
    br[in_turn#], defer[2]
    alu_shf[slot, 0x78, AND, $ports, >>9]
    alu[slot, slot, OR, temp]

; --- An earlier number is not here yet: store the message ---------------------
early#:
    local_csr_wr[ACTIVE_LM_ADDR_0, slot]
    alu_shf[temp, buffer, OR, port, <<24]
    nop
    nop
    alu[*l$index0[0], --, B, temp]
    alu[*l$index0[1], --, B, place]
; --- Take what waits at the next number's place, if anything does -------------
take#:
    alu[slot, --, B, *l$index1[1]]
    local_csr_wr[ACTIVE_LM_ADDR_0, slot]
    nop
    nop
    nop
    alu[element, --, B, *l$index0[0]]
    beq[next#]
    alu[place, --, B, *l$index0[1]]
    alu[*l$index0[0], --, B, 0]
    alu[*l$index1, --, B, 0]
    ld_field_w_clr[buffer, 0111, element]
    br[turn#], defer[1]
    alu_shf[port, --, B, element, >>24]

; --- A block of numbers has left ----------------------------------------------
block#:
    br[elements#], defer[1]
    scratch[incr, --, counters, (IXP_ORDER_RELEASED - TX_COUNTERS)]
#else
    alu[place, --, B, $head]
    br[elements#], defer[1]
    alu_shf[port, 0xff, AND, $ports, >>16]
#endif

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
#ifdef ORDER
    alu[--, place, XOR, not_packet]
    beq[control#]
#endif
    scratch[incr, --, counters, 8]
    sram[enqueue, --, buffer, IXP_FREE_LIST]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

; --- A packet for a port that is not there ------------------------------------
no_port#:
#ifdef ORDER
    alu[--, place, XOR, not_packet]
    beq[control#]
#endif
    immed[temp, IXP_DROPS_NO_PORT]
    scratch[incr, --, temp, 0]
    sram[enqueue, --, buffer, IXP_FREE_LIST]
    ctx_arb[baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]

#ifdef ORDER
; --- A number that was given up, or a message for the XScale core --------------
; The limits of its channel leave space in the core's ring.
control#:
    alu[--, buffer, -, IXP_ORDER_GIVEN_UP]
    beq[next#]
    alu_shf[$control0, buffer, OR, port, <<24]
    scratch[put, $control0, zero, (IXP_PUNT_RING << 2), 1], sig_done[validated]
    ctx_arb[validated, baton_g], defer[1], br[get#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_e << 3)]
#endif

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
