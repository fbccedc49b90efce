"""The counts of `prefix_counts.txt`: prefixes of real routing tables by length."""

from importlib.resources import files
from typing import NamedTuple


class PrefixCount(NamedTuple):
    """Of one length."""

    prefixes: int
    #: The different first bits of this length of the prefixes that are longer.
    nodes: int


def read_prefix_counts(family: str) -> dict[int, PrefixCount]:
    """Counts by length, 0 to the address's bits, of `ipv4` or `ipv6`."""
    text = files("npftrace.tables").joinpath("prefix_counts.txt").read_text()
    counts = {}
    for line in text.splitlines():
        cells = line.split()
        if cells and cells[0] == family:
            length, prefixes, nodes = map(int, cells[1:])
            counts[length] = PrefixCount(prefixes, nodes)
    return counts
