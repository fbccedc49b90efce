"""The parts that all kinds of traffic share: rows of bytes, sizes, draws, rules,
and the writer of frames."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import read_capture
from npftrace.make.chunks import Chunk, header_sums, put
from npftrace.make.frame_writer import FrameWriter
from npftrace.make.rule_headers import NONE, RuleTable
from npftrace.make.sizes import sizes
from npftrace.make.traffic import Flows, PacketKind, draw_accepted, draw_kinds
from npftrace.tables.rules import Rule


def rng() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(1))


def test_fields_are_big_endian() -> None:
    rows = np.zeros((2, 6), dtype=np.uint8)
    put(rows, 1, 3, [0x010203, 0xFF0A0B0C])
    assert rows.tolist() == [[0, 1, 2, 3, 0, 0], [0, 10, 11, 12, 0, 0]]
    put(rows, 4, 2, 0x7FEE)
    assert rows[:, 4:].tolist() == [[0x7F, 0xEE]] * 2


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("0001 f203 f4f5 f6f7", 0x220D),  # RFC 1071, 3
        ("ffff ffff ffff ffff", 0),
        ("0000 0000 0000 0000", 0xFFFF),
        ("ffff 0001 0000 0000", 0xFFFE),
        ("ffff ffff 0001 0000", 0xFFFE),
    ],
)
def test_sums_are_folded(row: str, expected: int) -> None:
    rows = np.frombuffer(b"\xaa\xaa" + bytes.fromhex(row), dtype=np.uint8)[None, :]
    assert header_sums(rows, 2, 8).tolist() == [expected]


def chunk() -> Chunk:
    kinds = np.array([0, 2, 1, 2])
    return Chunk(["a", "b", "c"], kinds, np.zeros(4), np.array([20, 12, 20, 30]))


def test_rows_are_as_wide_as_the_longest_frame() -> None:
    found = chunk()
    assert found.rows.shape == (4, 30) and not found.rows.any()
    assert found.of("c").tolist() == [1, 3]
    assert found.of("a", "c").tolist() == [0, 1, 3]
    assert found.of().tolist() == []
    found.put_at(found.of("c"), 28, 2, [0x0102, 0x0304])
    assert found.rows[:, 28:].tolist() == [[0, 0], [1, 2], [0, 0], [3, 4]]


def test_a_payload_begins_with_its_number() -> None:
    found = chunk()
    found.put_payload(18, np.array([0, 1, 2, 9]))
    assert found.rows[:, 17].tolist() == [0] * 4
    assert found.rows[3, 18:].tolist() == [0] * 7 + [9, 287 & 255, 288 & 255, 33, 34]


# The writer.


@pytest.mark.parametrize("name", ["t.pcap", "t.pcapng"])
def test_frames_of_a_row_begin_when_the_longest_before_has_ended(
    name: str, tmp_path: Path
) -> None:
    rows = np.arange(5 * 104, dtype=np.int64).reshape(5, 104).astype(np.uint8)
    lengths = np.array([60, 100, 61, 59, 70])
    with FrameWriter(tmp_path / name, 2) as writer:
        writer.write(rows, lengths)
        writer.write(rows[:2], np.array([62, 63]))
    frames = read_capture(tmp_path / name, 2).frames
    # 124, 85 and 94 bytes with CRC and gap, at 8 ns a byte.
    times = [0, 0, 992, 992, 1672, 2424, 2424 + 86 * 8]
    assert [frame.time_ns for frame in frames] == times
    assert [frame.port for frame in frames] == [0, 1, 0, 1, 0, 1, 0]
    sent = [*zip(rows, lengths, strict=True), (rows[0], 62), (rows[1], 63)]
    assert [frame.data for frame in frames] == [
        row[:length].tobytes() for row, length in sent
    ]


def test_times_go_on_after_a_second(tmp_path: Path) -> None:
    with FrameWriter(tmp_path / "t.pcap", 1) as writer:
        writer.time_ns = 999_999_500
        writer.write(np.zeros((3, 60), dtype=np.uint8), np.array([60, 60, 60]))
    frames = read_capture(tmp_path / "t.pcap", 1).frames
    first = 999_999_500
    assert [frame.time_ns for frame in frames] == [first, first + 672, first + 1344]


def test_a_failed_trace_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), FrameWriter(tmp_path / "t.pcap", 1):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


# Sizes and draws.


@pytest.mark.parametrize(
    ("text", "expected", "weights"),
    [
        ("64", (64,), (1,)),
        ("64-66", (64, 65, 66), (1, 1, 1)),
        ("70-70", (70,), (1,)),
        ("64,512:2.5", (64, 512), (1, 2.5)),
        ("imix", (64, 594, 1518), (7, 4, 1)),
    ],
)
def test_sizes_have_weights(
    text: str, expected: tuple[int, ...], weights: tuple[float, ...]
) -> None:
    found = sizes(text)
    assert (found.sizes, found.weights) == (expected, weights)


KINDS = {name: PacketKind("dropped", "") for name in ("one", "two", "three-kinds")}


def drawn(packets: int, *shares: float) -> list[int]:
    names = ("one", "two", "three_kinds")
    args = argparse.Namespace(packets=packets, **dict(zip(names, shares, strict=True)))
    return np.bincount(draw_kinds(args, rng(), KINDS), minlength=4).tolist()


def test_shares_of_kinds_are_exact() -> None:
    assert drawn(1000, 0.1, 0, 0.25) == [650, 100, 0, 250]
    assert drawn(10, 0.5, 0.2, 0.3) == [0, 5, 2, 3]
    # Thirds of 2,000 are 667 each, one too many.
    assert drawn(2000, 1 / 3, 1 / 3, 1 / 3) == [0, 666, 667, 667]


@pytest.mark.parametrize("shares", [(0.5, 0.55, 0.0), (0.9, 0.9, 0.9), (1, 0.1, 0)])
def test_shares_above_1_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(InputError) as refusal:
        drawn(10, *shares)
    assert refusal.value.error_id == "E-traces-110"


class Fixed:
    """Draws given numbers."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def random(self, count: int) -> Any:
        return self.values[:count]


