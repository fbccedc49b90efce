"""The protocols of the oracles, message by message: ARP, ICMP, IPv6, neighbours."""

from collections.abc import Callable

import pytest

from npftrace.frames.wire import checksum
from npftrace.oracle.protocols import arp, icmp, ipv6, nd
from npftrace.oracle.protocols.ipv4_options import process
from testkit.packets6 import HOST6, packet6
from testkit.packets6 import ROUTER6 as OWN6

Build = Callable[..., bytes]

OWN = 0xC0000201
HOST_MAC = 0x0A0000000005


# ICMP: RFC 792, RFC 1812.


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (0x00FFFFFF, True),
        (0x01000000, False),
        (0x7EFFFFFF, False),
        (0x7F000000, True),
        (0x7FFFFFFF, True),
        (0x80000000, False),
        (0xDFFFFFFF, False),
        (0xE0000000, True),
        (0xFFFFFFFF, True),
    ],
)
def test_martians_are_0_127_and_all_from_224(address: int, expected: bool) -> None:
    assert icmp.is_martian(address) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"fragment": 0x2000}, True),
        ({"fragment": 0xE000}, True),
        ({"fragment": 0x0001}, False),
        ({"fragment": 0x1000}, False),
        ({"ip_src": "0.0.0.1"}, False),
        ({"ip_src": "224.0.0.1"}, False),
        ({"ip_dst": "223.255.255.255"}, True),
        ({"ip_dst": "224.0.0.1"}, False),
        ({"ip_dst": "255.255.255.255"}, False),
    ],
)
def test_which_packets_get_a_message(
    fields: dict[str, int], expected: bool, frame: Build
) -> None:
    assert icmp.may_answer(frame(**fields)[14:]) == expected


@pytest.mark.parametrize("ihl", [5, 7])
@pytest.mark.parametrize("kind", range(20))
def test_errors_about_errors_are_not_sent(kind: int, ihl: int, frame: Build) -> None:
    packet = bytearray(frame(ihl=ihl, payload=bytes([kind]) + bytes(7))[14:])
    assert icmp.may_answer(bytes(packet))  # UDP
    packet[9] = 1
    assert icmp.may_answer(bytes(packet)) == (kind not in (3, 4, 5, 11, 12))


def test_the_header_of_a_router_has_precedence_6_and_ttl_64() -> None:
    # 45c0 + 0154 + 4000 + 4001 + c000 + 0201 + 0a01 + 0203 = 951b, folded.
    assert icmp.ipv4_header(0x154, 1, OWN, 0x0A010203) == bytes.fromhex(
        "45c00154 00004000 40016ae4 c0000201 0a010203"
    )


@pytest.mark.parametrize(
    ("total", "quoted"), [(20, 20), (547, 547), (548, 548), (549, 548), (1500, 548)]
)
def test_a_message_quotes_at_most_548_bytes(
    total: int, quoted: int, frame: Build
) -> None:
    packet = frame(payload=bytes(total - 20), size=1514)[14:]
    message = icmp.error(packet, 3, 4, OWN, word=1400)
    assert message[:20] == icmp.ipv4_header(28 + quoted, 1, OWN, 0xC6120001)
    assert message[20:22] == b"\x03\x04"
    assert message[24:28] == b"\x00\x00\x05\x78"
    assert message[28:] == packet[:quoted]
    assert checksum(message[20:]) == 0


def test_a_message_may_quote_other_bytes(frame: Build) -> None:
    message = icmp.error(frame()[14:], 11, 0, OWN, quote=b"\x45\x00\x00\x01")
    assert message[2:4] == b"\x00\x20"
    assert message[20:22] + message[24:] == b"\x0b\x00\0\0\0\0\x45\x00\x00\x01"


@pytest.mark.parametrize("ihl", [5, 6])
def test_an_echo_comes_back_with_its_data(ihl: int, frame: Build) -> None:
    at = 4 * ihl
    echo = b"\x08\x00\x12\x34\xab\xcd\x00\x07" + bytes(range(20))
    packet = bytearray(frame(ihl=ihl, ttl=7, payload=echo)[14:])
    packet[9] = 1
    reply = icmp.echo_reply(bytes(packet))
    assert reply[8] == 64
    assert reply[12:20] == bytes((10, 1, 2, 3, 198, 18, 0, 1))
    assert checksum(reply[:at]) == 0
    # The type falls by 0x0800, so the checksum rises by it.
    assert reply[at : at + 4] == b"\x00\x00\x1a\x34"
    assert reply[at + 4 :] == packet[at + 4 :]
    assert reply[:8] == packet[:8] and reply[20:at] == packet[20:at]


