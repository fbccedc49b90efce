"""The numbers of made tables, counted again from the files that they come from.

Where the files are not at hand, the sums of each table still tell a wrong number.
"""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from npftrace.tables import fw1_rules, prefixes, prefixes6
from npftrace.tables.limits import IPV4, IPV6, Family
from npftrace.tables.rib import read_rib
from npftrace.tables.rules import ANY_PROTOCOL

Pair = tuple[int, int]


def real_file(name: str) -> Path:
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        pytest.skip("KARAKAL_TEST_DATA is not set: no real table")
    return Path(data, name)


def parents_of(routes: list[Pair], bits: int, shortest: int) -> Counter[Pair]:
    """How often prefixes of a length have a parent of another, 0 for none."""
    found: Counter[Pair] = Counter()
    open_prefixes: list[Pair] = []
    for prefix, length in sorted(set(routes)):
        while open_prefixes:
            outer, fixed = open_prefixes[-1]
            if prefix >> bits - fixed == outer >> bits - fixed:
                break
            open_prefixes.pop()
        parent = open_prefixes[-1][1] if open_prefixes else 0
        found[length, parent] += 1
        if length >= shortest:
            open_prefixes.append((prefix, length))
    return found


@pytest.mark.parametrize(
    ("name", "family", "made", "rare_parents"),
    [
        ("rib/ipv4-20020722-rrc05-as1853.txt.gz", IPV4, prefixes, 5),
        ("rib/ipv4+ipv6-2024-bart-prefixes.txt.gz", IPV6, prefixes6, 0),
    ],
    ids=["ipv4", "ipv6"],
)
def test_nesting_is_that_of_the_real_table(
    name: str, family: Family, made: Any, rare_parents: int
) -> None:
    routes = [route[:2] for route in read_rib(real_file(name), family)]
    found = parents_of(routes, family.bits, 8)
    parents: Counter[int] = Counter()
    of_length: Counter[int] = Counter()
    nested: Counter[int] = Counter()
    for (length, parent), count in found.items():
        of_length[length] += count
        if parent:
            parents[parent] += count
            nested[length] += count
    # Of 2002, five parents are longer than /24, and left out.
    rare = [length for length in parents if length not in made.PARENTS]
    assert sum(parents.pop(length) for length in rare) == rare_parents
    assert parents == made.PARENTS
    shares = {n: round(nested[n] / count, 2) for n, count in of_length.items()}
    assert shares == made.NESTED


def test_first_bytes_are_those_of_2002() -> None:
    routes = read_rib(real_file("rib/ipv4-20020722-rrc05-as1853.txt.gz"))
    assert Counter(prefix >> 24 for prefix, _, _ in routes) == prefixes.FIRST_BYTES


def sums(table: Mapping[Any, float]) -> list[float]:
    """The entries, the sum of values, and of values times each part of the key."""
    keys = [key if isinstance(key, tuple) else (key,) for key in table]
    weighted = [
        sum(key[part] * value for key, value in zip(keys, table.values(), strict=True))
        for part in range(len(keys[0]))
    ]
    return [len(table), sum(table.values()), *weighted]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (prefixes.FIRST_BYTES, [110, 112_986, 19_440_735]),
        (prefixes.PARENTS, [17, 58_319, 950_662]),
        (prefixes.NESTED, [24, 11.17, 278.48]),
        (prefixes6.PARENTS, [31, 91_091, 3_000_317]),
        (prefixes6.NESTED, [46, 26.63, 1_735.56]),
        (fw1_rules.PROTOCOLS, [5, 1_001, 14_440]),
        (fw1_rules.SOURCE_PORTS, [10, 101, 175_779]),
        (fw1_rules.DESTINATION_PORTS, [36, 103, 85_512]),
        (fw1_rules.TCP_FLAGS, [6, 999, 2_052, 17_472]),
        (fw1_rules.ICMP_TYPES, [6, 99, 882, 18_360]),
        (fw1_rules.LENGTHS["wc_wc"], [17, 1_003, 24_212, 8_718]),
        (fw1_rules.LENGTHS["hi_hi"], [3, 1_000, 20_704, 28_766]),
        (fw1_rules.LENGTHS["wc_em"], [6, 1_000, 1_726, 29_118]),
        (fw1_rules.LENGTHS["em_wc"], [3, 1_000, 26_304, 3_424]),
        (fw1_rules.LENGTHS["hi_em"], [2, 1_000, 32_000, 19_200]),
        (fw1_rules.LENGTHS["em_hi"], [2, 1_000, 32_000, 19_200]),
        (fw1_rules.LENGTHS["hi_ar"], [1, 1, 0, 0]),
        (fw1_rules.LENGTHS["ar_hi"], [1, 1, 0, 0]),
        (fw1_rules.LENGTHS["em_em"], [3, 1_000, 30_800, 29_600]),
    ],
)
def test_sums_of_the_numbers(table: Mapping[Any, float], expected: list[float]) -> None:
    assert sums(table) == pytest.approx(expected)


