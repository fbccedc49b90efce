"""A claim of the paper's evaluation, tested against the runs.

A claim is a predicate over the results. It says what it measured, and where it
does not hold, the reason as far as the runs show it: what limits a curve is
found by making parts of the chip twice as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.evaluation import paper
from bench.evaluation.paper import NAMES
from bench.evaluation.results import MOST, Results
from bench.harness.workloads import APPS
from testkit.applications import LEVELS

HOLDS, PARTLY, FAILS = "holds", "partly", "does not hold"
ROUTERS = ("l3-switch", "mpls")
SLOW, FAST = LEVELS[:3], LEVELS[3:]


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim, and its reason."""

    verdict: str
    numbers: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper and its test."""

    name: str
    #: The section of the paper, and the quoted words.
    section: str
    words: str
    #: The predicate as text.
    test: str
    check: Callable[[Results], Finding]


CLAIMS: list[Claim] = []


def claim(
    section: str, words: str, test: str
) -> Callable[[Callable[[Results], Finding]], Callable[[Results], Finding]]:
    def add(check: Callable[[Results], Finding]) -> Callable[[Results], Finding]:
        name = check.__name__.replace("_", "-")
        CLAIMS.append(Claim(name, section, words, test, check))
        return check

    return add


def signed(share: float) -> str:
    """A relative change in percent, with its sign."""
    text = f"{100 * share:+.0f}"
    return ("0" if text in ("+0", "-0") else text.replace("-", "−")) + " %"


def verdict(held: Iterable[bool]) -> str:
    """The verdict if all, some or none of a claim's parts hold."""
    parts = list(held)
    return HOLDS if all(parts) else PARTLY if any(parts) else FAILS


def each(values: dict[str, str]) -> str:
    """`{"mpls": "1.0"}` as text; keys that are programs get their names."""
    return "; ".join(f"{NAMES.get(key, key)} {value}" for key, value in values.items())


def steps(results: Results, level: str, engines: int = MOST) -> dict[str, str]:
    return {app: f"×{results.gain(app, level, engines):.2f}" for app in APPS}


def limits(results: Results, pairs: Iterable[tuple[str, str]]) -> str:
    """What limits the rates on all engines, by the what-if runs."""
    found = []
    for app, level in pairs:
        part, gain = results.limit(app, level)
        at = f"{NAMES[app]} {paper.LEVEL_NAMES[level]}"
        if part == "engines":
            busy, wire = results.busy(app, level), results.wire(app, level)
            full = f"engines {100 * busy:.0f} % busy, ports {100 * wire:.0f} % full"
            found.append(f"{at}: no part alone gives 5 % ({full})")
        else:
            found.append(f"{at}: {part} (twice as fast: {signed(gain)})")
    return "; ".join(found)
