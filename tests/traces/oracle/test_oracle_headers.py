"""Headers that the oracles of firewall and MPLS read, and the bounds of calls."""

import pytest

from npftrace.errors import InputError
from npftrace.oracle.firewall import Firewall
from npftrace.oracle.firewall6 import header6_of
from npftrace.oracle.firewall_header import Header
from npftrace.oracle.l3_switch.switch import L3Switch
from npftrace.oracle.l3_switch.tables import flow_slot
from npftrace.oracle.mpls.router import Mpls
from npftrace.oracle.mpls.stack import (
    Entry,
    fold_addresses,
    fold_stack,
    pack,
    slot_of,
    stack_bytes,
    unpack,
)
from npftrace.tables.control import Call
from testkit.packets6 import HOST6, ROUTER6, packet6

UDP_BYTES = bytes.fromhex("1234 0007 0008 0000")
TCP_BYTES = bytes.fromhex("1234 0050 00000001 00000002 5012 2000 0000 0000")
ECHO6 = bytes.fromhex("8000 0000 0001 0002")


def found(payload: bytes, protocol: int) -> tuple[object, ...] | str:
    """Protocol, ports, and flags or type of a packet, or why it is dropped."""
    header = header6_of(packet6(payload, protocol))
    return header if isinstance(header, str) else header[3:4] + header[5:]


def options(following: int, units: int = 0) -> bytes:
    """Destination options of eight bytes, and so many times eight more."""
    return bytes((following, units)) + bytes(6 + 8 * units)


def fragment(following: int, offset: int, more: bool = True) -> bytes:
    return bytes((following, 0)) + (offset << 3 | more).to_bytes(2, "big") + bytes(4)


def test_all_fields_of_an_ipv6_packet() -> None:
    packet = bytearray(packet6(UDP_BYTES + b"more"))
    packet[0:2] = b"\x6a\xb5"
    assert header6_of(bytes(packet)) == Header(
        128, HOST6, ROUTER6, 17, 0xAB, (0x1234, 7), None
    )


@pytest.mark.parametrize(
    ("payload", "protocol", "expected"),
    [
        (UDP_BYTES, 17, (17, (0x1234, 7), None)),
        (UDP_BYTES[:7], 17, "short_transport"),
        (TCP_BYTES, 6, (6, (0x1234, 80), 0x12)),
        (TCP_BYTES[:19], 6, "short_transport"),
        (ECHO6, 58, (58, None, 128)),
        (ECHO6[:7], 58, "short_transport"),
        (b"", 47, (47, None, None)),
        (b"", 59, (59, None, None)),
        # ICMP of IPv4 has no type here.
        (ECHO6, 1, (1, None, None)),
    ],
)
def test_transport_headers_of_ipv6(
    payload: bytes, protocol: int, expected: object
) -> None:
    assert found(payload, protocol) == expected
    assert found(options(protocol) + payload, 60) == expected
    # What comes after the payload is no part of it.
    padded = packet6(payload + bytes(20), protocol, length=len(payload))
    assert isinstance(header6_of(padded), str) == isinstance(expected, str)


