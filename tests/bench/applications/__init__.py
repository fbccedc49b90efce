"""Benchmarks of the three applications."""
