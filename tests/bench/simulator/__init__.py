"""Benchmarks of the simulator: its speed, and its memories alone."""
