"""Compares the simulator's counts with those that the oracle expects.

Drops must agree by reason, and every received packet must end once:
received = forwarded + dropped + consumed + waiting. Near a table update it may be right
both to drop a packet and not to, so a count has two bounds. Packets lost at Rx
widen them further.
"""

from collections import Counter
from typing import Any

from npftrace.check.comparison import Outcome
from npftrace.oracle.verdict import Verdict

#: Reasons for which a program drops packets of its own, as many as it likes:
#: notes of what it learned, and rate-limited messages without a route back.
OWN_PACKETS = {"learned", "noted", "no_way_back"}


def expected_drops(outcome: Outcome) -> Counter[str]:
    """Packets and copies that are dropped, by reason."""
    indices = range(len(outcome.inputs))
    return sum((_drops_of(outcome.verdict(index)) for index in indices), Counter())


def drop_bounds(outcome: Outcome) -> tuple[Counter[str], Counter[str]]:
    """The fewest and the most drops by reason. Packets with the same bytes may
    exchange their verdicts: three that are bridged look like one that is flooded
    and two that are dropped."""
    fewest: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for index in range(len(outcome.inputs)):
        if index in outcome.interchangeable:
            counts = [_drops_of(v) for v in outcome.inputs[index].verdicts]
            for reason in set().union(*counts):
                each = [count[reason] for count in counts]
                fewest[reason] += min(each)
                most[reason] += max(each)
        else:
            drops = _drops_of(outcome.verdict(index))
            fewest += drops
            most += drops
    return fewest, most


def _drops_of(verdict: Verdict) -> Counter[str]:
    drops = Counter(verdict.copies)
    if verdict.kind == "dropped":
        drops[verdict.reason] += 1
    return drops


def without_module(reason: str) -> str:
    """The name of a drop reason of any module. Those of channels, punt:CHANNEL and
    ring:CHANNEL, stay whole."""
    return reason if ":" in reason else reason.rpartition(".")[2]


def counted_drops(stats: dict[str, Any]) -> Counter[str] | None:
    """The counted drops, by reason without its module; None if there are none in
    the statistics."""
    drops = stats.get("drops", stats["packets"].get("drops"))
    if drops is None:
        return None
    counted: Counter[str] = Counter()
    for reason, count in drops.items():
        counted[without_module(reason)] += int(count)
    return counted


def check_stats(stats: dict[str, Any], outcome: Outcome) -> list[str]:
    """The counts that do not agree, one message each."""
    packets = stats["packets"]
    overflow = int(packets.get("rx_overflow", 0))
    problems = []
    counted = counted_drops(stats)
    if counted is not None:
        fewest, most = drop_bounds(outcome)
        for reason in sorted((set(most) | set(counted)) - OWN_PACKETS):
            low, high = fewest[reason] - overflow, most[reason]
            if not low <= counted[reason] <= high:
                problems.append(
                    f"drops for {reason}: expected {high:,}, counted "
                    f"{counted[reason]:,}"
                )
    problems += _check_packets(packets, outcome, overflow)
    return problems


def _check_packets(
    packets: dict[str, Any], outcome: Outcome, overflow: int
) -> list[str]:
    problems = []
    received = int(packets.get("received", 0))
    parts = {key: int(packets.get(key, 0)) for key in ("forwarded", "dropped")}
    for key in ("consumed", "waiting"):
        parts[key] = int(packets.get(key, 0))
    if received != sum(parts.values()):
        text = " + ".join(f"{count:,} {key}" for key, count in parts.items())
        problems.append(f"packets do not add up: {received:,} received, {text}")
    kinds = Counter(outcome.verdict(i).kind for i in range(len(outcome.inputs)))
    oversize = kinds["oversize"]
    total = len(outcome.inputs) - overflow
    # Rx may count oversize frames as received; another counter has their number.
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
