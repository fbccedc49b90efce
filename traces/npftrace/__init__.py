"""Traces, tables and results of network processor benchmarks.

`npftrace make` writes a trace with the tables that it is for, `npftrace check`
compares what a program sent with an oracle written from the RFCs. The package
shares no code with the compiler or the simulator, so that it can tell when
they are wrong.
"""
