"""Tables of the oracle that change while packets flow, and what it learns."""

import pytest

from npftrace.oracle.learned import Sightings
from npftrace.oracle.updated import UpdatedPrefixes, UpdatedTable
from npftrace.tables.control import Call

WINDOW = 10


def at_packet(number: int) -> Call:
    return Call("set", (), "packet", number)


START, AT_A_CYCLE = Call("set", ()), Call("set", (), "cycle", 5000)


@pytest.fixture
def table() -> UpdatedTable[str, int]:
    return UpdatedTable(0, WINDOW)


def test_an_absent_key_has_the_default(table: UpdatedTable[str, int]) -> None:
    assert table.get("a", 5) == (0,)


def test_an_entry_of_the_start_is_seen_by_all(table: UpdatedTable[str, int]) -> None:
    table.set("a", 1, START)
    table.set("a", 2, START)
    assert table.get("a", 0) == (2,)


@pytest.mark.parametrize(
    ("packet", "values"),
    [(89, {1}), (90, {1, 2}), (109, {1, 2}), (110, {2}), (1000, {2})],
)
def test_an_update_may_be_seen_within_the_window(
    table: UpdatedTable[str, int], packet: int, values: set[int]
) -> None:
    table.set("a", 1, START)
    table.set("a", 2, at_packet(100))
    assert set(table.get("a", packet)) == values


@pytest.mark.parametrize(
    ("packet", "values"), [(89, {0}), (90, {0, 1}), (109, {0, 1}), (110, {1})]
)
def test_a_new_entry_may_be_absent_within_the_window(
    table: UpdatedTable[str, int], packet: int, values: set[int]
) -> None:
    table.set("a", 1, at_packet(100))
    assert set(table.get("a", packet)) == values


@pytest.mark.parametrize(
    ("packet", "values"),
    [(89, {1}), (94, {1, 2}), (95, {1, 2, 3}), (110, {2, 3}), (115, {3})],
)
def test_two_updates_may_overlap(
    table: UpdatedTable[str, int], packet: int, values: set[int]
) -> None:
    table.set("a", 1, START)
    table.set("a", 2, at_packet(100))
    table.set("a", 3, at_packet(105))
    assert set(table.get("a", packet)) == values


def test_an_update_at_a_cycle_may_be_seen_by_any_packet(
    table: UpdatedTable[str, int],
) -> None:
    table.set("a", 1, START)
    table.set("a", 2, AT_A_CYCLE)
    assert set(table.get("a", 0)) == set(table.get("a", 10**9)) == {1, 2}


@pytest.fixture
def routes() -> UpdatedPrefixes:
    found = UpdatedPrefixes(WINDOW)
    found.set(0x0A000000, 8, 1, START)
    found.set(0x0A010000, 16, 2, START)
    return found


@pytest.mark.parametrize(
    ("address", "route"),
    [(0x0A010203, 2), (0x0A000001, 1), (0x0A020000, 1), (0x0B000000, None)],
)
def test_the_longest_prefix_matches(
    routes: UpdatedPrefixes, address: int, route: int | None
) -> None:
    assert routes.matches(address, 0) == [route]


@pytest.mark.parametrize(("packet", "found"), [(89, [2]), (95, [2, 1]), (110, [1])])
def test_a_removed_prefix_uncovers_a_shorter_one(
    routes: UpdatedPrefixes, packet: int, found: list[int]
) -> None:
    routes.set(0x0A010000, 16, None, at_packet(100))
    assert routes.matches(0x0A010203, packet) == found


@pytest.mark.parametrize(("packet", "found"), [(89, [1]), (95, [3, 1]), (110, [3])])
def test_a_new_prefix_hides_a_shorter_one(
    routes: UpdatedPrefixes, packet: int, found: list[int]
) -> None:
    routes.set(0x0A020000, 24, 3, at_packet(100))
    assert routes.matches(0x0A020001, packet) == found


def test_a_default_route_matches_all() -> None:
    routes = UpdatedPrefixes(WINDOW, bits=128)
    routes.set(0, 0, 7, START)
    assert routes.matches(1 << 127, 0) == [7]


@pytest.mark.parametrize(
    ("packet", "values"),
    # Learned from packet 100: surely found from packet 111 on.
    [(90, [None]), (91, [None, 1]), (110, [None, 1]), (111, [1])],
)
def test_a_value_may_be_found_early_or_late(packet: int, values: list[object]) -> None:
    sightings: Sightings[str] = Sightings(WINDOW)
    sightings.hear(100, "a", 1)
    assert sightings.values("a", packet) == values


def test_a_value_that_may_not_have_been_learned_never_is_sure() -> None:
    sightings: Sightings[str] = Sightings(WINDOW)
    sightings.hear(100, "a", 1, is_sure=False)
    assert sightings.values("a", 1000) == [None, 1]


@pytest.mark.parametrize(
    ("heard", "found"),
    # Ticks at 1000 and 2000: silence from 1000 - 10 on is surely silence, a
    # packet from 1000 + 10 on surely is not.
    [(989, [None]), (990, [1, None]), (1009, [1, None]), (1010, [1])],
)
def test_silence_between_two_ticks_forgets(heard: int, found: list[object]) -> None:
    sightings: Sightings[str] = Sightings(WINDOW)
    sightings.hear(heard, "a", 1)
    sightings.last_tick = 1000
    sightings.tick(2000)
    assert sightings.values("a", 3000) == found
