; Part 1: exchange the receiver and the sender of each frame.
;
; kernel.uc has the loop around your code: kernel_begin() takes a frame, whose
; first byte lies at DRAM address base + 128; kernel_send() sends it.
#include "kernel.uc"

    kernel_begin()
    ; Your code here. The frame's handle goes to the transmitter:
    alu[$send, --, B, handle]
    kernel_send()
