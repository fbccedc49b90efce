; Receive: from the MSF to packet buffers.
;
; One microengine turns received frames into packets of the program: payload in
; a DRAM buffer; head, length, port and number in the buffer's SRAM descriptor;
; and a message on scratch ring 0. Messages are in the order in which frames
; ended on the wire. Their words are port << 24 | handle and head << 16 |
; length, so that a program need not read the descriptor.
;
; The MSF hands over frames in pieces of up to 64 bytes (mpackets), each in an
; element of the receive buffer, each to the context that has waited longest. So
; eight contexts that enqueue themselves in turn get the mpackets in turn, and
; order needs no lock, only two batons that circulate among the contexts:
;
;   baton A  examine mpackets in the order of arrival: choose buffer and offset,
;            for frames of several mpackets from the port's state;
;   baton B  finish them in the same order: put the handle on the ring, free the
;            element, enqueue the context for the next mpacket.
;
; Between A and B the mpacket moves from the receive buffer to DRAM. A context
; takes B after its own move is done, and its predecessors have held B before
; it, so a frame on the ring is complete in memory.
;
;   wait for mpacket, A -> decide, start move, pass A -> wait for move, B
;        ^                                                           |
;        +--- enqueue context, take next buffer, pass B <- finish ---+
;
; Every context keeps one free buffer ahead, so that a frame's first mpacket
; does not wait for the free list. If the free list is empty or the ring is
; full, the context waits and keeps its baton, all others wait for it, and the
; MSF stops the ports, so that no frame is lost here.
;
; A frame with a receive error, or longer than FRAME_BYTES_MAX, does not become
; a packet: its buffer is freed and the frame is counted.
;
; Metadata words 4.. of the descriptor are set to zero, METADATA_WORDS of them:
; 12 unless the program is known to use fewer.
;
; With ORDER each packet has a ticket, by which Tx keeps the order of packets
; (target-ixp/chip/Order.h): in the second word of its message, and packed in
; word 2 of its descriptor. The numbers of a block of 32 are given out when Tx has
; released the block OrderBlocks before.
;
; Cost: 30 instructions and one dead cycle for a frame of one mpacket (with ORDER
; 41), 27 and 7 for the middle of a longer one. So an engine of 600 MHz could take 17 M
; mpackets per second; four ports of 1 Gbit/s receive at most 7.8 M. If all
; metadata words are cleared, the SRAM channel's write port limits this to 11.9
; M frames per second.
;
; Local memory: words 0..31 hold the state of ports 0..3, eight words each:
;   0  handle of the frame's buffer, 0 = none (nothing begun, or discarding)
;   1  bytes received so far
; Word 32 is the number of the next packet.

#ifndef METADATA_WORDS
#define METADATA_WORDS IXP_METADATA_WORDS
#endif
#define FRAME_BYTES_MAX IXP_FRAME_BYTES_MAX

; Addresses (target-ixp/chip/RuntimeConstants.def).
#define RX_RING         IXP_RX_RING     ; scratch ring 0, as the put's address
#define RX_COUNTERS     IXP_RX_PACKETS  ; the first of the counters
#define FREE_LIST       IXP_FREE_LIST   ; queue array: channel 0, entry 0
#define HEADROOM        IXP_HEADROOM    ; offset of the frame in its buffer
#define RBUF_DONE       IXP_RBUF_ELEMENT_DONE   ; MSF registers, for fast_wr
#define THREAD_FREELIST IXP_RX_THREAD_FREELIST

; Status word 0 of an mpacket: 30:24 element, 23:16 bytes, 15 start, 14 end,
; 12:8 errors, 4:0 port.
#define START_BIT 15
#define END_BIT   14

; --- Registers of a context -------------------------------------------------
.reg free_buffer        ; handle of the buffer kept ahead
.reg buffer             ; handle of the current frame's buffer
.reg element            ; element << 11, as in an indirect reference
.reg to_address         ; DRAM address of the move
.reg offset length      ; offset and length of the mpacket in its frame
.reg descriptor         ; SRAM address
.reg done               ; temporary value
.reg freelist_word      ; fast_wr word that enqueues this context
.reg element_mask rbuf_base head_word headroom done_register counters
.reg longest write_count zero

