"""Commands that compile a program or run an image in the simulator."""
