"""Reads and changes the manifest of compiled images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_manifest(image: Path) -> dict[str, Any]:
    """The section .manifest of the image, a 32-bit big-endian ELF file."""
    data = image.read_bytes()
    offset, size = _place(data)
    manifest: dict[str, Any] = json.loads(data[offset : offset + size])
    return manifest


def code_words(image: Path) -> int:
    """Control store words of all aggregates of the program."""
    return sum(a["words"] for a in read_manifest(image)["aggregates"])


def share_engines(image: bytes, engines: list[int]) -> bytes:
    """The image with these numbers of engines for its aggregates, of the same total;
    the code does not depend on them."""
    offset, size = _place(image)
    manifest = json.loads(image[offset : offset + size])
    numbers = [n for a in manifest["aggregates"] for n in a["engines"]]
    if len(numbers) != sum(engines):
        raise ValueError("an image has the engines that it was compiled for")
    first = min(numbers)
    runs: dict[int, dict[str, Any]] = {}
    for aggregate, count in zip(manifest["aggregates"], engines, strict=True):
        aggregate["engines"] = list(range(first, first + count))
        runs |= dict.fromkeys(aggregate["engines"], aggregate)
        first += count
    for engine in manifest["engines"]:
        if engine["role"] == "app":
            aggregate = runs.pop(engine["engine"])
            engine |= {"aggregate": aggregate["name"], "ucode": aggregate["ucode"]}
    text = json.dumps(manifest, separators=(",", ":")).encode()
    if len(text) > size:
        raise ValueError("the manifest has no room for the shares")
    return image[:offset] + text.ljust(size) + image[offset + size :]


def _place(data: bytes) -> tuple[int, int]:
    number = int.from_bytes

    def section(index: int) -> tuple[int, int, int]:
        at = number(data[32:36], "big") + index * number(data[46:48], "big")
        words = [number(data[at + 4 * i : at + 4 * i + 4], "big") for i in range(6)]
        return words[0], words[4], words[5]

    _, names, _ = section(number(data[50:52], "big"))
    for index in range(number(data[48:50], "big")):
        name, offset, size = section(index)
        if data[names + name :].startswith(b".manifest\0"):
            return offset, size
    raise ValueError("the image has no manifest")