; Transfer registers: what the MSF and the free list push ...
.reg read $status $checksum $handle
.xfer_order $status $checksum $handle
#ifdef ORDER
.reg ticket place low high number
.reg read $released
.sig asked
#endif
; ... and the words for the descriptor (words 1..15) and for the ring: $message
; and $word1.
.reg write $message
.reg write $word1 $word2 $word3 $word4 $word5 $word6 $word7 $word8 $word9
.reg write $word10 $word11 $word12 $word13 $word14 $word15
.xfer_order $message $word1 $word2 $word3 $word4 $word5 $word6 $word7 $word8 $word9 $word10 $word11 $word12 $word13 $word14 $word15

.sig received baton_a baton_b allocated moved written put_done

; === Start: constants, then the loop, in the order of the contexts ===========

start#:
    local_csr_rd[ACTIVE_CTX_STS]
    immed[done, 0]
    ; The freelist word's data is signal 15:12, engine 9:7, context 6:4, first
    ; transfer register 3:0; ACTIVE_CTX_STS has the engine in 7:3 (bit 7 the
    ; cluster, bits 6:5 unused) and the context in 2:0.
    alu[length, done, AND, 0x1f]
    alu_shf[freelist_word, --, B, length, <<4]
    alu_shf[length, 0x1, AND, done, >>7]
    alu_shf[freelist_word, freelist_word, OR, length, <<9]
    immed[length, (&received << 12) | &$status]
    alu[freelist_word, freelist_word, OR, length]
    alu_shf[freelist_word, --, B, freelist_word, <<16]
    alu[freelist_word, freelist_word, OR, THREAD_FREELIST]

    immed[zero, 0]
    immed[element_mask, 0xf800]             ; seven bits of element << 11
    immed_w1[element_mask, 0x3]
    ; Bit 4 of the base: an element.
    immed[rbuf_base, (((IXP_MSF_BUFFER_DATA << 5) & 0xffff) | 0x10)]
    immed_w1[rbuf_base, (IXP_MSF_BUFFER_DATA >> 11)] ; address << 5
    immed[head_word, HEADROOM, <<16]
    immed[headroom, HEADROOM]
    immed[done_register, RBUF_DONE]
    immed[counters, RX_COUNTERS]
    immed[longest, FRAME_BYTES_MAX]
    ; Words 1..3 and the metadata in one write; more than 8 words need an
    ; indirect count: bit 25, count - 1 in 24:21.
    immed[write_count, (0x200 | ((METADATA_WORDS + 2) << 5)), <<16]
    immed[$word4, 0]
    immed[$word5, 0]
    immed[$word6, 0]
    immed[$word7, 0]
    immed[$word8, 0]
    immed[$word9, 0]
    immed[$word10, 0]
    immed[$word11, 0]
    immed[$word12, 0]
    immed[$word13, 0]
    immed[$word14, 0]
    immed[$word15, 0]
    immed[done, 128]                        ; LM_ADDR_1: the packet number
    local_csr_wr[ACTIVE_LM_ADDR_1, done]

    br!=ctx[0, join#]
    ; Context 0 clears the shared state and gives both batons to itself.
    immed[done, 0]
    local_csr_wr[ACTIVE_LM_ADDR_0, done]
    nop
    nop
    nop
    alu[*l$index1, --, B, 0]
    immed[done, 32]
clear#:
    alu[done, done, -, 1]
    bne[clear#], defer[1]
    alu[*l$index0++, --, B, 0]
    local_csr_wr[SAME_ME_SIGNAL, &baton_a << 3]
    local_csr_wr[SAME_ME_SIGNAL, &baton_b << 3]
join#:
    ctx_arb[baton_b]
    ; In turn: enqueue for an mpacket, take a buffer, pass baton A.
    msf[fast_wr, --, freelist_word, 0]
    sram[dequeue, $handle, zero, FREE_LIST], sig_done[allocated]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_b << 3)]
    ctx_arb[received, baton_a, allocated]

; === Baton A: what is this mpacket? =========================================

