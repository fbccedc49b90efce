"""Frame sizes as a command line gives them."""

import argparse
from dataclasses import dataclass

import numpy as np

from npftrace.draws import Numbers
from npftrace.frames.wire import CRC_BYTES, FRAME_BYTES_MAX, FRAME_BYTES_MIN

#: The simple mix 7:4:1 of FD.io and others, sizes with CRC.
IMIX = "64:7,594:4,1518:1"


@dataclass(frozen=True)
class Sizes:
    """Frame sizes with CRC, and the weight of each."""

    sizes: tuple[int, ...]
    weights: tuple[float, ...]

    def draw(self, rng: np.random.Generator, count: int) -> Numbers:
        """`count` random lengths without CRC."""
        if len(self.sizes) == 1:
            return np.full(count, self.sizes[0] - CRC_BYTES, dtype=np.int64)
        chances = np.array(self.weights) / sum(self.weights)
        return rng.choice(np.array(self.sizes) - CRC_BYTES, size=count, p=chances)


def sizes(text: str) -> Sizes:
    """An argument type: `64`, `64,512,1518`, `64:7,594:4,1518:1`, `64-1518` or
    `imix`."""
    low, high = FRAME_BYTES_MIN + CRC_BYTES, FRAME_BYTES_MAX + CRC_BYTES
    found, weights = _parse(IMIX if text == "imix" else text)
    if not found or not all(low <= size <= high for size in found):
        message = f"sizes are {low} to {high} bytes with CRC"
        raise argparse.ArgumentTypeError(message)
    if min(weights) <= 0:
        raise argparse.ArgumentTypeError("weights are above 0")
    return Sizes(tuple(found), tuple(weights))


def _parse(text: str) -> tuple[list[int], list[float]]:
    try:
        first, dash, last = text.partition("-")
        if dash:
            found = list(range(int(first), int(last) + 1))
            return found, [1.0] * len(found)
        parts = [part.partition(":") for part in text.split(",")]
        weights = [float(weight or 1) for _, _, weight in parts]
        return [int(size) for size, _, _ in parts], weights
    except ValueError:
        message = f"'{text}' is not a size, a list, a range or imix"
        raise argparse.ArgumentTypeError(message) from None