def flows(count: int, locality: str, values: list[float], exponent: float = 1.0) -> Any:
    args = argparse.Namespace(flows=count, locality=locality, exponent=exponent)
    return Flows(args, Fixed(values))  # type: ignore[arg-type]


def test_zipf_gives_rank_n_one_nth_of_the_first() -> None:
    # 1, 1/2 and 1/3 of 11/6: the first has 6 of 11, two have 9 of 11.
    draws = [0, 5.99 / 11, 6.01 / 11, 8.99 / 11, 9.01 / 11, 0.999999]
    assert flows(3, "zipf", draws).draw(6).tolist() == [0, 0, 1, 1, 2, 2]
    # Squares: 36, 9 and 4 of 49.
    draws = [35.9 / 49, 36.1 / 49, 44.9 / 49, 45.1 / 49, 1.0]
    assert flows(3, "zipf", draws, 2.0).draw(5).tolist() == [0, 1, 1, 2, 2]


def test_numbers_of_flows() -> None:
    assert flows(0, "zipf", []).count == 65536
    assert flows(5, "zipf", []).count == 5
    assert flows(0, "uniform", []).count == 0
    args = argparse.Namespace(flows=3, locality="uniform", exponent=1.0)
    assert set(Flows(args, rng()).draw(200).tolist()) == {0, 1, 2}


def test_draws_go_on_until_enough_are_accepted() -> None:
    asked: list[int] = []

    def draw(count: int) -> Any:
        asked.append(count)
        return np.arange(count)

    def accept(what: int) -> Any:
        return draw_accepted(5, draw, lambda tried: tried % what == 0)

    assert accept(2).tolist() == [0, 2, 4, 6, 8] and asked == [266]
    asked.clear()
    assert accept(1000).tolist() == [0] * 5
    assert asked == [266, 264, 262, 260, 258]
    asked.clear()
    assert draw_accepted(5, draw, lambda tried: tried < 0).tolist() == []
    assert asked == [266] * 64
    asked.clear()
    assert draw_accepted(0, draw, lambda tried: tried < 0).tolist() == []
    assert asked == [0]


# Headers and rules.

#: A UDP header: source, destination, ports, protocol, TOS, no flags.
HEADER = (0x0A010203, 0xC0000201, 5000, 53, 17, 0x28, NONE)


def matches(rule: Rule, **fields: int) -> bool:
    names = ("src", "dst", "sport", "dport", "protocol", "tos", "flags")
    values = [
        fields.get(name, value) for name, value in zip(names, HEADER, strict=True)
    ]
    # A second rule that matches all tells a miss from a fault.
    table = RuleTable([rule, Rule(0, 0, 0, 0)])
    (number,) = table.first_matches(np.array([values], dtype=np.int64)).tolist()
    assert number in (0, 1)
    return bool(number == 0)


