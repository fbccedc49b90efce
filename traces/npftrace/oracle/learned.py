"""Values that a program learns from packets.

Microengines put notes about packets into a ring, and the XScale core writes the
table. Packets overtake each other on the way. So a packet may or may not see
what is learned from packets within `window` packets before or after it. Among
older notes, the last one surely counts, but those up to `window` packets before
it may have been written after it. A packet is looked up before it is learned
from.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Sighting(NamedTuple):
    """A packet that gave a key a value, or before which the key was forgotten
    (None), and whether that is sure."""

    packet: int
    value: int | None
    is_sure: bool = True


_packet_of = attrgetter("packet")


class Sightings(Generic[Key]):
    """The sightings of each key, in the order of packets."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.heard: dict[Key, list[Sighting]] = defaultdict(list)
        #: What is known before the first packet is heard after this.
        self.last_tick = -2 * window - 2

    def hear_before_all(self, key: Key, value: int) -> None:
        """Learns a value that all packets find."""
        self.hear(-self.window - 1, key, value)

    def hear(self, packet: int, key: Key, value: int, is_sure: bool = True) -> None:
        self.heard[key].append(Sighting(packet, value, is_sure))

    def tick(self, packet: int) -> None:
        """Forgets keys that were not heard since the last tick. Whether a key was
        heard before or after that tick may be unsure."""
        since, self.last_tick = self.last_tick, packet
        for sightings in self.heard.values():
            latest = sightings[-1]
            if latest.value is not None and latest.packet < since + self.window:
                is_sure = latest.packet + self.window < since
                sightings.append(Sighting(packet, None, is_sure))

    def values(self, key: Key, packet: int) -> list[int | None]:
        """The values that a packet may find for a key; None stands for no value."""
        sightings = self.heard.get(key, [])
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
