"""This computer's processor."""

from __future__ import annotations

from pathlib import Path


def processor() -> str:
    """The name of this computer's processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return "unknown"
