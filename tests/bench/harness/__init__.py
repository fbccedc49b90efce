"""Shared by the benchmarks: tools of a build, traffic, images, runs, tables and
plots."""
