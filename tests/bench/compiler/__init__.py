"""Benchmarks of the compiler: its speed, and the code that it generates."""
