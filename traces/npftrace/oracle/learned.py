"""What a program learns from the packets themselves, on the XScale core.

What is learned is written by the core from notes that wait in a ring, and
packets overtake each other. So a packet may find what was learned from one at
most `window` packets before or behind it; or what was learned up to `window`
packets before the last time that surely counts, for of these notes, too, any
may have come last. A packet is learned from after it is looked up itself.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Sighting(NamedTuple):
    """A packet told a value of a key, or the key was forgotten (None), which is
    sure to happen or not."""

    packet: int
    value: int | None
    is_sure: bool = True


_packet_of = attrgetter("packet")


class Sightings(Generic[Key]):
    """What was told of keys, in its order."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.told: dict[Key, list[Sighting]] = defaultdict(list)
        self.last_tick = 0

    def hear(self, packet: int, key: Key, value: int, is_sure: bool = True) -> None:
        self.told[key].append(Sighting(packet, value, is_sure))

    def tick(self, packet: int) -> None:
        """Forgets keys that nothing was heard of since the last tick, and
        perhaps those of which that is not sure."""
        since, self.last_tick = self.last_tick, packet
        for sightings in self.told.values():
            latest = sightings[-1]
            if latest.value is not None and latest.packet < since + self.window:
                is_sure = latest.packet + self.window < since
                sightings.append(Sighting(packet, None, is_sure))

    def values(self, key: Key, packet: int) -> list[int | None]:
        """What a packet may find of a key; None for nothing."""
        sightings = self.told.get(key, [])
        end = bisect_left(sightings, packet + self.window, key=_packet_of)
        settled = bisect_left(sightings, packet - self.window, key=_packet_of)
        while settled and not sightings[settled - 1].is_sure:
            settled -= 1
        if not settled:
            found = [None, *(s.value for s in sightings[:end])]
        else:
            begin = settled - 1
            earliest = sightings[begin].packet - self.window
            while begin and sightings[begin - 1].packet > earliest:
                begin -= 1
            found = [sighting.value for sighting in sightings[begin:end]]
        return list(dict.fromkeys(found))
