; One iteration of the loop stands for a packet with ACCESSES reads, of
; DRAM or SRAM. With ONE_CONTEXT only context 0 runs.
.reg address
.sig done
.reg read $in0
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
start#:
#ifdef ONE_CONTEXT
    br!=ctx[0, stop#]
#endif
    immed[address, 0]
loop#:
#repeat ACCESSES
#ifdef DRAM
    dram[read, $$in0, address, 0, 1], sig_done[done]
    ctx_arb[done]
#else
    sram[read, $in0, address, 0, 1], ctx_swap[done]
#endif
#endloop
    br[loop#]
#ifdef ONE_CONTEXT
stop#:
    ctx_arb[kill]
#endif
