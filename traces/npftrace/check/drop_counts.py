"""What the simulator counted against what the oracle expects.

Drops must agree by reason, and every received packet must end in one way:
received = forwarded + dropped + consumed. Near table updates a packet may
rightly be dropped or not, so a count may lie between two bounds; packets lost
at Rx widen it further.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from npftrace.check.command import Outcome
    from npftrace.oracle.verdict import Verdict


# Packets that a program makes for itself, as many as it takes: what it learned,
# and messages (limited in rate) that it had no way for.
OWN_NOTES = {"learned", "noted", "no_way_back"}


def expected_drops(outcome: "Outcome") -> Counter[str]:
    """Packets and copies that end for each reason."""
    indices = range(len(outcome.inputs))
    return sum((_ends(outcome.verdict(index)) for index in indices), Counter())


def drop_bounds(outcome: "Outcome") -> tuple[Counter[str], Counter[str]]:
    """The fewest and the most of them. Packets with the same bytes may have
    changed parts: three that are bridged look like one that is flooded and two
    that are dropped."""
    fewest: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for index in range(len(outcome.inputs)):
        if index in outcome.interchangeable:
            counts = [_ends(v) for v in outcome.inputs[index].verdicts]
            for reason in set().union(*counts):
                each = [count[reason] for count in counts]
                fewest[reason] += min(each)
                most[reason] += max(each)
        else:
            ends = _ends(outcome.verdict(index))
            fewest += ends
            most += ends
    return fewest, most


def _ends(verdict: "Verdict") -> Counter[str]:
    ends = Counter(verdict.copies)
    if verdict.kind == "dropped":
        ends[verdict.reason] += 1
    return ends


def counted_drops(stats: dict[str, Any]) -> Counter[str] | None:
    """The drops that were counted, reasons without their module."""
    drops = stats.get("drops", stats["packets"].get("drops"))
    if drops is None:
        return None
    counted: Counter[str] = Counter()
    for reason, count in drops.items():
        counted[reason.rpartition(".")[2]] += int(count)
    return counted


def check_stats(stats: dict[str, Any], outcome: "Outcome") -> list[str]:
    """What does not add up."""
    packets = stats["packets"]
    overflow = int(packets.get("rx_overflow", 0))
    problems = []
    counted = counted_drops(stats)
    if counted is not None:
        fewest, most = drop_bounds(outcome)
        for reason in sorted((set(most) | set(counted)) - OWN_NOTES):
            low, high = fewest[reason] - overflow, most[reason]
            if not low <= counted[reason] <= high:
                problems.append(
                    f"drops for {reason}: expected {high:,}, counted "
                    f"{counted[reason]:,}"
                )
    problems += _check_packets(packets, outcome, overflow)
    return problems


def _check_packets(
    packets: dict[str, Any], outcome: "Outcome", overflow: int
) -> list[str]:
    problems = []
    received = int(packets.get("received", 0))
    parts = {key: int(packets.get(key, 0)) for key in ("forwarded", "dropped")}
    parts["consumed"] = int(packets.get("consumed", 0))
    if received != sum(parts.values()):
        text = " + ".join(f"{count:,} {key}" for key, count in parts.items())
        problems.append(f"packets do not add up: {received:,} received, {text}")
    kinds = Counter(outcome.verdict(i).kind for i in range(len(outcome.inputs)))
    oversize = kinds["oversize"]
    total = len(outcome.inputs) - overflow
    # Rx counts an oversize frame or not; both are told by its own counter.
    if received not in (total, total - oversize):
        problems.append(
            f"{received:,} packets received of {len(outcome.inputs):,} sent "
            f"({oversize:,} oversize, {overflow:,} lost at Rx)"
        )
    if "oversize" in packets and int(packets["oversize"]) != oversize and not overflow:
        problems.append(
            f"oversize frames: expected {oversize:,}, counted {packets['oversize']:,}"
        )
    if "transmitted" in packets and int(packets["transmitted"]) != outcome.sent:
        problems.append(
            f"{outcome.sent:,} frames in the output, {packets['transmitted']:,} "
            "counted as transmitted"
        )
    return problems