@pytest.mark.parametrize(
    ("rule", "hits", "misses"),
    [
        (Rule(0x0A010203, 32, 0, 0), [{}], [{"src": 0x0A010202}]),
        (Rule(0x0A010202, 31, 0, 0), [{}, {"src": 0x0A010202}], [{"src": 0x0A010204}]),
        (Rule(0, 0, 0xC0000000, 24), [{"dst": 0xC00000FF}], [{"dst": 0xC0000100}]),
        (
            Rule(0, 0, 0, 0, sports=(5000, 5001)),
            [{}, {"sport": 5001}],
            [{"sport": 4999}, {"sport": 5002}, {"sport": NONE}],
        ),
        (
            Rule(0, 0, 0, 0, dports=(53, 54)),
            [{}, {"dport": 54}],
            [{"dport": 52}, {"dport": 55}, {"dport": NONE}],
        ),
        (Rule(0, 0, 0, 0, dports=(0, 65534)), [{}], [{"dport": NONE}]),
        (Rule(0, 0, 0, 0), [{"sport": NONE, "dport": NONE}], []),
        (Rule(0, 0, 0, 0, protocol=17), [{}], [{"protocol": 6}]),
        (Rule(0, 0, 0, 0, tos=(0x20, 0xF0)), [{}, {"tos": 0x2F}], [{"tos": 0x30}]),
        (
            Rule(0, 0, 0, 0, flags=(0x02, 0x12)),
            [{"flags": 0x02}, {"flags": 0x07}],
            [{"flags": 0x12}, {"flags": 0}, {}],
        ),
        (Rule(0, 0, 0, 0, flags=(0x13, 0x13)), [{"flags": 0xFF}], [{"flags": NONE}]),
    ],
)
def test_bounds_of_a_rule(
    rule: Rule, hits: list[dict[str, int]], misses: list[dict[str, int]]
) -> None:
    assert all(matches(rule, **fields) for fields in hits)
    assert not any(matches(rule, **fields) for fields in misses)


def test_the_first_of_two_rules_counts_and_none_is_minus_1() -> None:
    narrow, wide = Rule(0x0A000000, 8, 0, 0), Rule(0, 1, 0, 0)
    headers = np.array([HEADER, HEADER, HEADER], dtype=np.int64)
    headers[1, 0], headers[2, 0] = 0x0B000000, 0xF0000000
    for rules, expected in (([narrow, wide], [0, 1, -1]), ([wide, narrow], [0, 0, -1])):
        assert RuleTable(rules).first_matches(headers).tolist() == expected


def drawn_headers(rule: Rule) -> Any:
    return RuleTable([rule]).headers(np.zeros(4000, dtype=np.int64), rng())


def test_headers_of_a_rule_for_all() -> None:
    headers = drawn_headers(Rule(0, 0, 0, 0))
    assert set(headers[:, 4].tolist()) == {1, 6, 17, 47, 50}
    assert set(headers[:, 5].tolist()) == set(range(256))
    with_ports = np.isin(headers[:, 4], (6, 17))
    assert (headers[~with_ports, 2:4] == NONE).all()
    assert headers[with_ports, 2:4].min() >= 0
    assert headers[with_ports, 2:4].max() > 65000
    with_flags = np.isin(headers[:, 4], (1, 6))
    assert (headers[~with_flags, 6] == NONE).all()
    assert set(headers[with_flags, 6].tolist()) == set(range(256))


def test_headers_of_a_narrow_rule() -> None:
    rule = Rule(0x0A010200, 24, 0xC0000201, 32, (5, 7), (80, 80), tos=(0x25, 0x0F))
    headers = drawn_headers(rule)
    assert set(headers[:, 0].tolist()) == set(range(0x0A010200, 0x0A010300))
    assert set(headers[:, 1].tolist()) == {0xC0000201}
    assert set(headers[:, 2].tolist()) == {5, 6, 7}
    assert set(headers[:, 3].tolist()) == {80}
    # Ports need a protocol that has them.
    assert set(headers[:, 4].tolist()) == {17}
    assert set(headers[:, 5].tolist()) == set(range(5, 256, 16))
    assert set(headers[:, 6].tolist()) == {NONE}


def test_flags_need_a_protocol_that_has_them() -> None:
    headers = drawn_headers(Rule(0, 0, 0, 0, flags=(0x12, 0x1F)))
    assert set(headers[:, 4].tolist()) == {6}
    assert set(headers[:, 6].tolist()) == set(range(0x12, 256, 32))
    ports = drawn_headers(Rule(0, 0, 0, 0, dports=(0, 65534)))
    assert set(ports[:, 4].tolist()) == {17}
    given = drawn_headers(Rule(0, 0, 0, 0, protocol=1))
    assert set(given[:, 4].tolist()) == {1}
