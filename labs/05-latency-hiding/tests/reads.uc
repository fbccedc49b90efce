; One iteration of the loop stands for a packet with ACCESSES reads of MEMORY.
.reg address
.sig done
.reg read $in0
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
start#:
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
