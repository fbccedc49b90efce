"""Frames: in capture files, on the wire, and as named fields."""