@pytest.mark.parametrize(
    ("payload", "protocol", "expected"),
    [
        (options(17) + UDP_BYTES, 0, 17),
        (options(17) + UDP_BYTES, 43, 17),
        (options(17, 3) + UDP_BYTES, 43, 17),
        (options(43) + options(17) + UDP_BYTES, 60, 17),
        # Hop-by-hop options come first.
        (options(0) + options(17) + UDP_BYTES, 60, "bad_header"),
        (options(0) + options(17) + UDP_BYTES, 0, "bad_header"),
        # Authentication counts words from the second on: 16 bytes.
        (bytes((17, 2)) + bytes(14) + UDP_BYTES, 51, 17),
        (bytes((17, 2)) + bytes(13), 51, "bad_header"),
        # A header ends inside the packet.
        (options(59), 60, 59),
        (options(59)[:7], 60, "bad_header"),
        (options(59, 1)[:15], 60, "bad_header"),
        (b"\x3b", 60, "bad_header"),
        (b"", 60, "bad_header"),
        (fragment(17, 0)[:7], 44, "bad_header"),
    ],
)
def test_extension_headers_of_ipv6(
    payload: bytes, protocol: int, expected: int | str
) -> None:
    header = found(payload, protocol)
    assert (header if isinstance(header, str) else header[0]) == expected


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (fragment(17, 0) + UDP_BYTES, (17, (0x1234, 7), None)),
        (fragment(17, 0) + UDP_BYTES[:4], "short_transport"),
        (fragment(17, 1) + UDP_BYTES, (17, None, None)),
        (fragment(17, 2), (17, None, None)),
        (fragment(6, 1) + TCP_BYTES, "tiny_fragment"),
        (fragment(6, 2) + TCP_BYTES, (6, None, None)),
        (fragment(6, 0x1FFF, False), (6, None, None)),
        (fragment(6, 0, False) + TCP_BYTES, (6, (0x1234, 80), 0x12)),
        # Nothing is read after the header of a later fragment.
        (fragment(60, 2) + b"\x11", (60, None, None)),
    ],
)
def test_fragments_of_ipv6(payload: bytes, expected: object) -> None:
    assert found(payload, 44) == expected


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (options(60) * 7 + options(17) + UDP_BYTES, 17),
        (options(60) * 8 + options(17) + UDP_BYTES, "long_headers"),
        # 960 bytes, and eight more.
        (options(17, 119) + UDP_BYTES, 17),
        (options(17, 120) + UDP_BYTES, "long_headers"),
        (options(60, 59) + options(17, 59) + UDP_BYTES, 17),
        (options(60, 59) + options(17, 60) + UDP_BYTES, "long_headers"),
        (options(60, 120) + options(17) + UDP_BYTES, "long_headers"),
        (options(44, 118) + fragment(17, 2), 17),
        (options(44, 119) + fragment(17, 2) + UDP_BYTES, "long_headers"),
    ],
)
def test_the_most_headers_of_ipv6(payload: bytes, expected: int | str) -> None:
    header = found(payload, 60)
    assert (header if isinstance(header, str) else header[0]) == expected


@pytest.mark.parametrize(
    "packet",
    [
        packet6(UDP_BYTES, length=9),
        b"\x50" + packet6(UDP_BYTES)[1:],
        b"\x70" + packet6(UDP_BYTES)[1:],
    ],
)
def test_a_bad_header_of_ipv6(packet: bytes) -> None:
    assert header6_of(packet) == "bad_header"


# Label stacks.


def stack(*labels: int, bottom: bool = True) -> bytes:
    entries = [label << 12 for label in labels]
    entries[-1] |= bottom << 8
    return b"".join(entry.to_bytes(4, "big") for entry in entries)


def test_a_label_stack_entry() -> None:
    entry = Entry(0xABCDE, 5, 1, 0x7F)
    assert pack(entry) == b"\xab\xcd\xeb\x7f"
    assert unpack(b"\xab\xcd\xeb\x7f\xff") == entry
    assert unpack(b"\xff\xff\xf0\xff") == (0xFFFFF, 0, 0, 255)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (stack(1), 4),
        (stack(1) + stack(2), 4),
        (stack(1, 2, 3), 12),
        (stack(1, 2, 3) + b"packet", 12),
        # Without a bottom it goes on beyond the packet.
        (stack(1, 2, bottom=False), 12),
        (stack(1, bottom=False) + b"abc", 8),
    ],
)
def test_bytes_of_a_stack(data: bytes, size: int) -> None:
    assert stack_bytes(data) == size


@pytest.mark.parametrize(
    ("folded", "slot"),
    [(0, 0), (1, 1), (7, 7), (8, 0), (0x10, 1), (0x100, 1), (0x700, 7), (0x1000, 1),
     (0x10000, 1), (0x80000, 0), (0x50000000, 5), (0x11, 0), (0x10213, 1)],
)  # fmt: skip
def test_slots_of_folded_bits(folded: int, slot: int) -> None:
    assert slot_of(folded) == slot
    assert flow_slot(folded, 0, 0) == flow_slot(0, folded, 0) == slot


def test_a_flow_folds_addresses_and_protocol() -> None:
    # 0a000001 ^ 0a010203 ^ 11 = 00010213.
    assert flow_slot(0x0A000001, 0x0A010203, 17) == 1
    assert flow_slot(0x0A000001, 0x0A010203, 6) == slot_of(0x00010204)


