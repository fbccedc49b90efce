"""Packets in flight at an update find each entry as before it or as after it."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from random import Random

import pytest

from differential.table_cases import TableCase, answer_of, random_case
from differential.tables import Key, State, Table
from testkit.applications import LEVELS
from testkit.captures import read_pcapng, write_pcap
from testkit.tools import requires, run

pytestmark = requires("bakerc", "ixpsim")
#: How many more programs to try.
MORE = int(os.environ.get("KARAKAL_RANDOM_TABLES", "4"))
#: Cycles that a core's stores may take beyond the end of a call, for a memory with a
#: latency of 1,000.
STORES = 4000


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open() as file:
        return list(csv.DictReader(file))


def windows(case: TableCase, record: Path) -> list[range]:
    """For each packet, how many calls its look-ups may have seen."""
    calls = rows(f"{record}.calls.csv")
    # The last packets may all have left before the last calls.
    assert [row["call"] for row in calls] == [
        str(call) for _, call in case.timed[: len(calls)]
    ]
    seen = []
    for row in rows(f"{record}.packets.csv"):
        received, left = int(row["received"]), int(row["left"])
        done = sum(int(call["end"]) + STORES < received for call in calls)
        begun = sum(int(call["begin"]) <= left for call in calls)
        seen.append(range(done, begun + 1))
    return seen


class LookUp:
    """What a table answered a packet, and what it held meanwhile."""

    def __init__(self, table: Table, key: list[int], answer: bytes) -> None:
        self.table, self.key, self.answer = table, key, answer
        self.states = 0
        self.is_first = self.is_exact = False
        self.ranks: dict[Key, int] = {}
        self.answers: dict[Key, list[bytes]] = {}

    def meets(self, state: State) -> None:
        """The look-up may have seen this state, which follows the last one."""
        self.states += 1
        if answer_of(state.find(self.key), self.table) == self.answer:
            self.is_exact = True
            self.is_first |= self.states == 1
        for rank, key, entry in state.matches(self.key):
            self.ranks[key] = rank
            self.answers.setdefault(key, []).append(answer_of(entry, self.table))

    def is_right(self, of_entries: bool) -> bool:
        """Whether one of the states gives the answer. `of_entries`: a look-up may have
        met each entry in another state, but none can miss an entry that is in all."""
        if self.is_exact or not of_entries:
            return self.is_exact
        ranks = [
            self.ranks[key]
            for key, answers in self.answers.items()
            if len(answers) == self.states
        ]
        if self.answer == answer_of(None, self.table):
            return not ranks
        return any(
            self.answer in answers and self.ranks[key] >= max(ranks, default=0)
            for key, answers in self.answers.items()
        )


def check_in_flight(case: TableCase, out: Path, record: Path) -> int:
    """Returns how many look-ups saw a change that began after the packet had come."""
    found = {}
    for (port, frame), count in read_pcapng(out).items():
        assert port == 1 and count == 1
        number = int.from_bytes(frame[:12], "big")
        found[number] = list(case.parts(frame))
        assert case.frame(number, b"".join(found[number])) == frame
    assert len(found) == len(case.keys)
    seen = windows(case, record)
    look_ups = [
        (seen[number], LookUp(table, case.keys[number][i], parts[i]))
        for number, parts in found.items()
        for i, table in enumerate(case.tables)
    ]
    states = case.loaded()
    for made in range(max(window.stop for window in seen)):
        if made > 0:
            call = case.timed[made - 1][1]
            states[call.table.name].make(call)
        for window, look_up in look_ups:
            if made in window:
                look_up.meets(states[look_up.table.name])
    for window, look_up in look_ups:
        calls = [call for _, call in case.timed[window.start : window.stop - 1]]
        # `clear` removes one entry after the other.
        of_entries = len(calls) > 1 or any(call.verb == "clear" for call in calls)
        assert look_up.is_right(of_entries), (
            f"{look_up.key} in {look_up.table.name}: {look_up.answer.hex()}, of "
            f"{look_up.answers}\n{case.source()}{case.control()}"
        )
    return sum(not look_up.is_first for _, look_up in look_ups)


def simulate(seed: int, folder: Path) -> int:
    rng = Random(seed * 17 + 3)
    case = random_case(seed, packets=80, calls=rng.choice((0, 10, 60)))
    source, control, trace, image, out, record = (
        folder / name
        for name in ("t.baker", "t.control", "t.pcap", "t.ixp", "o.pcapng", "r")
    )
    source.write_text(case.source())
    control.write_text(case.control())
    write_pcap(trace, case.frames())
    level = LEVELS[seed % len(LEVELS)]
    quiet = "-Wno-unused-variable"
    run("bakerc", source, f"--level={level}", "-o", image, quiet)
    run(
        "ixpsim", image, "--quiet", f"--trace={trace}", f"--control={control}",
        f"--rate={rng.choice((0.02, 0.1, 0.5))}", f"--out={out}", f"--record={record}",
        f"--set=sram.latency={rng.choice((100, 1000))}",
    )  # fmt: skip
    return check_in_flight(case, out, record)


@pytest.mark.parametrize("seed", range(2000, 2000 + MORE))
def test_with_tables_in_flight(seed: int, tmp_path: Path) -> None:
    simulate(seed, tmp_path)
