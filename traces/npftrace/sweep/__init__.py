"""Sweeps: programs compiled and simulated at every point of a grid.

A point is traffic, an image and a run. Each is a *step*: one call of a tool with
named inputs, whose outputs are kept by the content of what went in. So a second
sweep does only what is new, an interrupted one goes on where it was, and where
a step runs makes no difference to what comes out.
"""