def test_addresses_are_folded_where_they_are() -> None:
    four = b"\x45" + bytes(11) + b"\x0a\x00\x00\x01\xc0\x00\x02\x05"
    assert fold_addresses(four) == 0xCA000204
    assert fold_addresses(four[:19]) == fold_addresses(b"") == 0
    assert fold_addresses(b"\x55" + four[1:]) == 0
    six = packet6(b"")
    assert fold_addresses(six) == 0x0201 ^ 0x0A0B0C
    assert fold_addresses(six[:39]) == 0


def test_sixteen_labels_and_what_is_below_are_folded() -> None:
    four = b"\x45" + bytes(11) + b"\x0a\x00\x00\x01\xc0\x00\x02\x05"
    assert fold_stack(stack(5, 9) + four) == 5 ^ 9 ^ 0xCA000204
    assert fold_stack(stack(5, 9, bottom=False)) == 5 ^ 9
    many = [1 << n for n in range(16)]
    assert fold_stack(stack(*many) + four) == 0xFFFF ^ 0xCA000204
    assert fold_stack(stack(*many, 1 << 17, bottom=False)) == 0xFFFF
    assert fold_stack(stack(*many[:15], bottom=False) + b"abc") == 0x7FFF


# Control calls.


def rule(src_length: int = 0, dst_length: int = 0, ports: tuple[int, ...] = ()) -> Call:
    four = ports or (0, 65535, 0, 65535)
    return Call("rule_add", (1, 0, src_length, 0, dst_length, *four, 256, 0, 0, 0, 0))


def rule6(src_length: int, dst_length: int) -> Call:
    args = (1, 0, src_length, 0, dst_length, 0, 65535, 0, 65535, 256, 0, 0, 0, 0)
    return Call("rule6_add", args)


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        (rule(32, 32), rule(33, 0)),
        (rule(0, 0), rule(0, 33)),
        (rule6(128, 128), rule6(129, 0)),
        (rule6(0, 0), rule6(0, 129)),
        (rule(ports=(5, 5, 7, 7)), rule(ports=(5, 4, 7, 7))),
        (rule(ports=(0, 5, 0, 7)), rule(ports=(0, 5, 8, 7))),
        (Call("port_pair", (3, 0)), Call("port_pair", (4, 0))),
        (Call("port_pair", (0, 3)), Call("port_pair", (0, 4))),
        (Call("stateful", (1,)), Call("stateful", (1,), "packet", 5)),
        (
            Call("connection_add", (1, 2, 3, 4, 17)),
            Call("connection_add", (1, 2, 3, 4, 1)),
        ),
        (
            Call("connection6_add", (1, 2, 3, 4, 6)),
            Call("connection6_add", (1, 2, 3, 4, 6), "packet", 5),
        ),
    ],
)
def test_bounds_of_a_firewalls_calls(taken: Call, refused: Call) -> None:
    Firewall([taken], 4, 0)
    with pytest.raises(InputError):
        Firewall([refused], 4, 0)


@pytest.mark.parametrize(("one", "most"), [(rule(), 10240), (rule6(0, 0), 1536)])
def test_the_most_rules_of_a_firewall(one: Call, most: int) -> None:
    Firewall([one] * most, 4, 0)
    with pytest.raises(InputError, match="more rules than there can be"):
        Firewall([one] * (most + 1), 4, 0)


LATER = ("packet", 5)


def nhlfe(count: int, *labels: int, hop: int = 0) -> Call:
    """Labels after these are reserved ones, which `count` must leave out."""
    return Call("nhlfe_set", (1, hop, count, *labels, *[3] * (4 - len(labels))))


def hop6(number: int, port: int) -> Call:
    return Call("next_hop_ip6", (number, port, 1, 1, 1, 1))


