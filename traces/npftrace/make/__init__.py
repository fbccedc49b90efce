"""Traffic with its tables: one module for each kind.

Each module has `add_arguments`, which declares its options, and `run`, which
writes the trace, the control file and the answers. `registry` lists them.
"""
