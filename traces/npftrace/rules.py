"""Firewall rules: made like ClassBench's fw1 sets, written as control calls, and
matched against many headers at once.

The numbers of `make_rules` are those of ClassBench's parameter file
`fw1_seed` (Taylor and Turner, "ClassBench: a packet classification
benchmark", 2005): protocols, port classes by protocol, prefix length pairs by
port class, well-known ports, flags. Prefixes come from few networks, as in a
firewall's configuration, so that they repeat and nest. The more specific rule
comes first.

The bulk match here serves the generator; the oracle of `npftrace check` tries
rule by rule.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from npftrace.wire import ipv4_text

Numbers = NDArray[np.int64]

ICMP, TCP, UDP, GRE = 1, 6, 17, 47
ANY_PROTOCOL = 256
ALL_PORTS = (0, 65535)
HIGH_PORTS = (1024, 65535)
FLOWS = 1024

# Of a packet without ports, and without flags or type.
NONE = -1

PROTOCOLS = {ANY_PROTOCOL: 11, ICMP: 39, TCP: 572, UDP: 322, GRE: 57}

# Port classes by protocol, source then destination: wildcard, high ports,
# arbitrary range, exact match.
PORT_CLASSES = {
    TCP: {"wc_wc": 185, "hi_hi": 68, "wc_em": 747},
    UDP: {
        "hi_hi": 66, "hi_ar": 11, "ar_hi": 11, "wc_em": 429, "em_wc": 308,
        "hi_em": 55, "em_hi": 55, "em_em": 66,
    },
}  # fmt: skip

# Prefix lengths, source then destination, by port class.
LENGTHS = {
    "wc_wc": {
        (0, 0): 117, (8, 0): 17, (12, 0): 17, (16, 0): 17, (21, 0): 67,
        (23, 0): 67, (26, 0): 17, (27, 0): 67, (28, 0): 33, (29, 0): 33,
        (30, 0): 83, (0, 32): 17, (32, 0): 183, (28, 32): 67, (32, 28): 67,
        (30, 32): 67, (32, 30): 67,
    },
    "hi_hi": {(0, 32): 353, (32, 21): 294, (32, 32): 353},
    "wc_em": {
        (0, 0): 63, (27, 0): 6, (0, 32): 881, (32, 0): 19, (26, 21): 6,
        (32, 32): 25,
    },
    "em_wc": {(0, 0): 71, (0, 32): 107, (32, 0): 822},
    "hi_em": {(32, 0): 400, (32, 32): 600},
    "em_hi": {(32, 0): 400, (32, 32): 600},
    "hi_ar": {(0, 0): 1},
    "ar_hi": {(0, 0): 1},
    "em_em": {(32, 28): 300, (28, 28): 300, (32, 32): 400},
}  # fmt: skip

SOURCE_PORTS = {
    123: 23, 53: 21, 750: 13, 161: 10, 88: 8, 69: 8, 24032: 5, 67: 5, 7648: 5, 162: 3,
}  # fmt: skip
DESTINATION_PORTS = {
    22: 17, 80: 11, 25: 10, 53: 10, 123: 7, 2105: 3, 21: 3, 544: 3, 750: 3,
    443: 2, 23: 2, 161: 2, 67: 2, 119: 2, 88: 2, 69: 2, 7648: 2, 110: 2,
    1999: 1, 37: 1, 754: 1, 24032: 1, 179: 1, 5999: 1, 113: 1, 13: 1, 138: 1,
    143: 1, 7649: 1, 8080: 1, 162: 1, 137: 1, 139: 1, 2055: 1, 871: 1, 2401: 1,
}  # fmt: skip
TRACEROUTE_PORTS = (33434, 33600)

# Value and mask.
TCP_FLAGS = {
    (0x02, 0x12): 963, (0, 0): 12, (0, 0x02): 6, (0x10, 0x10): 6, (0x04, 0x04): 6,
    (0x01, 0x01): 6,
}  # fmt: skip
ICMP_TYPES = {
    (8, 0xFF): 9, (0, 0xFF): 9, (0, 0): 27, (13, 0xFF): 18, (15, 0xFF): 18,
    (17, 0xFF): 18,
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """One rule; the first that matches a packet gives it its flow."""

    src: int
    src_length: int
    dst: int
    dst_length: int
    sports: tuple[int, int] = ALL_PORTS
    dports: tuple[int, int] = ALL_PORTS
    protocol: int = ANY_PROTOCOL
    tos: tuple[int, int] = (0, 0)
    flags: tuple[int, int] = (0, 0)


def write_rules(file: TextIO, rules: Sequence[Rule], flows: Sequence[int]) -> None:
    """The calls that load rules; the caller commits them."""
    for rule, flow in zip(rules, flows, strict=True):
        numbers = [*rule.sports, *rule.dports, rule.protocol, *rule.tos, *rule.flags]
        file.write(
            f"rule_add({flow}, {ipv4_text(rule.src)}, {rule.src_length}, "
            f"{ipv4_text(rule.dst)}, {rule.dst_length}, "
            f"{', '.join(map(str, numbers))})\n"
        )


def write_control(
    path: Path, rules: Sequence[Rule], dropped: Sequence[int], drop_unmatched: bool
) -> None:
    """A whole control file: the rules with a flow each, numbered from 0 and
    again from 0 after 1,023, and the flows to drop."""
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# {len(rules)} rules, {len(dropped)} flows to drop\n")
        write_rules(file, rules, flows_of(len(rules)))
        for flow in dropped:
            file.write(f"flow_action({flow}, 1)\n")
        file.write(f"default_action({int(drop_unmatched)})\n")
        file.write("rules_commit()\n")


def flows_of(count: int) -> list[int]:
    """The flow of each of so many rules."""
    return [number % FLOWS for number in range(count)]


def cut(address: int, length: int) -> int:
    """The first `length` bits of an address."""
    return address >> (32 - length) << (32 - length)


# ---- Made rules -------------------------------------------------------------


def make_rules(count: int, rng: np.random.Generator) -> list[Rule]:
    """`count` different rules of the kind of fw1, the more specific first."""
    maker = _Maker(count, rng)
    found: dict[Rule, None] = {}
    while len(found) < count:
        rule = maker.rule()
        # One for everything would leave nothing to the default action.
        if rule != Rule(0, 0, 0, 0):
            found[rule] = None
    return sorted(found, key=lambda rule: -(rule.src_length + rule.dst_length))


class _Maker:
    """Draws rules over a few networks and their hosts."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.rng = rng
        # Real sets have a distinct prefix for six rules on either side.
        networks = max(3, count // 80)
        self.networks = [self._unicast() for _ in range(networks)]
        hosts = max(8, count // 12)
        self.hosts = [
            [
                cut(self._pick(self.networks), 21) | int(rng.integers(0, 1 << 11))
                for _ in range(hosts)
            ]
            for _ in range(2)
        ]

    def _unicast(self) -> int:
        first = int(self.rng.integers(1, 223))
        return (first + (first >= 127)) << 24 | int(self.rng.integers(0, 1 << 24))

    def _pick(self, items: Sequence[int]) -> int:
        """One of the items, the first more often than the last."""
        return items[int(len(items) * self.rng.random() ** 1.5)]

    def _weighted(self, table: dict[Any, int]) -> Any:
        at = int(self.rng.integers(0, sum(table.values())))
        ends = list(accumulate(table.values()))
        return list(table)[bisect_right(ends, at)]

    def _prefix(self, side: int, length: int) -> int:
        return cut(self._pick(self.hosts[side]), length)

    def _ports(self, form: str, exact: dict[int, int]) -> tuple[int, int]:
        if form == "em":
            port = self._weighted(exact)
            return port, port
        return {"wc": ALL_PORTS, "hi": HIGH_PORTS, "ar": TRACEROUTE_PORTS}[form]

    def rule(self) -> Rule:
        protocol = self._weighted(PROTOCOLS)
        ports = self._weighted(PORT_CLASSES.get(protocol, {"wc_wc": 1}))
        src_length, dst_length = self._weighted(LENGTHS[ports])
        flags = (0, 0)
        if protocol == TCP:
            flags = self._weighted(TCP_FLAGS)
        elif protocol == ICMP:
            flags = self._weighted(ICMP_TYPES)
        sport, dport = ports.split("_")
        return Rule(
            self._prefix(0, src_length),
            src_length,
            self._prefix(1, dst_length),
            dst_length,
            self._ports(sport, SOURCE_PORTS),
            self._ports(dport, DESTINATION_PORTS),
            protocol,
            flags=flags,
        )


# ---- Headers ----------------------------------------------------------------

# Columns of a matrix of headers.
SRC, DST, SPORT, DPORT, PROTOCOL, TOS, FLAGS = range(7)


class RuleTable:
    """Rules as columns, to draw headers from and to match them."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.columns = np.array(
            [
                [
                    rule.src, rule.src_length, rule.dst, rule.dst_length,
                    *rule.sports, *rule.dports, rule.protocol, *rule.tos, *rule.flags,
                ]
                for rule in rules
            ],
            dtype=np.int64,
        )  # fmt: skip

    def headers(self, which: Numbers, rng: np.random.Generator) -> Numbers:
        """A header inside each of these rules, as random as the rule allows."""
        rule = self.columns[which].T
        count = len(which)
        result = np.zeros((count, 7), dtype=np.int64)
        for column, at in ((SRC, 0), (DST, 2)):
            inside = rng.integers(0, 1 << 32, size=count) & (
                (1 << (32 - rule[at + 1])) - 1
            )
            result[:, column] = rule[at] | inside
        for column, at in ((SPORT, 4), (DPORT, 6)):
            result[:, column] = rng.integers(rule[at], rule[at + 1] + 1)
        protocols = np.array([TCP, UDP, ICMP, GRE, 50])
        anything = protocols[rng.integers(0, len(protocols), size=count)]
        asks_for_ports = (rule[4:8].T != [0, 65535, 0, 65535]).any(axis=1)
        anything[asks_for_ports] = UDP
        anything[rule[12] != 0] = TCP
        result[:, PROTOCOL] = np.where(rule[8] == ANY_PROTOCOL, anything, rule[8])
        for column, at, bits in ((TOS, 9, 256), (FLAGS, 11, 256)):
            free = rng.integers(0, bits, size=count) & ~rule[at + 1]
            result[:, column] = free | (rule[at] & rule[at + 1])
        return normalized(result)

    def first_matches(self, headers: Numbers) -> Numbers:
        """The first rule that matches each header, -1 where none does."""
        result = np.full(len(headers), -1, dtype=np.int64)
        open_ = np.arange(len(headers))
        for number in range(len(self.rules)):
            if not len(open_):
                break
            hit = self._matches(number, headers[open_])
            result[open_[hit]] = number
            open_ = open_[~hit]
        return result

    def _matches(self, number: int, headers: Numbers) -> NDArray[np.bool_]:
        (src, src_length, dst, dst_length, *ports, protocol, tos, tos_mask, flags,
         flags_mask) = self.columns[number].tolist()  # fmt: skip
        hit: NDArray[np.bool_] = (headers[:, SRC] ^ src) >> (32 - src_length) == 0
        hit &= (headers[:, DST] ^ dst) >> (32 - dst_length) == 0
        if protocol != ANY_PROTOCOL:
            hit &= headers[:, PROTOCOL] == protocol
        for column, (first, last) in ((SPORT, ports[:2]), (DPORT, ports[2:])):
            if (first, last) != ALL_PORTS:
                hit &= (headers[:, column] >= first) & (headers[:, column] <= last)
        if tos_mask:
            hit &= (headers[:, TOS] ^ tos) & tos_mask == 0
        if flags_mask:
            hit &= headers[:, FLAGS] != NONE
            hit &= (headers[:, FLAGS] ^ flags) & flags_mask == 0
        return hit


def normalized(headers: Numbers) -> Numbers:
    """Headers without ports and flags where the protocol has none."""
    protocols = headers[:, PROTOCOL]
    without_ports = ~np.isin(protocols, (TCP, UDP))
    headers[without_ports, SPORT] = NONE
    headers[without_ports, DPORT] = NONE
    headers[~np.isin(protocols, (TCP, ICMP)), FLAGS] = NONE
    return headers
