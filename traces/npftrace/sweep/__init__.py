"""Sweeps: programs compiled and simulated at every point of a grid.

A point is traffic, an image and a run. Each is a *step*: one call of a tool with
named inputs. Its outputs are stored under a digest of its inputs. So a second
sweep runs only new steps, an interrupted sweep continues where it stopped, and
the results do not depend on the computer that runs a step.
"""
