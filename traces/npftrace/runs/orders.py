"""Packet tests with many orders of arrival, so that races show.

A test with one frame at a time and one context never shows what happens when
contexts work on frames at the same time. Here the frames between two barriers (a
`wait`, a control call) arrive together, in a pseudo-random order and within some
hundred cycles, at all contexts and engines of the image.

If the outcome of an order is not the expected one, the same order runs on x86, one
frame after the other. If x86 sends what is expected, contexts disturb each other: a
race. If not, the test itself rests on the order of its frames.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import factorial

from npftrace.runs.packet_file import PacketTest

#: Frames of a group follow each other within this time, half of a frame of 64 bytes
#: at 1 Gbit/s up to two.
GAP_NS_MAX = 1_000


def groups(test: PacketTest) -> list[range]:
    """The frames between two barriers, by number."""
    bounds = [0, *sorted(test.barriers), len(test.sent)]
    return [range(first, last) for first, last in pairwise(bounds)]


def order_count(test: PacketTest) -> int:
    """In how many orders the frames can arrive."""
    count = 1
    for group in groups(test):
        count *= factorial(len(group))
    return count


def orders(test: PacketTest, count: int, seed: int) -> Iterator[tuple[int, ...]]:
    """`count` orders, the one of the file first; each names frames by number. They
    differ while there are others left."""
    draws = random.Random(seed)
    seen: set[tuple[int, ...]] = set()
    order = tuple(range(len(test.sent)))
    for _ in range(count):
        while order in seen:
            shuffled = [draws.sample(group, len(group)) for group in groups(test)]
            order = tuple(number for group in shuffled for number in group)
        seen.add(order)
        yield order
        if len(seen) == order_count(test):
            seen.clear()


def in_order(test: PacketTest, order: tuple[int, ...], seed: int) -> PacketTest:
    """The test with its frames in this order, those of a group close together."""
    draws = random.Random(f"{seed} {order}")
    sent = []
    for group in groups(test):
        time = test.sent[group.start].time_ns
        for number in order[group.start : group.stop]:
            sent.append(test.sent[number]._replace(time_ns=time))
            time += draws.randrange(GAP_NS_MAX)
    places = [test.send_places[number] for number in order]
    return replace(test, sent=sent, send_places=places)
