"""Control files: calls of a program's control functions, one per line.

    route_add(10.0.0.0, 8, 3)
    @packet 5000 route_add(10.1.0.0, 16, 4)
    @end packets_to(3)

A call without a time runs before the first packet, `@packet N` before packet N,
`@cycle N` at a cycle of the simulator, `@end` after the last packet.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from npftrace.errors import InputError
from npftrace.files import read_bytes
from npftrace.frames.wire import ipv4_text, ipv4_value, ipv6_value, mac_text

_CALL = re.compile(
    r"(?:@(?P<unit>packet|cycle)\s+(?P<when>\d+)\s+|@(?P<end>end)\s+)?"
    r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*"
    r"\((?P<args>[^()]*)\)",
    re.ASCII,
)
_MAC = re.compile(r"[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)")

Unit = Literal["start", "packet", "cycle", "end"]


@dataclass(frozen=True)
class Call:
    """One line of a control file."""

    name: str
    args: tuple[int, ...]
    unit: Unit = "start"
    #: The number of a packet or of a cycle, by `unit`.
    when: int = 0
    line: int = 0

    @property
    def function(self) -> str:
        """The name without its module."""
        return self.name.rpartition(".")[2]


def read_control(path: Path) -> list[Call]:
    """The calls of a control file, in its order."""
    data = read_bytes(path, "E-traces-020", "the control file")
    text = data.decode(encoding="utf-8", errors="replace")
    calls = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].strip()
        if line:
            calls.append(_call(line, path, number))
    return calls


def _call(line: str, path: Path, number: int) -> Call:
    match = _CALL.fullmatch(line)
    if not match:
        raise InputError("E-traces-021", f"this is not a call: {line}", path, number)
    words = match["args"].split(",") if match["args"].strip() else []
    try:
        args = tuple(_argument(word.strip()) for word in words)
    except ValueError as error:
        raise InputError("E-traces-022", str(error), path, number) from error
    unit: Unit = "start"
    if match["unit"]:
        unit = "packet" if match["unit"] == "packet" else "cycle"
    elif match["end"]:
        unit = "end"
    return Call(match["name"], args, unit, int(match["when"] or 0), number)


def _argument(word: str) -> int:
    if _MAC.fullmatch(word):
        return int.from_bytes(bytes(int(b, 16) for b in word.split(":")), "big")
    if ":" in word:
        return ipv6_value(word)
    if "." in word:
        return ipv4_value(word)
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"'{word}' is neither a number nor an address")
    sign = -1 if word[0] == "-" else 1
    digits = word.lstrip("-")
    return sign * int(digits, 16 if digits[:2] in ("0x", "0X") else 10)


def write_ports(file: TextIO, macs: Iterable[int]) -> None:
    """The router's own MAC address on each port."""
    for port, mac in enumerate(macs):
        file.write(f"port_mac({port}, {mac_text(mac)})\n")


def write_hops(file: TextIO, hops: Iterable[tuple[int, int]]) -> None:
    """Next hops, given as pairs of port and MAC address."""
    for index, (port, mac) in enumerate(hops):
        file.write(f"next_hop_add({index}, {port}, {mac_text(mac)})\n")


def write_routes(file: TextIO, routes: Iterable[tuple[int, int, int]]) -> None:
    """Routes, given as triples of prefix, length and next-hop index."""
    for prefix, length, hop in routes:
        file.write(f"route_add({ipv4_text(prefix)}, {length}, {hop})\n")


def write_routes6(file: TextIO, routes: Iterable[tuple[int, int, int]]) -> None:
    """Routes of IPv6, given as triples of prefix, length and next-hop index."""
    for prefix, length, hop in routes:
        words = (prefix >> shift & 0xFFFFFFFF for shift in (96, 64, 32, 0))
        text = ", ".join(f"0x{word:x}" if word else "0" for word in words)
        file.write(f"route6_add({text}, {length}, {hop})\n")


def write_fecs(file: TextIO, fecs: Iterable[tuple[int, int, int]]) -> None:
    """FECs, given as triples of prefix, length and NHLFE index."""
    for prefix, length, nhlfe in fecs:
        file.write(f"fec_add({ipv4_text(prefix)}, {length}, {nhlfe})\n")


def write_bridge(file: TextIO, hosts: Iterable[tuple[int, int]]) -> None:
    """Stations, given as pairs of MAC address and port."""
    for mac, port in hosts:
        file.write(f"bridge_add({mac_text(mac)}, {port})\n")