arrived#:
    br!=byte[$status, 1, 0xc0, not_whole#]  ; start, end and no error?

; --- A whole frame in one mpacket -------------------------------------------
    alu[free_buffer, --, B, $handle]
    beq[no_buffer#]
whole#:
    alu_shf[element, element_mask, AND, $status, >>13]
    alu_shf[to_address, --, B, free_buffer, <<7]
    alu[--, rbuf_base, OR, element]
    dram[rbuf_rd, --, to_address, headroom, max_8], indirect_ref, sig_done[moved]
    alu_shf[length, 0xff, AND, $status, >>16]
    alu[buffer, --, B, free_buffer]
complete#:
    ; The frame is complete, so prepare its descriptor. The port is in
    ; $status[4:0]; bits 7:5 are 0.
#ifdef ORDER
    alu[number, --, B, *l$index1]
    alu[--, 31, AND, number]
    beq[block#]
numbered#:
    alu_shf[high, 0xf, AND, number, >>4]
    alu[high, high, OR, 0x10]               ; valid
    alu[low, 0xf, AND, number]
    alu_shf[low, --, B, low, <<12]
    alu_shf[ticket, low, OR, high, <<27]
    alu_shf[low, low, OR, high, <<7]        ; packed
    alu[place, head_word, OR, length]
    alu[$word1, --, B, place]
    alu_shf[done, --, B, $status, <<24]
    alu[$word2, done, OR, low]
#else
    alu[$word1, head_word, OR, length]
    alu_shf[done, --, B, $status, <<24]
    alu[$word2, --, B, done]
#endif
    alu[$word3, --, B, *l$index1]
    alu[*l$index1, *l$index1, +, 1]
    alu[$message, done, OR, buffer]
    alu_shf[descriptor, --, B, buffer, <<2]
    alu[--, --, B, write_count]
    sram[write, $word1, descriptor, 4, max_8], indirect_ref, sig_done[written]
    br_bclr[$status, START_BIT, finish_last#]
    ctx_arb[moved, written, baton_b], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]

; === Baton B after a whole frame ============================================

    br_inp_state[scr_ring0_status, ring_full#]
deliver#:
#ifdef ORDER
    alu[$word1, place, OR, ticket]
#endif
    scratch[put, $message, zero, RX_RING, 2], sig_done[put_done]
    scratch[incr, --, counters, 0]
    alu_shf[done, done_register, OR, element, <<5]  ; element << 16 | register
    msf[fast_wr, --, done, 0]
    msf[fast_wr, --, freelist_word, 0]
    ctx_arb[received, baton_a, allocated, put_done], defer[2], br[arrived#]
    sram[dequeue, $handle, zero, FREE_LIST], sig_done[allocated]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_b << 3)]

ring_full#:
    ctx_arb[voluntary]
    br_inp_state[scr_ring0_status, ring_full#]
    br[deliver#]

no_buffer#:
    ; The free list was empty. Poll it while this context keeps baton A.
    sram[dequeue, $handle, zero, FREE_LIST], ctx_swap[allocated]
    alu[free_buffer, --, B, $handle]
    beq[no_buffer#]
    br[whole#]

; === Frames of several mpackets =============================================

not_whole#:
    ; The port's state: LM_ADDR_0 = port * 32 bytes, usable three slots later.
    alu[length, 0x1f, AND, $status]
    alu_shf[length, --, B, length, <<5]
    local_csr_wr[ACTIVE_LM_ADDR_0, length]
    alu_shf[element, element_mask, AND, $status, >>13]
    alu_shf[length, 0xff, AND, $status, >>16]
    alu_shf[--, 0x1f, AND, $status, >>8]
    bne[bad#]
    br_bclr[$status, START_BIT, continued#]

; --- The first mpacket: from now on the frame has a buffer ------------------
first#:
    alu[free_buffer, --, B, $handle]
    beq[no_buffer_first#]
    alu[*l$index0[0], --, B, free_buffer]
    alu[*l$index0[1], --, B, length]
    alu_shf[to_address, --, B, free_buffer, <<7]
    alu[--, rbuf_base, OR, element]
    dram[rbuf_rd, --, to_address, headroom, max_8], indirect_ref, sig_done[moved]
    ctx_arb[moved, baton_b], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]
    ; Baton B: free the element, and take a new buffer to keep ahead.
    alu_shf[done, done_register, OR, element, <<5]
    msf[fast_wr, --, done, 0]
    msf[fast_wr, --, freelist_word, 0]
    ctx_arb[received, baton_a, allocated], defer[2], br[arrived#]
    sram[dequeue, $handle, zero, FREE_LIST], sig_done[allocated]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_b << 3)]

no_buffer_first#:
    sram[dequeue, $handle, zero, FREE_LIST], ctx_swap[allocated]
    br[first#]

; --- A middle or last mpacket -----------------------------------------------
continued#:
    alu[buffer, --, B, *l$index0[0]]
    beq[release#]                           ; the frame is being discarded
    alu[offset, headroom, +, *l$index0[1]]
    alu[length, length, +, *l$index0[1]]
    alu[--, longest, -, length]
    blo[oversize#]
    alu[*l$index0[1], --, B, length]
    alu_shf[to_address, --, B, buffer, <<7]
    alu[--, rbuf_base, OR, element]
    dram[rbuf_rd, --, to_address, offset, max_8], indirect_ref, sig_done[moved]
    br_bset[$status, END_BIT, last#]
    ctx_arb[moved, baton_b], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]

; --- Baton B without a packet: free the element, then loop again -------------
next#:
    alu_shf[done, done_register, OR, element, <<5]
    msf[fast_wr, --, done, 0]
    ctx_arb[received, baton_a], defer[2], br[arrived#]
    msf[fast_wr, --, freelist_word, 0]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_b << 3)]

last#:
    ; Continue as for a whole frame, but another context took its buffer, so
    ; this one keeps the buffer that it has ahead.
    br[complete#], defer[1]
    alu[*l$index0[0], --, B, 0]

finish_last#:
    ctx_arb[moved, written, baton_b], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]
last_ring#:
    br_inp_state[scr_ring0_status, last_ring_full#]
#ifdef ORDER
    alu[$word1, place, OR, ticket]
#endif
    scratch[put, $message, zero, RX_RING, 2], sig_done[put_done]
    scratch[incr, --, counters, 0]
    alu_shf[done, done_register, OR, element, <<5]
    msf[fast_wr, --, done, 0]
    ctx_arb[received, baton_a, put_done], defer[2], br[arrived#]
    msf[fast_wr, --, freelist_word, 0]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_b << 3)]

last_ring_full#:
    ctx_arb[voluntary], br[last_ring#]

#ifdef ORDER
; === The first number of a block: wait until Tx has released its places =====

block#:
    scratch[read, $released, counters, (IXP_ORDER_RELEASED - RX_COUNTERS), 1], ctx_swap[asked]
    alu_shf[done, --, B, number, >>5]
    alu[done, done, -, $released]
    alu[done, 0xff, AND, done]
    alu[--, done, -, IXP_ORDER_BLOCKS]
    blo[numbered#]
    br[block#]
#endif

; === Frames that do not become packets ======================================

bad#:
    ; A receive error ends the frame. The first mpacket has no buffer yet. For a
    ; later one, the state has the buffer, or 0 if the frame is discarded.
    br_bset[$status, START_BIT, bad_first#]
    alu[buffer, --, B, *l$index0[0]]
    beq[release#]
    br[discard#], defer[1]
    scratch[incr, --, counters, (IXP_RX_ERRORS - RX_COUNTERS)]

bad_first#:
    scratch[incr, --, counters, (IXP_RX_ERRORS - RX_COUNTERS)]
    alu[*l$index0[0], --, B, 0]
    ; fall through

release#:
    ; Only the element must be freed.
    ctx_arb[baton_b], defer[1], br[next#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]

oversize#:
    scratch[incr, --, counters, (IXP_RX_OVERSIZE - RX_COUNTERS)]
discard#:
    ; The rest of the frame finds no buffer and is discarded.
    ; The buffer is freed under baton B, when all moves into it are done.
    alu[*l$index0[0], --, B, 0]
    ctx_arb[baton_b], defer[1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton_a << 3)]
    br[next#], defer[1]
    sram[enqueue, --, buffer, FREE_LIST]
