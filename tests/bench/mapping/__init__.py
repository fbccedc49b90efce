"""The compiler's mapping of PPFs to engines, and its throughput model, against
simulation."""
