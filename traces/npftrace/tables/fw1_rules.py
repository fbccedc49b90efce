"""Firewall rules made like ClassBench's fw1 sets.

The numbers are those of ClassBench's parameter file `fw1_seed` (Taylor and
Turner, "ClassBench: a packet classification benchmark", 2005): protocols, port
classes by protocol, prefix length pairs by port class, well-known ports, flags.
Prefixes come from few networks, as in a firewall's configuration, so that they
repeat and nest. The more specific rule comes first.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from npftrace.frames.wire import GRE, ICMP, TCP, UDP, ipv4_prefix
from npftrace.tables.rules import ALL_PORTS, ANY_PROTOCOL, Rule

HIGH_PORTS = (1024, 65535)

#: How often each protocol occurs; so with all tables below.
PROTOCOLS = {ANY_PROTOCOL: 11, ICMP: 39, TCP: 572, UDP: 322, GRE: 57}

#: Port classes by protocol, source then destination: wc (wildcard), hi (high
#: ports), ar (arbitrary range), em (exact match).
PORT_CLASSES = {
    TCP: {"wc_wc": 185, "hi_hi": 68, "wc_em": 747},
    UDP: {
        "hi_hi": 66, "hi_ar": 11, "ar_hi": 11, "wc_em": 429, "em_wc": 308,
        "hi_em": 55, "em_hi": 55, "em_em": 66,
    },
}  # fmt: skip

#: Prefix lengths, source then destination, by port class.
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

#: Value and mask.
TCP_FLAGS = {
    (0x02, 0x12): 963, (0, 0): 12, (0, 0x02): 6, (0x10, 0x10): 6, (0x04, 0x04): 6,
    (0x01, 0x01): 6,
}  # fmt: skip
ICMP_TYPES = {
    (8, 0xFF): 9, (0, 0xFF): 9, (0, 0): 27, (13, 0xFF): 18, (15, 0xFF): 18,
    (17, 0xFF): 18,
}  # fmt: skip


def make_rules(count: int, rng: np.random.Generator) -> list[Rule]:
    """`count` different rules like those of fw1, the more specific first."""
    maker = _RuleMaker(count, rng)
    found: dict[Rule, None] = {}
    while len(found) < count:
        rule = maker.rule()
        # A rule that matches everything would leave the default action unused.
        if rule != Rule(0, 0, 0, 0):
            found[rule] = None
    return sorted(found, key=lambda rule: -(rule.src_length + rule.dst_length))


class _RuleMaker:
    """Draws rules over a few networks and their hosts."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.rng = rng
        # Real sets have one distinct prefix for six rules, on either side.
        networks = max(3, count // 80)
        self.networks = [self._unicast() for _ in range(networks)]
        hosts = max(8, count // 12)
        self.hosts = [
            [
                ipv4_prefix(self._pick(self.networks), 21)
                | int(rng.integers(0, 1 << 11))
                for _ in range(hosts)
            ]
            for _ in range(2)
        ]

    def _unicast(self) -> int:
        first = int(self.rng.integers(1, 223))
        return (first + (first >= 127)) << 24 | int(self.rng.integers(0, 1 << 24))

    def _pick(self, items: Sequence[int]) -> int:
        """One of the items, early ones more often than late ones."""
        return items[int(len(items) * self.rng.random() ** 1.5)]

    def _weighted(self, table: dict[Any, int]) -> Any:
        at = int(self.rng.integers(0, sum(table.values())))
        ends = list(accumulate(table.values()))
        return list(table)[bisect_right(ends, at)]

    def _prefix(self, side: int, length: int) -> int:
        return ipv4_prefix(self._pick(self.hosts[side]), length)

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
