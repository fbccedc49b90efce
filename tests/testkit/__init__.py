"""Shared by Python tests and benchmarks: paths, tools, applications and levels,
and captures."""
