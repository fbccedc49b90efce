"""Assigns one of several right verdicts to each packet.

Near a table update more than one verdict is right for a packet, and packets with
the same bytes may each have sent the same frame. So packets that share a frame
are assigned together: each gets one of its verdicts, such that each sent frame
belongs to exactly one packet. This is an exact cover, searched depth first over
the frames that remain.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

#: A frame that leaves: its port and its bytes.
Key = tuple[int, bytes]
#: The frames of each verdict of a packet.
Choices = Sequence[Sequence[Key]]
#: Steps after which a search gives up.
STEPS_MAX = 200_000


def groups_of(choices: Mapping[int, Choices]) -> list[list[int]]:
    """Groups of packets that may have sent the same frame."""
    leader: dict[int, int] = {}

    def find(index: int) -> int:
        while leader[index] != index:
            leader[index] = index = leader[leader[index]]
        return index

    first: dict[Key, int] = {}
    for index, verdicts in choices.items():
        leader[index] = index
        for key in (key for keys in verdicts for key in keys):
            leader[find(index)] = find(first.setdefault(key, index))
    groups: dict[int, list[int]] = defaultdict(list)
    for index in choices:
        groups[find(index)].append(index)
    return list(groups.values())


def assign(group: Sequence[Choices], sent: Mapping[Key, int]) -> list[int] | None:
    """The number of a verdict for each packet of a group, such that the verdicts
    use up the frames of `sent` exactly; None if the search finds no such
    assignment."""
    keys = list(dict.fromkeys(key for each in group for keys in each for key in keys))
    used_by = [[tuple(map(ks.count, keys)) for ks in each] for each in group]
    # Packets with equal choices follow each other, which leads to fewer states.
    order = sorted(range(len(group)), key=lambda i: used_by[i])
    counts = [used_by[i] for i in order]
    least, most = _bounds(counts, len(keys))
    left = tuple(sent.get(key, 0) for key in keys)
    states = [left]
    chosen: list[int] = [-1]
    dead_ends: set[tuple[int, tuple[int, ...]]] = set()
    for _ in range(STEPS_MAX):
        depth = len(chosen) - 1
        if depth == len(counts):
            numbers = [0] * len(counts)
            for at, index in enumerate(order):
                numbers[index] = chosen[at]
            return numbers
        chosen[depth] += 1
        if chosen[depth] == len(counts[depth]):
            dead_ends.add((depth, states.pop()))
            chosen.pop()
            if not chosen:
                return None
            continue
        used = counts[depth][chosen[depth]]
        left = tuple(a - b for a, b in zip(states[-1], used, strict=True))
        bounds = zip(least[depth + 1], left, most[depth + 1], strict=True)
        possible = all(a <= b <= c for a, b, c in bounds)
        if possible and (depth + 1, left) not in dead_ends:
            states.append(left)
            chosen.append(-1)
    return None


def _bounds(
    counts: Sequence[Sequence[tuple[int, ...]]], width: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Per depth, the fewest and the most frames of each key that the packets from
    there on can use."""
    least, most = [[0] * width], [[0] * width]
    for choices in reversed(counts):
        columns = list(zip(*choices, strict=True)) or [()] * width
        least.append([a + min(c) for a, c in zip(least[-1], columns, strict=True)])
        most.append([a + max(c) for a, c in zip(most[-1], columns, strict=True)])
    return least[::-1], most[::-1]
