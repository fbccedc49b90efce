"""A bounded slice of the differential test; differential.py runs more."""

from __future__ import annotations

import os

import pytest

from differential.differential import Tools, check
from differential.expressions import ARITHMETIC, S32, U32, Type, common, literal, shift
from differential.generator import make_frames, make_program
from testkit.paths import BUILD
from testkit.tools import requires

FIRST = int(os.environ.get("KARAKAL_DIFFERENTIAL_SEED", "1"))
COUNT = int(os.environ.get("KARAKAL_DIFFERENTIAL_PROGRAMS", "16"))
#: How many programs with tables to try.
TABLES = int(os.environ.get("KARAKAL_RANDOM_TABLES", "4"))
#: Additional seeds: a flush in a block of one operation, where it depends on
#: neighbouring data in the host's memory whether it fails; locks in blocks that never
#: run, whose time is a difference of rounded sums; a packet that is in a queue when
#: the others have left; an aggregate that gets from a next-neighbour ring and puts
#: on one, where the head is known.
RARE = (1431, 108, 32, 7333)
#: With tables: aggregates whose stacks in SRAM are of different sizes; a cache line
#: in local memory whose word is tested after the line's key is set.
RARE_TABLES = (20322, 20625)


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("seed", [*range(FIRST, FIRST + COUNT), *RARE])
def test_all_engines_give_the_same_packets(seed: int) -> None:
    difference = check(seed, Tools(BUILD), keep=None)
    assert not difference, difference


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("seed", [*range(1, 1 + TABLES), *RARE_TABLES])
def test_with_tables(seed: int) -> None:
    tools = Tools(BUILD, tables=True, in_turn=True, frames=40, timeout=300)
    difference = check(seed, tools, keep=None)
    assert not difference, difference


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("seed", [105, 210, 228])
def test_in_several_aggregates(seed: int) -> None:
    """Control stores that one aggregate overflows."""
    tools = Tools(
        BUILD, tables=seed == 105, levels=("pac", "swc"), store=1200, timeout=300
    )
    difference = check(seed, tools, keep=None)
    assert not difference, difference


def test_the_generator_is_deterministic() -> None:
    for seed in range(5):
        first, second = make_program(seed), make_program(seed)
        assert first.text() == second.text()
        frames = make_frames(seed, 20)
        assert first.run(frames) == second.run(frames)


def test_every_packet_ends() -> None:
    for seed in range(40):
        frames = make_frames(seed, 10)
        outcome = make_program(seed).run(frames)
        assert outcome.forwarded + outcome.dropped == len(frames), f"seed {seed}"


def test_integers_follow_the_rules_of_the_language() -> None:
    u8, u48, s48 = Type(False, 8), Type(False, 48), Type(True, 48)
    assert common(u8, u8) == S32
    assert common(u8, U32) == U32
    assert common(S32, u48) == u48
    assert common(U32, s48) == s48
    assert common(s48, u48) == u48
    assert ARITHMETIC["/"](7, 0) == -1 and ARITHMETIC["%"](7, 0) == 7
    assert ARITHMETIC["/"](-7, 2) == -3 and ARITHMETIC["%"](-7, 2) == -1
    assert shift("<<", literal(1, U32), literal(32, u8)).value(None) == 0
    assert shift(">>", literal(-1, S32), literal(40, u8)).value(None) == -1


def test_programs_find_entries_of_all_kinds() -> None:
    """Packets count what they find, and calls between packets make a difference."""
    kinds: set[str] = set()
    counted = changed = 0
    for seed in range(40):
        program, frames = make_program(seed, changes=20), make_frames(seed, 20)
        assert program.text() == make_program(seed, changes=20).text()
        loaded = program.run(frames, timed=False)
        changed += program.run(frames).frames != loaded.frames
        kinds |= {key.kind for table in program.tables for key in table.key}
        for state in loaded.tables.values():
            counted += sum(entry.count != 0 for entry in state.entries.values())
    assert kinds == {"exact", "lpm", "ternary", "range"}
    assert counted > 10 and changed > 10, (counted, changed)
