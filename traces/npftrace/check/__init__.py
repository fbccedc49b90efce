"""Compares what a program sent with what the oracle expects."""
