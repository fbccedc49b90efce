"""Generators: one module a kind of traffic, each with `add_arguments`, which
declares its options, and `run`, which writes the files. `kinds` lists them."""
