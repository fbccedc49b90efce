"""The bounds of tables: the last value that is taken and the first that is not."""

import struct
from pathlib import Path

import numpy as np
import pytest

from npftrace.cli import main
from npftrace.errors import InputError
from npftrace.tables import mrt
from npftrace.tables.addresses import is_host, router_mac
from npftrace.tables.classbench import read_classbench
from npftrace.tables.control import write_routes6
from npftrace.tables.fw1_rules import make_rules
from npftrace.tables.labels import make_label_tables
from npftrace.tables.limits import IPV4, IPV6, Family, Trie
from npftrace.tables.rib import read_rib
from npftrace.tables.routers import make_tables, make_updates
from npftrace.tables.updates import spread


@pytest.mark.parametrize(
    ("first", "expected"),
    [(0, False), (1, True), (126, True), (127, False), (128, True), (223, True),
     (224, False), (255, False)],
)  # fmt: skip
def test_hosts_have_no_address_of_0_127_or_224(first: int, expected: bool) -> None:
    for rest in (0, 0xFFFFFF):
        assert is_host(first << 24 | rest) == expected


def test_arrays_of_addresses_are_judged_one_by_one() -> None:
    addresses = np.array([0x00FFFFFF, 0x01000000, 0x7F000001, 0xDFFFFFFF, 0xE0000000])
    assert is_host(addresses).tolist() == [False, True, False, True, False]


def test_the_port_is_the_last_byte_of_a_router() -> None:
    assert router_mac(3) == 0x020000000003


@pytest.mark.parametrize(
    ("field", "last", "first_wrong"),
    [
        ("@1.2.3.4/{} 0.0.0.0/0 0 : 1 0 : 1 0x06/0xFF", 32, 33),
        ("@1.2.3.4/32 0.0.0.0/{} 0 : 1 0 : 1 0x06/0xFF", 32, 33),
        ("@1.2.3.4/32 0.0.0.0/0 0 : {} 0 : 1 0x06/0xFF", 65535, 65536),
        ("@1.2.3.4/32 0.0.0.0/0 0 : 1 0 : {} 0x06/0xFF", 65535, 65536),
        ("@1.2.3.4/32 0.0.0.0/0 {} : 7 0 : 1 0x06/0xFF", 7, 8),
        ("@1.2.3.4/32 0.0.0.0/0 0 : 1 {} : 7 0x06/0xFF", 7, 8),
        ("@1.2.3.4/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0x{:02x}", 0xFF, 0xFE),
        ("@1.2.3.4/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0x{:02x}", 0, 1),
        ("@1.2.3.4/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0xFF 0x0/0x{:04x}", 0xFF00, 0xFF01),
    ],
)
def test_the_last_number_that_a_rule_may_have(
    field: str, last: int, first_wrong: int, tmp_path: Path
) -> None:
    path = tmp_path / "rules"
    path.write_text(f"\n{field.format(last)}\n")
    assert len(read_classbench(path)) == 1
    path.write_text(f"\n{field.format(first_wrong)}\n")
    with pytest.raises(InputError) as refusal:
        read_classbench(path)
    assert (refusal.value.error_id, refusal.value.line) == ("E-traces-141", 2)