# Options of IPv4: the timestamp of RFC 791.

TIME = b"\x80\x00\x00\x00"
#: A time of a given address, up to the last byte of the address: 10.0.0.
GIVEN = b"\x44\x0c\x05\x03\x0a\0\0"


@pytest.mark.parametrize(
    ("option", "found"),
    [
        # Times: at the pointer, which counts from 1 and moves on by 4.
        (b"\x44\x08\x05\x00" + bytes(4), b"\x44\x08\x09\x00" + TIME),
        (b"\x44\x0c\x09\x00" + bytes(8), b"\x44\x0c\x0d\x00" + bytes(4) + TIME),
        # Addresses with times: eight bytes.
        (b"\x44\x0c\x05\x01" + bytes(8), b"\x44\x0c\x0d\x01\xc0\0\x02\x01" + TIME),
        # Times of given addresses: only of the router's own.
        (GIVEN + b"\x01" + bytes(4), GIVEN[:2] + b"\x0d\x03\x0a\0\0\x01" + TIME),
        (GIVEN + b"\x02" + bytes(4), None),
        # Full: the router counts itself in the upper half of the fourth byte.
        (b"\x44\x04\x05\x00", b"\x44\x04\x05\x10"),
        (b"\x44\x08\x09\xe1" + bytes(4), b"\x44\x08\x09\xf1" + bytes(4)),
        # Another flag is left alone.
        (b"\x44\x0c\x05\x02" + bytes(8), None),
    ],
)  # fmt: skip
def test_a_router_writes_its_time(option: bytes, found: bytes | None) -> None:
    own = (OWN, 0x0A000001)
    assert process(option, OWN, own) == (found or option, "", 0)
    # What comes before it is stepped over.
    assert process(b"\x01" + option, OWN, own).options == b"\x01" + (found or option)


def test_a_port_without_an_address_writes_none() -> None:
    option = b"\x44\x0c\x05\x01" + bytes(8)
    assert process(option, 0).options == option


@pytest.mark.parametrize(
    ("option", "at"),
    [
        # Too short for its four bytes; a pointer into them; no room for an entry;
        # more routers left out than can be counted.
        (b"\x44\x03\x05\x00", 21),
        (b"\x44\x08\x04\x00" + bytes(4), 22),
        (b"\x44\x07\x05\x00" + bytes(4), 22),
        (b"\x44\x0b\x05\x01" + bytes(8), 22),
        (b"\x44\x0b\x05\x03" + bytes(8), 22),
        (b"\x44\x04\x05\xf0", 23),
    ],
)
def test_a_wrong_timestamp_is_pointed_at(option: bytes, at: int) -> None:
    assert process(option, OWN) == (option, "bad_option", at)
    assert process(b"\x01" + option, OWN).at == at + 1


# ARP: RFC 826.


def test_an_arp_packet_has_the_lengths_of_ethernet_and_ipv4() -> None:
    assert arp.message(2, (0x020000000001, OWN), (HOST_MAC, 0x0A010203)) == (
        bytes.fromhex("0001 0800 0604 0002 020000000001 c0000201 0a0000000005 0a010203")
        + bytes(18)
    )


def test_a_request_is_broadcast() -> None:
    neighbour = arp.Neighbour(0x0A010203, 1)
    request = arp.Neighbours().request(0x020000000001, OWN, neighbour)
    assert request[:14] == b"\xff" * 6 + bytes.fromhex("020000000001 0806")
    assert request[14:] == arp.message(1, (0x020000000001, OWN), (0, 0x0A010203))


def neighbours(*hops: int) -> arp.Neighbours:
    """Neighbour n is 10.0.0.n on port 1."""
    found = arp.Neighbours()
    found.table = {hop: arp.Neighbour(0x0A000000 | hop, 1) for hop in hops}
    return found


def test_sixteen_packets_may_wait() -> None:
    waiting = neighbours(1, 2)
    assert [waiting.wait(1 + n % 2, bytes([n])) for n in range(17)] == [True] * 16 + [
        False
    ]
    assert waiting.learn(0x0A000001, 1, HOST_MAC) == [
        (1, HOST_MAC, bytes([n])) for n in range(0, 16, 2)
    ]
    assert waiting.wait(2, b"more") and len(waiting.waiting) == 9


