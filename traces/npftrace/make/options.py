"""Options that kinds of traffic share: sizes and shares."""

import argparse
from dataclasses import dataclass

import numpy as np

from npftrace.make.frames import Numbers
from npftrace.wire import CRC_BYTES, FRAME_BYTES_MAX, FRAME_BYTES_MIN

# 7:4:1, the simple mix of FD.io and others, sizes with CRC.
IMIX = "64:7,594:4,1518:1"


def share(text: str) -> float:
    """A share of the packets, 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


class _Between:
    """An argument type: a whole number within bounds."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def __call__(self, text: str) -> int:
        value = int(text)
        if not self.low <= value <= self.high:
            raise argparse.ArgumentTypeError(
                f"{text} is not between {self.low} and {self.high}"
            )
        return value


def between(low: int, high: int) -> _Between:
    return _Between(low, high)


@dataclass(frozen=True)
class Sizes:
    """Frame sizes with CRC and how often each comes."""

    sizes: tuple[int, ...]
    weights: tuple[float, ...]

    def draw(self, rng: np.random.Generator, count: int) -> Numbers:
        """Lengths without CRC."""
        if len(self.sizes) == 1:
            return np.full(count, self.sizes[0] - CRC_BYTES, dtype=np.int64)
        chances = np.array(self.weights) / sum(self.weights)
        return rng.choice(np.array(self.sizes) - CRC_BYTES, size=count, p=chances)


def sizes(text: str) -> Sizes:
    """`64`, `64,512,1518`, `64:7,594:4,1518:1`, `64-1518` or `imix`."""
    low, high = FRAME_BYTES_MIN + CRC_BYTES, FRAME_BYTES_MAX + CRC_BYTES
    if text == "imix":
        text = IMIX
    first, dash, last = text.partition("-")
    if dash:
        found = list(range(int(first), int(last) + 1))
        weights = [1.0] * len(found)
    else:
        parts = [part.partition(":") for part in text.split(",")]
        found = [int(size) for size, _, _ in parts]
        weights = [float(weight or 1) for _, _, weight in parts]
    if not found or not all(low <= size <= high for size in found):
        raise argparse.ArgumentTypeError(f"sizes are {low} to {high} bytes with CRC")
    if min(weights) <= 0:
        raise argparse.ArgumentTypeError("weights are above 0")
    return Sizes(tuple(found), tuple(weights))
