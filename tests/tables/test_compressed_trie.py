"""Path-compressed tries: long histories of prefixes that contain each other, checked
against a model of the table, and the structure that is chosen."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from differential.expressions import Type
from differential.table_cases import TableCase
from differential.tables import Call, Field, State, Table
from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc")
#: Few stems, so that prefixes contain each other and part at all bits.
STEMS = 6
QUIET = ("-Wno-unused-variable",)


def address(rng: random.Random, stems: list[int], bits: int) -> int:
    """A stem whose last bits are other ones."""
    return rng.choice(stems) ^ rng.getrandbits(bits) >> rng.randrange(bits)


def history(seed: int, bits: int, limit: int, calls: int) -> TableCase:
    """A table that fills up, changes between the packets, and empties again."""
    rng = random.Random(seed)
    table = Table(
        "t", [Field("k", "lpm", bits)], [Type(False, 32), Type(False, 64)], limit
    )
    state, case = State(table), TableCase([table], [], [], [])
    stems = [rng.getrandbits(bits) for _ in range(STEMS)]

    def prefix() -> tuple[int, int]:
        length = rng.randint(0, bits)
        value = address(rng, stems, bits)
        return value >> (bits - length) << (bits - length), length

    def call(share_added: float) -> Call | None:
        if rng.random() < share_added and len(state.entries) < limit:
            key = ((prefix(),), 0)
            verb = "change" if key in state.entries else "add"
        elif state.entries:
            key, verb = (
                rng.choice(list(state.entries)),
                rng.choice(("remove", "remove", "change")),
            )
        else:
            return None
        values = table.random_values(rng) if verb != "remove" else ()
        made = Call(table, verb, key, values)
        state.make(made)
        return made

    case.initial = [made for _ in range(limit) if (made := call(0.8))]
    for number in range(calls):
        share = 0.6 if number % 100 < 60 else 0.15
        if made := call(share):
            case.timed.append((number, made))
        near = list(state.entries) if rng.random() < 0.5 else []
        key = rng.choice(near)[0][0][0] if near else address(rng, stems, bits)
        case.keys.append([[key ^ rng.getrandbits(3)]])
    return case


@pytest.mark.parametrize(
    ("bits", "limit"),
    [
        *((128, 60), (128, 6), (64, 40), (48, 30), (33, 25), (32, 20), (20, 12)),
        *((117, 1), (65, 2), (22, 3)),  # roots that are smaller than a node
    ],
)
def test_histories(bits: int, limit: int, tmp_path: Path) -> None:
    case = history(bits * limit, bits, limit, 1500)
    source, control, trace, out = (
        tmp_path / name for name in ("t.baker", "t.control", "t.pcap", "out.pcapng")
    )
    source.write_text(case.source())
    control.write_text(case.control())
    write_pcap(trace, case.frames())
    run_of = ("--run", f"--trace={trace}", f"--control={control}", f"--out={out}")
    expected = Counter((1, frame) for frame in case.expected())
    fast = (*run_of, "--fast", *QUIET)
    explained = output_of("bakerc", source, *fast, "--explain=tables")
    assert "t: compressed_trie, strides " in explained
    assert read_pcapng(out) == expected
    run("bakerc", source, *fast, "--sub-batch=8")
    assert read_pcapng(out) == expected