@pytest.mark.parametrize(
    ("ip", "port", "six", "learned"),
    [
        (0x0A000001, 1, False, True),
        (0x0A000002, 1, False, False),
        (0x0A000001, 2, False, False),
        (0x0A000001, 1, True, False),
    ],
)
def test_a_neighbour_is_known_by_address_port_and_version(
    ip: int, port: int, six: bool, learned: bool
) -> None:
    found = neighbours(1)
    found.wait(1, b"packet")
    released = found.learn(ip, port, HOST_MAC, six)
    assert bool(released) == learned
    assert found.table[1].mac == (HOST_MAC if learned else None)


@pytest.mark.parametrize(
    ("old", "override", "mac", "age"),
    [
        (None, False, HOST_MAC, 0),
        (HOST_MAC, False, HOST_MAC, 0),
        (7, False, 7, 3),
        (7, True, HOST_MAC, 0),
    ],
)
def test_only_an_overriding_answer_changes_an_address(
    old: int | None, override: bool, mac: int, age: int
) -> None:
    found = neighbours(1)
    found.table[1] = arp.Neighbour(0x0A000001, 1, old, age=3, requests=2)
    found.learn(0x0A000001, 1, HOST_MAC, override=override)
    assert (found.table[1].mac, found.table[1].age) == (mac, age)
    assert found.table[1].requests == (0 if age == 0 else 2)


def test_a_silent_neighbour_is_forgotten_at_the_fourth_tick() -> None:
    found = neighbours(1)
    found.table[1, 5] = arp.Neighbour(5, 1)
    for neighbour in found.table.values():
        neighbour.mac, neighbour.requests, neighbour.asked = HOST_MAC, 2, True
    for age in (1, 2, 3):
        found.tick()
        assert [n.age for n in found.table.values()] == [age, age]
        assert [n.mac for n in found.table.values()] == [HOST_MAC, HOST_MAC]
        assert not found.table[1].asked
    found.tick()
    # One that a subnet made goes away, a next hop stays without an address.
    assert list(found.table) == [1]
    assert (found.table[1].mac, found.table[1].requests) == (None, 0)


def test_what_waits_is_given_up_after_the_third_request() -> None:
    found = neighbours(1, 2)
    for hop in (1, 2):
        found.wait(hop, b"packet")
    found.table[1].requests, found.table[2].requests = 3, 2
    found.tick()
    assert found.waiting == [(2, b"packet")]
    assert found.table[1].age == 0


# IPv6: RFC 8200, 4291, 4443.


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (0, True),
        (1, True),
        (2, False),
        (0x2001 << 112, False),
        (0xFE7F << 112, False),
        (0xFE80 << 112, True),
        (0xFEBF << 112, True),
        (0xFEC0 << 112, False),
        (0xFEFF << 112, False),
        (0xFF00 << 112, True),
        (0xFFFF << 112, True),
    ],
)
def test_addresses_that_stay_on_a_link(address: int, expected: bool) -> None:
    assert ipv6.is_bound_to_a_link(address) == expected


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (packet6(bytes(8)), ""),
        (packet6(bytes(8), length=7), ""),
        (packet6(bytes(8), length=9), "bad_length6"),
        (b"\x40" + packet6(bytes(8))[1:], "bad_version6"),
        (b"\x70" + packet6(bytes(8), length=9)[1:], "bad_version6"),
        (packet6(bytes(8), source=1), "martian_source6"),
        (packet6(bytes(8), source=1, destination=1), "martian_source6"),
        (packet6(bytes(8), destination=1), "martian_destination6"),
        (packet6(bytes(8), length=9, source=1), "bad_length6"),
    ],
)
def test_reasons_of_ipv6(packet: bytes, expected: str) -> None:
    assert ipv6.header_error(packet) == expected


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (packet6(b"\x01" + bytes(7)), True),
        (packet6(b"\x7f" + bytes(7), 58), False),
        (packet6(b"\x80" + bytes(7), 58), True),
        (packet6(b"\xff" + bytes(7), 58), True),
        # A message without its type may be an error.
        (packet6(b"", 58), False),
        (packet6(b"\x80" + bytes(7), 58, length=0), False),
        (packet6(b"", 59), True),
        (packet6(b"", destination=0xFF02 << 112), False),
        (packet6(b"", destination=0xFEFF << 112), True),
        (packet6(b"", source=0), False),
        (packet6(b"", source=0xFE80 << 112), False),
    ],
)
def test_which_packets_of_ipv6_get_a_message(packet: bytes, expected: bool) -> None:
    assert ipv6.may_answer(packet) == expected


