"""Which of several right verdicts came true.

Near a change of the tables more than one verdict is right for a packet, and
packets with the same bytes may each have sent the same frame. So the packets
that share a frame are settled together: each gets one of its verdicts, so that
the frames there are belong to one packet each. This is an exact cover, searched
depth first over what is left of each frame.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

#: A frame by a port.
Key = tuple[int, bytes]
#: The frames of a verdict, and the verdicts of a packet.
Keys = Sequence[Key]
Choices = Sequence[Keys]
#: Steps of one search.
STEPS_MAX = 200_000


def sharing(choices: Mapping[int, Choices]) -> list[list[int]]:
    """Groups of packets that may have sent the same frame."""
    leader: dict[int, int] = {}

    def find(index: int) -> int:
        while leader[index] != index:
            leader[index] = index = leader[leader[index]]
        return index

    first: dict[Key, int] = {}
    for index, tried in choices.items():
        leader[index] = index
        for key in (key for keys in tried for key in keys):
            leader[find(index)] = find(first.setdefault(key, index))
    groups: dict[int, list[int]] = defaultdict(list)
    for index in choices:
        groups[find(index)].append(index)
    return list(groups.values())


def fit(tried: Sequence[Choices], there: Mapping[Key, int]) -> list[int] | None:
    """For each packet of a group the number of a verdict, so that all frames
    there are belong to one; None if that is not found."""
    keys = list(dict.fromkeys(key for each in tried for keys in each for key in keys))
    used_by = [[tuple(map(ks.count, keys)) for ks in each] for each in tried]
    # Packets with equal choices stand together: they lead to few states.
    order = sorted(range(len(tried)), key=lambda i: used_by[i])
    counts = [used_by[i] for i in order]
    least, most = _bounds(counts, len(keys))
    left = tuple(there.get(key, 0) for key in keys)
    states = [left]
    chosen: list[int] = [-1]
    dead: set[tuple[int, tuple[int, ...]]] = set()
    for _ in range(STEPS_MAX):
        depth = len(chosen) - 1
        if depth == len(counts):
            numbers = [0] * len(counts)
            for place, index in enumerate(order):
                numbers[index] = chosen[place]
            return numbers
        chosen[depth] += 1
        if chosen[depth] == len(counts[depth]):
            dead.add((depth, states.pop()))
            chosen.pop()
            if not chosen:
                return None
            continue
        used = counts[depth][chosen[depth]]
        left = tuple(a - b for a, b in zip(states[-1], used, strict=True))
        bounds = zip(least[depth + 1], left, most[depth + 1], strict=True)
        if all(a <= b <= c for a, b, c in bounds) and (depth + 1, left) not in dead:
            states.append(left)
            chosen.append(-1)
    return None


def _bounds(
    counts: Sequence[Sequence[tuple[int, ...]]], width: int
) -> tuple[list[list[int]], list[list[int]]]:
    """The fewest and the most frames of each kind that the packets from each
    on can take."""
    least, most = [[0] * width], [[0] * width]
    for choices in reversed(counts):
        columns = list(zip(*choices, strict=True)) or [()] * width
        least.append([a + min(c) for a, c in zip(least[-1], columns, strict=True)])
        most.append([a + max(c) for a, c in zip(most[-1], columns, strict=True)])
    return least[::-1], most[::-1]
