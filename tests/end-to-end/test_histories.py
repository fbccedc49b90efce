"""The library's lpm and ternary after random histories, against models, and while
packets search."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import read_capture
from testkit.paths import ROOT
from testkit.runs import compile_app, run_on_x86, simulate
from testkit.workloads import Workload, make_workload

INPUTS = Path(__file__).parent / "Inputs"
HISTORIES, RACES = INPUTS / "histories.baker", INPUTS / "table_races.baker"
OPERATIONS = 1_000_000
WORD = 0xFFFFFFFF
BITS = 0x31313131
ROUTES, RULES, EVERY = 256, 64, 64


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    folder = tmp_path_factory.mktemp("histories")
    return make_workload("l3-switch", folder, "--packets", "500", "--size", "64")


def values(stats: dict[str, Any]) -> list[int]:
    return [each["value"] for each in stats["control"]["values"]]


def frames(capture: Path) -> list[bytes]:
    return sorted(frame.data for frame in read_capture(capture, 4).frames)


def draws(state: int) -> Iterator[int]:
    while True:
        state = (state * 1664525 + 1013904223) & WORD
        yield state >> 8


def mask_of(length: int) -> int:
    return WORD << (32 - length) & WORD


def prefix_of(number: int) -> tuple[int, int]:
    length = (number * 0x9E3779B1 >> 27 & 31) + 1
    return number * 2654435761 & BITS & mask_of(length), length


class Routes:
    """A dictionary of prefixes."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, int], int] = {}

    def find(self, address: int) -> int:
        for length in range(32, -1, -1):
            value = self.values.get((address & mask_of(length), length))
            if value is not None:
                return value
        return 0

    def nodes(self) -> int:
        return 1 + len(
            {
                (depth, address >> (32 - 4 * depth))
                for address, length in self.values
                for depth in range(1, (length + 3) // 4)
            }
        )


def routes_after(operations: int) -> tuple[int, Routes]:
    """The sum that `change_routes` returns, and the routes."""
    routes, drawn = Routes(), draws(0)
    held = [0] * ROUTES
    total = 0
    for i in range(operations):
        at = next(drawn) % ROUTES
        if held[at]:
            routes.values.pop(prefix_of(held[at]), None)
            held[at] = 0
        else:
            held[at] = next(drawn) % 65535 + 1
            routes.values[prefix_of(held[at])] = held[at]
        if i % EVERY == 0:
            total = total * 31 + routes.find(next(drawn) & BITS) & WORD
    return total, routes


def rules_after(operations: int) -> int:
    """The sum that `change_rules` returns."""
    drawn = draws(1)
    current: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int, int]] | None = None
    total = 0
    for i in range(operations):
        action = next(drawn) % 256
        if action == 0:
            current, opened = [], None
        elif action < 5:
            opened = []
        elif action < 13:
            current, opened = current if opened is None else opened, None
        else:
            value, mask = next(drawn) & 0xFF, next(drawn) & 0x1F
            into = current if opened is None else opened
            if len(into) < RULES:
                into.append((value & mask, mask, i + 1))
        if i % EVERY == 0:
            key = next(drawn) & 0xFF
            found = (do for value, mask, do in current if key & mask == value)
            total = total * 31 + next(found, 0) & WORD
    return total


def test_a_million_changes_of_routes(load: Workload, tmp_path: Path) -> None:
    """Without the nodes that removals free, the table would soon refuse prefixes."""
    load.control.write_text(
        f"change_routes({OPERATIONS})\nroutes_refused()\nlongest_search()\n"
        "nodes()\nremove_all()\n"
    )
    _, stats = run_on_x86(HISTORIES, load, tmp_path)
    total, routes = routes_after(OPERATIONS)
    changed, refused, longest, *nodes = values(stats)
    assert changed == total
    assert refused == 0
    assert 7 <= longest <= 9
    assert nodes == [routes.nodes(), 1]


def test_a_million_changes_of_rules(load: Workload, tmp_path: Path) -> None:
    load.control.write_text(f"change_rules({OPERATIONS})\n")
    _, stats = run_on_x86(HISTORIES, load, tmp_path)
    assert values(stats) == [rules_after(OPERATIONS)]


@pytest.mark.parametrize("level", ["base", "swc"])
def test_the_chip_agrees(level: str, load: Workload, tmp_path: Path) -> None:
    image = compile_app(HISTORIES, tmp_path / "histories.ixp", f"--level={level}")
    load.control.write_text("change_routes(3000)\nnodes()\nchange_rules(3000)\n")
    out, stats = simulate(image, load, tmp_path)
    total, routes = routes_after(3000)
    assert values(stats) == [total, routes.nodes(), rules_after(3000)]
    wanted, _ = run_on_x86(HISTORIES, load, tmp_path)
    assert frames(out) == frames(wanted)


#: What keeps a search from mixing two states, and what the test finds without it.
GUARDS = {
    "lpm": ("if (now / VERSION_STEP == first / VERSION_STEP)", "if (true)"),
    "ternary": ("if ((now & ~COUNT) == (list & ~COUNT))", "if (true)"),
}


@pytest.mark.parametrize(
    ("unguarded", "level", "latency"),
    [
        (None, "o1", 1000),
        (None, "phr", 2000),
        ("lpm", "phr", 2000),
        ("ternary", "phr", 2000),
    ],
)
def test_no_search_mixes_two_states(
    unguarded: str | None, level: str, latency: int, load: Workload, tmp_path: Path
) -> None:
    """On engines whose reads take long, so that the core changes much between two."""
    (tmp_path / "net").mkdir()
    for name, (guard, nothing) in GUARDS.items():
        library = (ROOT / f"runtime/net/{name}.baker").read_text()
        assert guard in library
        if name == unguarded:
            library = library.replace(guard, nothing)
        (tmp_path / f"net/{name}.baker").write_text(library)
    program = tmp_path / RACES.name
    program.write_text(RACES.read_text())
    image = compile_app(program, tmp_path / "races.ixp", f"--level={level}", "--mes=4")
    load.control.write_text(
        "@packet 10 churn(150)\n@packet 15 churn_rules(60)\n"
        "@end searches_missed()\n@end values_wrong()\n"
    )
    _, stats = simulate(
        image,
        load,
        tmp_path,
        "--packets=4000",
        f"--set=sram.latency={latency}",
        f"--set=scratch.latency={latency}",
    )
    *_, missed, wrong = values(stats)
    assert (missed + wrong == 0) == (unguarded is None)