SEED = "rules/seeds/fw1_seed"
#: The order of the classes in a line of `-prots`.
CLASSES = (
    "wc_wc wc_hi hi_wc hi_hi wc_lo lo_wc hi_lo lo_hi lo_lo wc_ar ar_wc hi_ar ar_hi "
    "wc_em em_wc hi_em em_hi lo_ar ar_lo lo_em em_lo ar_ar ar_em em_ar em_em"
)


def section(name: str) -> list[list[str]]:
    """The words of the lines of a section of the parameter file."""
    text = real_file(SEED).read_text()
    lines = text.partition(f"-{name}\n")[2].partition("#")[0].splitlines()
    return [line.split() for line in lines]


def test_protocols_and_port_classes_are_those_of_fw1() -> None:
    shares: dict[int, int] = {}
    for protocol, share, *classes in section("prots"):
        shares[int(protocol) or ANY_PROTOCOL] = round(1000 * float(share))
        found = {
            name: round(1000 * float(part))
            for name, part in zip(CLASSES.split(), classes, strict=True)
            if float(part)
        }
        if int(protocol) in (6, 17):
            assert found == pytest.approx(fw1_rules.PORT_CLASSES[int(protocol)], abs=1)
        else:
            assert found == {"wc_wc": 1000}
    assert shares == pytest.approx(fw1_rules.PROTOCOLS, abs=1)


#: Classes whose lengths are not those of the file: of hi_em and of a row of wc_em
#: source and destination are swapped, and em_em has other rows.
OTHER_LENGTHS = {"wc_em", "hi_em", "em_em"}


@pytest.mark.parametrize("name", sorted(set(fw1_rules.LENGTHS) - OTHER_LENGTHS))
def test_lengths_are_those_of_fw1(name: str) -> None:
    found: dict[Pair, float] = {}
    for total, *sources in section(name):
        length, share = total.split(",")
        for source in sources:
            src, part = source.split(",")
            pair = int(src), int(length) - int(src)
            found[pair] = float(share) * float(part)
    table = fw1_rules.LENGTHS[name]
    whole = sum(table.values())
    assert found == pytest.approx({k: n / whole for k, n in table.items()}, abs=0.002)


@pytest.mark.parametrize(
    ("name", "table"),
    [("spem", fw1_rules.SOURCE_PORTS), ("dpem", fw1_rules.DESTINATION_PORTS)],
)
def test_ports_are_those_of_fw1(name: str, table: dict[int, int]) -> None:
    found = {int(ports.split(":")[0]): float(share) for share, ports in section(name)}
    # Four of the seventeen ports with one rule each are left out.
    found = {port: n for port, n in found.items() if port in table or n > 0.006}
    whole = sum(table.values())
    assert found == pytest.approx({k: n / whole for k, n in table.items()}, abs=0.006)


def test_ranges_of_ports_are_those_of_fw1() -> None:
    assert fw1_rules.TRACEROUTE_PORTS == (33434, 33600)
    assert [words[1] for words in section("spar")] == ["33434:33600"]


@pytest.mark.parametrize(
    ("protocol", "table"), [("1", fw1_rules.ICMP_TYPES), ("6", fw1_rules.TCP_FLAGS)]
)
def test_flags_are_those_of_fw1(protocol: str, table: dict[Pair, int]) -> None:
    found = {}
    for words in section("flags"):
        if words[0] != protocol:
            continue
        for word in words[1:]:
            flags, share = word.split(",")
            value, mask = (int(n, 16) >> 8 for n in flags.split("/"))
            found[value, mask] = float(share)
    whole = sum(table.values())
    assert found == pytest.approx({k: n / whole for k, n in table.items()}, abs=0.002)