def sum6(packet: bytes) -> int:
    """The checksum of an ICMPv6 message with its pseudo-header; 0 if it is right."""
    size = len(packet) - 40
    return checksum(
        packet[8:40] + size.to_bytes(4, "big") + b"\0\0\0\x3a" + packet[40:]
    )


@pytest.mark.parametrize(
    ("total", "quoted"), [(40, 40), (1231, 1231), (1232, 1232), (1233, 1232)]
)
def test_a_message_of_ipv6_fits_1280_bytes(total: int, quoted: int) -> None:
    packet = packet6(bytes(total - 40)) + b"padding"
    message = ipv6.error(packet, 2, OWN6, word=1280, code=3)
    assert message[:8] == b"\x6c\0\0\0" + (8 + quoted).to_bytes(2, "big") + b"\x3a\x40"
    assert message[8:24] == OWN6.to_bytes(16, "big")
    assert message[24:40] == HOST6.to_bytes(16, "big")
    assert message[40:42] + message[44:48] == b"\x02\x03\x00\x00\x05\x00"
    assert message[48:] == packet[:quoted]
    assert sum6(message) == 0


def test_an_echo_of_ipv6_comes_back() -> None:
    packet = packet6(b"\x80\x00\x56\x78\xab\xcd\x00\x01data", 58)
    reply = ipv6.echo_reply(packet)
    assert reply[:8] == packet[:7] + b"\x40"
    assert (reply[8:24], reply[24:40]) == (packet[24:40], packet[8:24])
    # The type rises by 0x0100, so the checksum falls by it.
    assert reply[40:] == b"\x81\x00\x55\x78\xab\xcd\x00\x01data"


# Neighbours: RFC 4861.


def neighbour6(
    kind: int = 135,
    code: int = 0,
    flags: int = 0,
    source: int = HOST6,
    destination: int = OWN6,
    target: int = OWN6,
    options: bytes | None = None,
    hop_limit: int = 255,
) -> bytes:
    """A message with a right checksum."""
    if options is None:
        options = bytes((1 if kind == 135 else 2, 1)) + HOST_MAC.to_bytes(6, "big")
    body = bytes((kind, code, 0, 0, flags, 0, 0, 0)) + target.to_bytes(16, "big")
    packet = packet6(body + options, 58, source, destination, hop_limit)
    return packet[:42] + sum6(packet).to_bytes(2, "big") + packet[44:]


GROUP_OF_OWN = 0xFF02 << 112 | 0x1FF000201


def test_a_neighbour_message_is_read() -> None:
    assert nd.read(neighbour6()) == (135, 0, HOST6, OWN6, OWN6, HOST_MAC)
    assert nd.read(neighbour6(136, flags=0xE0, target=HOST6)) == (
        136, 0xE0, HOST6, OWN6, HOST6, HOST_MAC,
    )  # fmt: skip
    assert nd.read(neighbour6() + bytes(4)) is not None  # padding


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": 134}, False),
        ({"kind": 137}, False),
        ({"code": 1}, False),
        ({"hop_limit": 254}, False),
        ({"source": 0xFF02 << 112 | 1}, False),
        ({"target": 0xFF02 << 112 | 1}, False),
        ({"target": 0xFE80 << 112 | 1}, True),
        # A solicitation needs the sender's address, and an advertisement the
        # target's; neither may be a group's.
        ({"options": b""}, False),
        ({"options": b"\x02\x01" + HOST_MAC.to_bytes(6, "big")}, False),
        ({"options": b"\x01\x01\x01" + bytes(5)}, False),
        ({"options": b"\x01\x01\x02" + bytes(5)}, True),
        ({"kind": 136, "options": b"\x01\x01" + bytes(6)}, False),
        ({"kind": 136, "options": b"\x02\x01" + bytes(6)}, True),
        # The sender of duplicate address detection has none, and asks the group.
        ({"source": 0, "destination": GROUP_OF_OWN, "options": b""}, True),
        ({"source": 0, "destination": GROUP_OF_OWN}, False),
        ({"source": 0, "destination": OWN6, "options": b""}, False),
        ({"kind": 136, "source": 0, "options": b""}, False),
        # An unasked advertisement may go to all nodes, an answer may not.
        ({"kind": 136, "destination": 0xFF02 << 112 | 1, "flags": 0x20}, True),
        ({"kind": 136, "destination": 0xFF02 << 112 | 1, "flags": 0x60}, False),
        ({"kind": 135, "destination": GROUP_OF_OWN, "flags": 0x40}, True),
        # Options of 0 bytes, and beyond the packet.
        ({"options": b"\x01\x00" + bytes(6)}, False),
        ({"options": b"\x01\x02" + bytes(6)}, False),
        # An option of 16 bytes holds no Ethernet address.
        ({"options": b"\x01\x02" + bytes(14)}, False),
        ({"options": b"\x05\x02" + bytes(14) + b"\x01\x01" + bytes(6)}, True),
    ],
)
def test_neighbour_messages_that_a_router_takes(
    fields: dict[str, int], expected: bool
) -> None:
    assert (nd.read(neighbour6(**fields)) is not None) == expected