def test_bits_outside_of_the_mask_are_no_flags(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("@1.2.3.4/8 0.0.0.0/0 0 : 1 2 : 3 0x11/0xFF 0x1300/0x1100\n")
    (rule,) = read_classbench(path)
    assert rule.flags == (0x11, 0x11)
    assert (rule.src, rule.sports, rule.dports) == (0x01000000, (0, 1), (2, 3))
    assert rule.protocol == 17


@pytest.mark.parametrize(
    ("family", "text", "taken"),
    [
        (IPV4, "1.2.3.255/32 A", True),
        (IPV4, "1.2.3.0/33 A", False),
        (IPV4, "0.0.0.0/0 A", True),
        (IPV4, "1.2.3.0/-1 A", False),
        (IPV4, "1.2.3.0/24 A B", False),
        (IPV6, "2001:db8::1/128 A", True),
        (IPV6, "2001:db8::1/129 A", False),
    ],
)
def test_the_last_length_of_a_route(
    family: Family, text: str, taken: bool, tmp_path: Path
) -> None:
    path = tmp_path / "rib"
    path.write_text(text)
    if taken:
        assert len(read_rib(path, family)) == 1
        return
    with pytest.raises(InputError) as refusal:
        read_rib(path, family)
    assert (refusal.value.error_id, refusal.value.line) == ("E-traces-121", 1)


def test_a_prefix_alone_is_a_host_and_a_comment_is_none(tmp_path: Path) -> None:
    path = tmp_path / "rib"
    path.write_text("# 9.9.9.9/8 X\n10.1.2.3 A # 11.0.0.0/8 B\n10.255.0.0/9 B\n")
    assert read_rib(path) == [(0x0A010203, 32, "A"), (0x0A800000, 9, "B")]


def test_levels_of_a_trie() -> None:
    # Bits before a level, and how many of its nodes have the room of the largest.
    assert list(IPV4.levels()) == [(18, 1), (22, 4), (24, 1), (28, 1)]
    levels = list(IPV6.levels())
    assert (levels[0], levels[-1], len(levels)) == ((16, 1), (124, 1), 28)
    assert sum(IPV4.strides) == IPV4.bits
    assert sum(IPV6.strides) == IPV6.bits


@pytest.mark.parametrize(
    ("length", "chunks"), [(0, 0), (18, 0), (19, 1), (22, 1), (23, 2), (24, 2),
                           (25, 3), (28, 3), (29, 4), (32, 4)],
)  # fmt: skip
def test_chunks_that_one_route_needs(length: int, chunks: int) -> None:
    trie = Trie(IPV4)
    trie.add(0, length)
    assert trie.chunks == chunks
    fresh = Trie(IPV4)
    assert fresh.takes(0, length, chunks)
    assert chunks == 0 or not fresh.takes(0, length, chunks - 1)


def test_words_of_ipv6_routes(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    with path.open("w") as file:
        write_routes6(file, [(0x20010DB8_00000001_00000000_ABCDEF01, 128, 9)])
    assert path.read_text() == "route6_add(0x20010db8, 0x1, 0, 0xabcdef01, 128, 9)\n"


NEXT_HOP = bytes((0x40, 3, 4, 192, 0, 2, 7))


def mrt_record(kind: int, subtype: int, body: bytes) -> bytes:
    return struct.pack(">IHHI", 0, kind, subtype, len(body)) + body


def rib_body(length: int, prefix: bytes, *entries: bytes) -> bytes:
    body = struct.pack(">IB", 1, length) + prefix + struct.pack(">H", len(entries))
    for attributes in entries:
        body += struct.pack(">HIH", 0, 0, len(attributes)) + attributes
    return body


def test_a_dump_is_known_by_the_kind_of_its_first_record() -> None:
    assert [mrt.is_mrt(mrt_record(kind, 1, b"")) for kind in (11, 12, 13, 14)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert mrt.is_mrt(bytes((0, 0, 0, 0, 0, 13)).ljust(12, b"\0"))
    assert not mrt.is_mrt(bytes((0, 0, 0, 0, 0, 13)).ljust(11, b"\0"))


@pytest.mark.parametrize(
    ("length", "prefix", "expected"),
    [
        (0, b"", 0),
        (8, b"\x0a", 0x0A000000),
        (9, b"\x0a\xff", 0x0A800000),
        (16, b"\x0a\x01", 0x0A010000),
        (32, b"\x0a\x01\x02\x03", 0x0A010203),
    ],
)
def test_a_prefix_of_a_dump_has_the_bytes_of_its_length(
    length: int, prefix: bytes, expected: int
) -> None:
    data = mrt_record(13, 2, rib_body(length, prefix, NEXT_HOP))
    assert list(mrt.routes_of(data)) == [(expected, length, "192.0.2.7")]


def test_a_prefix_longer_than_an_address_is_malformed() -> None:
    data = mrt_record(13, 2, rib_body(33, bytes(5), NEXT_HOP))
    with pytest.raises(ValueError, match="byte 0 is malformed"):
        list(mrt.routes_of(data))
    old = struct.pack(">HHIBBIIHH", 0, 0, 0x0B000000, 33, 1, 0, 0, 7, 7) + NEXT_HOP
    with pytest.raises(ValueError, match="malformed"):
        list(mrt.routes_of(mrt_record(12, 1, old)))


def test_the_first_entry_with_a_next_hop_counts() -> None:
    other = bytes((0x40, 3, 4, 10, 0, 0, 1))
    no_hop = bytes((0x40, 1, 1, 0))
    for entries, hop in (
        ((no_hop, NEXT_HOP, other), "192.0.2.7"),
        ((other, NEXT_HOP), "10.0.0.1"),
        ((no_hop + NEXT_HOP,), "192.0.2.7"),
        ((bytes((0x50, 2, 0, 3, 9, 9, 9)) + NEXT_HOP,), "192.0.2.7"),
    ):
        data = mrt_record(13, 2, rib_body(8, b"\x0a", *entries))
        assert list(mrt.routes_of(data)) == [(0x0A000000, 8, hop)]
    assert not list(mrt.routes_of(mrt_record(13, 2, rib_body(8, b"\x0a", no_hop))))


@pytest.mark.parametrize(
    ("bytes_missing", "message"),
    [(1, "record at .* is cut"), (24, "a record is cut at")],
)
def test_a_cut_record_is_said_with_its_place(bytes_missing: int, message: str) -> None:
    first = mrt_record(13, 1, b"")
    data = first + mrt_record(13, 2, rib_body(8, b"\x0a", NEXT_HOP))
    where = f"byte {len(first)}"
    with pytest.raises(ValueError, match=message) as refusal:
        list(mrt.routes_of(data[:-bytes_missing]))
    assert where in str(refusal.value)


def rng() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(1))


def test_updates_come_evenly_between_the_packets() -> None:
    tables = make_tables(rng(), 4, 20, 8, 3, default_route=True)
    updates = make_updates(rng(), tables, 3, 1000)
    assert [at for at, _, _ in updates] == [250, 500, 750]
    assert all(route < 20 and hop < 8 for _, route, hop in updates)


def test_a_route_has_the_hop_of_its_last_update() -> None:
    tables = make_tables(rng(), 4, 20, 8, 3, default_route=False)
    tables.hops[:] = 5
    tables.updates = [(10, 2, 6), (10, 3, 1), (20, 2, 7)]
    assert [tables.hop_at(2, packet) for packet in (9, 10, 19, 20)] == [5, 6, 6, 7]
    assert tables.hop_at(3, 9) == 5
    assert tables.hop_at(3, 10) == 1
    assert tables.hop_at(0, 99) == 5


def test_a_twentieth_of_the_flows_is_dropped_unless_told_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, control = tmp_path / "rules", tmp_path / "c.txt"
    line = "@10.0.{}.0/24 0.0.0.0/0 0 : 1 2 : 3 0x11/0xFF\n"
    path.write_text("".join(line.format(n) for n in range(60)))
    arguments = ["tables", "from-classbench", str(path), "--control", str(control)]
    assert main(arguments) == 0
    assert "60 rules, 3 flows to drop" in capsys.readouterr().out
    assert main([*arguments, "--limit", "20"]) == 0
    assert "20 rules, 1 flows to drop" in capsys.readouterr().out
    assert "default_action(0)" in control.read_text()


def test_sizes_of_made_tables() -> None:
    tables = make_tables(rng(), 4, 20, 8, 3, default_route=True)
    lengths = tables.lengths.tolist()
    for prefix, length in zip(tables.prefixes.tolist(), lengths, strict=True):
        assert prefix % (1 << 32 - length) == 0
        assert length == 0 or is_host(prefix)
    assert (0, 0) in zip(tables.prefixes.tolist(), tables.lengths.tolist(), strict=True)
    assert len(tables.prefixes) == len(tables.hops) == 20
    assert tables.hop_ports.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert len(set(tables.hop_macs.tolist())) == 8
    assert {mac >> 40 for mac in tables.hop_macs.tolist()} == {0x06}
    assert {mac >> 40 for mac in tables.host_macs.tolist()} == {0x0A}
    assert tables.host_ports.tolist() == [0, 1, 2, 3] * 3


def test_labels_have_the_operations_in_turn() -> None:
    made = make_label_tables(rng(), ports=4, hops=8, labels=17, fecs=40, push=2)
    # Swap four times, pop twice, swap and push, forward.
    assert made.operations.tolist() == [0, 0, 0, 0, 2, 2, 1, 3] * 2 + [0]
    assert all(16 <= label < 65536 for label in made.labels.tolist())
    assert len(set(made.labels.tolist())) == 17
    counts = made.nhlfe_counts.tolist()
    assert counts[:8] == [0] * 8
    assert counts[8 : 8 + 1024] == [2] * 1024
    # A swap has one label; swap and push has one more for each push, 1 to 3.
    assert counts[8 + 1024 :] == [
        1, 1, 1, 1, 0, 0, 2, 0, 1, 1, 1, 1, 0, 0, 4, 0, 1,
    ]  # fmt: skip
    assert made.label_nhlfes.tolist() == list(range(1032, 1049))
    assert made.nhlfe_labels.shape == (1049, 4)
    assert made.nhlfe_hops[:8].tolist() == list(range(8))
    assert made.hop_ports.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert {mac >> 32 for mac in made.hop_macs.tolist()} == {0x0601}
    begins = [nhlfe for nhlfe in made.fec_nhlfes.tolist() if nhlfe >= 8]
    assert len(begins) == 20
    assert max(begins) < 1032
    assert made.indices_of(2).tolist() == [4, 5, 12, 13]
    assert made.indices_of(1, 3).tolist() == [6, 7, 14, 15]


def test_made_rules_have_addresses_of_few_networks() -> None:
    rules = make_rules(960, rng())
    # 960 rules: twelve networks of /21, eighty hosts on either side.
    networks = {rule.src >> 11 for rule in rules if rule.src_length >= 21}
    assert 8 <= len(networks) <= 12
    hosts = {rule.src for rule in rules if rule.src_length == 32}
    assert 50 <= len(hosts) <= 80
    assert all(is_host(rule.src) for rule in rules if rule.src_length >= 8)


def test_one_second_is_shared_by_its_updates() -> None:
    assert spread([7]) == [0]
    assert spread([7, 7, 7, 7, 9]) == [0, 0.25, 0.5, 0.75, 2]
