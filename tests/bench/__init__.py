"""Benchmarks: `bench.py` runs them, `reproduce.py` writes the report on the
paper's evaluation, and `compare.py` compares two builds."""
