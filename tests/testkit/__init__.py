"""What the Python tests and benchmarks share: where things lie, how tools are
run, which applications and levels there are, and captures to feed them."""
