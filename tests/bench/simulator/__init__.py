"""Benchmarks of the simulator: its speed, and its memories on their own."""