def address(length: int) -> Call:
    return Call("port_address", (0, 1 << 24, length))


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        (Call("port_mac", (3, 1)), Call("port_mac", (4, 1))),
        (Call("next_hop_add", (1, 3, 1)), Call("next_hop_add", (1, 4, 1))),
        (Call("next_hop_add", (1, 1, 1)), Call("next_hop_add", (1, 1, 0))),
        (nhlfe(0), nhlfe(0, hop=1)),
        (nhlfe(1, 16), nhlfe(1, 15)),
        (nhlfe(1, 0), nhlfe(1, 1)),
        (nhlfe(1, 2), nhlfe(2, 16)),
        (nhlfe(4, *[0xFFFFF] * 4), nhlfe(4, 16, 16, 16, 1 << 20)),
        (Call("port_mtu", (0, 592)), Call("port_mtu", (0, 591))),
        (Call("port_mtu", (0, 0)), Call("port_mtu", (0, 1500), *LATER)),
        (Call("port_address", (0, 1)), Call("port_address", (0, 1), *LATER)),
        (
            Call("port_address6", (0, 1, 2, 3, 4)),
            Call("port_address6", (0, 1, 2, 3, 4), *LATER),
        ),
        (Call("label_add", (16, 0)), Call("label_add", (15, 0))),
        (Call("label_pop", (16,)), Call("label_pop", (15,))),
        (Call("label_delete", (16,)), Call("label_delete", (15,))),
        (Call("fec_add", (0, 32, 0)), Call("fec_add", (0, 33, 0))),
        (
            Call("fec6_add", (0, 0, 0, 0, 128, 0)),
            Call("fec6_add", (0, 0, 0, 0, 129, 0)),
        ),
        (Call("group_slot", (0, 0, 0)), Call("group_slot", (0, 0, 9))),
    ],
)  # fmt: skip
def test_bounds_of_a_label_switching_routers_calls(taken: Call, refused: Call) -> None:
    known = [Call("next_hop_add", (0, 0, 1)), Call("nhlfe_set", (0, 0, *[0] * 5))]
    Mpls([*known, taken], 4, 0)
    with pytest.raises(InputError):
        Mpls([*known, refused], 4, 0)


def test_a_group_needs_all_of_its_eight_slots() -> None:
    calls = [Call("next_hop_add", (0, 0, 1)), Call("nhlfe_set", (0, 0, *[0] * 5))]
    slots = [Call("group_slot", (3, n, 0)) for n in range(8)]
    Mpls(
        [*calls, *slots, Call("nhlfe_group", (5, 3)), Call("label_add", (16, 5))], 4, 0
    )
    with pytest.raises(InputError, match="a slot without an NHLFE"):
        Mpls([*calls, *slots[:7], Call("nhlfe_group", (5, 3))], 4, 0)
    with pytest.raises(InputError, match="a slot without an NHLFE"):
        Mpls([*calls, *slots[1:], Call("nhlfe_group", (5, 3))], 4, 0)


ADDRESS6 = Call("port_address6", (1, 0x20010DB8, 0, 0, 1))


@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        (Call("port_mac", (3, 1)), Call("port_mac", (4, 1))),
        (Call("trunk_allow", (3, 9)), Call("trunk_allow", (4, 9))),
        (Call("next_hop_add", (1, 3, 1)), Call("next_hop_add", (1, 4, 1))),
        (Call("next_hop_ip", (1, 3, 1)), Call("next_hop_ip", (1, 4, 1))),
        (hop6(1, 1), hop6(1, 4)),
        (hop6(2, 1), hop6(1, 2)),
        (Call("next_hop_vlan", (0, 9)), Call("next_hop_vlan", (1, 9))),
        (Call("route_add", (0, 32, 0)), Call("route_add", (0, 33, 0))),
        (Call("route_add_group", (0, 32, 0)), Call("route_add_group", (0, 33, 0))),
        (Call("route_delete", (0, 32)), Call("route_delete", (0, 33))),
        (
            Call("route6_add", (0, 0, 0, 0, 128, 0)),
            Call("route6_add", (0, 0, 0, 0, 129, 0)),
        ),
        (Call("bridge_add", (1, 3)), Call("bridge_add", (1, 4))),
        (Call("bridge_add_in", (1, 3, 9)), Call("bridge_add_in", (1, 4, 9))),
        (address(8), address(7)),
        (address(30), address(31)),
        (Call("port_mtu", (0, 1500)), Call("port_mtu", (0, 1500), *LATER)),
        (Call("port_access", (0, 5)), Call("port_access", (0, 5), *LATER)),
    ],
)  # fmt: skip
def test_bounds_of_an_l3_switchs_calls(taken: Call, refused: Call) -> None:
    known = [ADDRESS6, Call("next_hop_add", (0, 0, 1))]
    L3Switch([*known, taken], 4, 0)
    with pytest.raises(InputError):
        L3Switch([*known, refused], 4, 0)
