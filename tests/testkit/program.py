"""A program with what runs it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    name: str
    source: str
    #: The control file's text.
    control: str
    frames: tuple[bytes, ...]
