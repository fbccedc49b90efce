"""Traces, tables and results of network processor benchmarks.

`npftrace make` writes a trace with the tables that it is for. `npftrace check`
compares what a program sent with an oracle that is written from the RFCs. The
package shares no code and no generated table with the compiler or the
simulator, so that it can tell when they are wrong.

Folders, bottom-up. Each imports only from those before it:

    frames    capture files, what a port does to a frame, fields of a frame
    tables    control files, and the routes, rules and labels to put there
    oracle    what the applications must do with each packet
    make      traffic with its tables
    check     the packets of a run against the oracle
    runs      commands that run the compiler and the simulator once
    sweep     compilations and simulations at every point of a grid
    grade     what students hand in, by the rubric of a lab
"""
