"""What the benchmarks share: the tools of a build, traffic, images, runs, and
how results are printed and drawn."""