def test_the_first_address_of_a_message_counts() -> None:
    options = b"\x01\x01" + bytes(5) + b"\x07" + b"\x01\x01" + bytes(5) + b"\x08"
    heard = nd.read(neighbour6(options=options))
    assert heard is not None and heard.mac == 7


@pytest.mark.parametrize(("others", "taken"), [(117 - 1, True), (117, False)])
def test_a_neighbour_message_has_at_most_1000_bytes(others: int, taken: bool) -> None:
    # 64 bytes, and options of eight bytes: 117 of them reach 1,000.
    options = b"\x01\x01" + bytes(6) + (b"\x0e\x01" + bytes(6)) * others
    assert (nd.read(neighbour6(options=options)) is not None) == taken


@pytest.mark.parametrize("change", [0, 4, 5, 6, 7, 24, 43, 48, 64])
def test_a_changed_byte_makes_a_neighbour_message_wrong(change: int) -> None:
    packet = bytearray(neighbour6())
    packet[change] ^= 0x10
    assert nd.read(bytes(packet)) is None


@pytest.mark.parametrize(("length", "taken"), [(16, False), (20, False), (24, True)])
def test_a_neighbour_message_holds_a_target(length: int, taken: bool) -> None:
    asked = neighbour6(source=0, destination=GROUP_OF_OWN, options=b"")
    packet = bytearray(asked[: 40 + length])
    packet[4:6] = length.to_bytes(2, "big")
    packet[42:44] = bytes(2)
    packet[42:44] = sum6(bytes(packet)).to_bytes(2, "big")
    assert (nd.read(bytes(packet)) is not None) == taken


def test_an_advertisement_answers_who_asked() -> None:
    heard = nd.read(neighbour6())
    assert heard is not None
    to, packet = nd.answer(heard, OWN6, 0x020000000001)
    assert to == HOST_MAC
    assert packet[:8] == b"\x6c\0\0\0\0\x20\x3a\xff"
    assert packet[8:40] == OWN6.to_bytes(16, "big") + HOST6.to_bytes(16, "big")
    assert packet[40:42] + packet[44:48] == b"\x88\x00\xe0\0\0\0"
    assert packet[48:] == OWN6.to_bytes(16, "big") + b"\x02\x01\x02\0\0\0\0\x01"
    assert sum6(packet) == 0


def test_an_advertisement_to_a_sender_without_address_goes_to_all_nodes() -> None:
    asked = neighbour6(source=0, destination=GROUP_OF_OWN, options=b"")
    heard = nd.read(asked)
    assert heard is not None
    to, packet = nd.answer(heard, OWN6, 0x020000000001)
    assert to == 0x333300000001
    assert packet[24:40] == b"\xff\x02" + bytes(13) + b"\x01"
    assert packet[44] == 0xA0
    assert sum6(packet) == 0


def test_a_solicitation_goes_to_the_group_of_its_target() -> None:
    to, packet = nd.solicitation(OWN6, 0x020000000001, HOST6)
    assert to == 0x3333FF0A0B0C
    assert packet[24:40] == bytes.fromhex("ff02 0000 0000 0000 0000 0001 ff0a 0b0c")
    assert packet[40:42] + packet[44:48] == b"\x87\x00\0\0\0\0"
    assert packet[48:] == HOST6.to_bytes(16, "big") + b"\x01\x01\x02\0\0\0\0\x01"
    assert sum6(packet) == 0
    heard = nd.read(packet)
    assert heard is not None and (heard.source, heard.mac) == (OWN6, 0x020000000001)
