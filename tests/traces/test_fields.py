"""Fields of frames, flows, and summaries, of frames written by hand."""

from collections.abc import Callable

import pytest

from npftrace.frames.dissection import differences, dissect
from npftrace.frames.flows import flow_of, summary

Build = Callable[..., bytes]
ETHER = bytes.fromhex("020000000000 0a0000000001")
#: 2001:db8::1 to 2001:db8::2, hop limit 64, without the next header.
IPV6 = "60000000 {size:04x} {next:02x} 40 20010db8{zeros}01 20010db8{zeros}02"


def ipv6(protocol: int, payload: bytes) -> bytes:
    text = IPV6.format(size=len(payload), next=protocol, zeros="0" * 22)
    return ETHER + b"\x86\xdd" + bytes.fromhex(text) + payload


def labelled(packet: bytes, *entries: int) -> bytes:
    stack = b"".join(entry.to_bytes(4, "big") for entry in entries)
    return ETHER + b"\x88\x47" + stack + packet


def tagged(frame: bytes, *tags: int) -> bytes:
    inserted = b"".join(b"\x81\x00" + tag.to_bytes(2, "big") for tag in tags)
    return frame[:12] + inserted + frame[12:]


def test_fields_of_an_ipv4_packet_with_options(frame: Build) -> None:
    found = {f.name: (f.begin, f.end, f.text) for f in dissect(frame(ihl=6))}
    assert found["Ether.type"] == (12, 14, "IPv4 (0x800)")
    assert found["IP.ttl"] == (22, 23, "64")
    assert found["IP.dst"] == (30, 34, "10.1.2.3")
    assert found["IP.options"][:2] == (34, 38)
    assert found["UDP.sport"] == (38, 40, "1024")
    assert found["Raw.load"][0] == 46


def test_fields_cover_a_frame_without_overlaps(frame: Build) -> None:
    ipv4 = frame()[14:]
    for data in (
        labelled(ipv4, 100 << 12 | 0x40, 0xFFFFF << 12 | 0xFFF),
        tagged(frame(), 0x2005, 6),
        ipv6(6, bytes(20) + b"abc"),
        ipv6(58, bytes.fromhex("80001234") + bytes(9)),
        frame(size=80),
        ETHER + b"\x08\x06" + bytes(46),
        ETHER + b"\x88\xcc" + bytes(46),
        frame()[:20],
    ):
        at = 0
        for field in dissect(data):
            assert field.begin_bit == at
            at = field.end_bit
        assert at == 8 * len(data)


def test_fields_of_a_label_stack(frame: Build) -> None:
    # Label 100, EXP 3, TTL 64; label 1048575, EXP 7, bottom, TTL 255.
    data = labelled(frame()[14:], 0x00064640, 0xFFFFFFFF)
    found = {f.name: f.text for f in dissect(data)}
    assert (found["MPLS.label"], found["MPLS.cos"], found["MPLS.s"]) == (
        "100",
        "3",
        "0",
    )
    assert (found["MPLS:2.label"], found["MPLS:2.ttl"]) == ("1048575", "255")
    assert found["IP.src"] == "198.18.0.1"
    assert " label 100 label 1048575 IPv4 198.18.0.1 > " in summary(data)
    assert summary(data).endswith(" ttl 64 udp, 68 bytes")


def test_summaries_of_other_frames(frame: Build) -> None:
    start = "0a:00:00:00:00:01 > 02:00:00:00:00:00 "
    assert summary(tagged(frame(), 0x2005)).startswith(f"{start}vlan 5 IPv4 198.18")
    assert summary(ipv6(17, bytes(8))) == (
        f"{start}IPv6 2001:db8::1 > 2001:db8::2 hop limit 64 udp, 62 bytes"
    )
    assert summary(ETHER + b"\x08\x06" + bytes([0] * 7 + [2]) + bytes(38)) == (
        f"{start}ARP 2, 60 bytes"
    )
    assert summary(ETHER + b"\x88\xcc" + bytes(46)) == f"{start}type 0x88cc, 60 bytes"
    assert summary(ETHER[:9]) == "? > ?, 9 bytes"


def test_later_fragments_have_no_ports(frame: Build) -> None:
    names = {f.name for f in dissect(frame(fragment=1))}
    assert "UDP.sport" not in names
    assert "UDP.sport" in {f.name for f in dissect(frame(fragment=0x2000))}


def test_a_frame_cut_in_its_first_header_is_bytes(frame: Build) -> None:
    assert [f.name for f in dissect(frame()[:13])] == ["Raw.load"]
    assert dissect(b"") == [] or dissect(b"")[0].text == ""


TCP = bytes.fromhex("1234005000000001000000025010ffff00000000")
ASKS = bytes.fromhex("000108000604000102000000000a0a000001000000000000")
ECHO = bytes.fromhex("0800f7ff00010002")
#: Layers of a frame, the byte that is changed and to what, and the name of the field,
#: its value then and before, and its byte.
CHANGES: list[tuple[str, Callable[[Build], bytes], int, int, str, str, str, int]] = [
    (
        "Ether",
        lambda f: f(),
        5,
        9,
        "Ether.dst",
        "02:00:00:00:00:09",
        "02:00:00:00:00:00",
        0,
    ),
    ("Dot1Q", lambda f: tagged(f(), 0x2005), 15, 6, "Dot1Q.vlan", "6", "5", 14),
    (
        "Dot1Q priority",
        lambda f: tagged(f(), 0x2005),
        14,
        0x60,
        "Dot1Q.prio",
        "3",
        "1",
        14,
    ),
    ("Dot1Q twice", lambda f: tagged(f(), 5, 6), 19, 7, "Dot1Q:2.vlan", "7", "6", 18),
    ("IP", lambda f: f(), 22, 63, "IP.ttl", "63", "64", 22),
    ("IP flags", lambda f: f(), 20, 0x40, "IP.flags", "DF", "none", 20),
    (
        "MPLS",
        lambda f: labelled(f()[14:], 0x00064140),
        16,
        0x43,
        "MPLS.cos",
        "1",
        "0",
        16,
    ),
    (
        "MPLS twice",
        lambda f: labelled(f()[14:], 0x00064040, 0x00065140),
        21,
        63,
        "MPLS:2.ttl",
        "63",
        "64",
        21,
    ),
    ("UDP", lambda f: f(), 36, 1, "UDP.dport", "263", "7", 36),
    (
        "TCP",
        lambda f: f(payload=TCP)[:23] + b"\x06" + f(payload=TCP)[24:],
        47,
        0x12,
        "TCP.flags",
        "SA",
        "A",
        46,
    ),
    (
        "ICMP",
        lambda f: f(payload=ECHO)[:23] + b"\x01" + f(payload=ECHO)[24:],
        41,
        3,
        "ICMP.seq",
        "0x3",
        "0x2",
        40,
    ),
    (
        "ARP",
        lambda f: ETHER + b"\x08\x06" + ASKS + bytes(20),
        21,
        2,
        "ARP.op",
        "is-at (2)",
        "who-has (1)",
        20,
    ),
    (
        "IPv6",
        lambda f: ipv6(17, bytes.fromhex("00350035000c0000") + bytes(4)),
        21,
        63,
        "IPv6.hlim",
        "63",
        "64",
        21,
    ),
    (
        "IPv6 address",
        lambda f: ipv6(17, bytes(12)),
        53,
        3,
        "IPv6.dst",
        "2001:db8::3",
        "2001:db8::2",
        38,
    ),
    (
        "ICMPv6",
        lambda f: ipv6(58, bytes.fromhex("8000123400010002") + b"abcd"),
        56,
        0x99,
        "ICMPv6EchoRequest.cksum",
        "0x9934",
        "0x1234",
        56,
    ),
    ("payload", lambda f: f(), 50, 0xAA, "Raw.load", "0xaa", "0x08", 50),
]


@pytest.mark.parametrize(
    ("build", "at", "value", "name", "text", "wanted", "byte"),
    [change[1:] for change in CHANGES],
    ids=[change[0] for change in CHANGES],
)
def test_a_changed_field_is_named(
    build: Callable[[Build], bytes],
    at: int,
    value: int,
    name: str,
    text: str,
    wanted: str,
    byte: int,
    frame: Build,
) -> None:
    expected = build(frame)
    found = bytearray(expected)
    found[at] = value
    line = f"{name}: {text}, expected {wanted} (byte {byte})"
    assert differences(expected, bytes(found)) == [line]
    assert differences(expected, expected) == []


def test_the_first_wrong_byte_of_the_payload_is_named(frame: Build) -> None:
    data = bytearray(frame())
    data[50], data[55] = 0xAA, 0xBB
    (line,) = differences(frame(), bytes(data))
    assert line == "Raw.load: 0xaa, expected 0x08 (byte 50)"


def test_fields_are_compared_where_headers_grow(frame: Build) -> None:
    """An inserted option moves what follows, which is the same else."""
    names = [line.partition(":")[0] for line in differences(frame(), frame(ihl=6))]
    assert names == ["length", "IP.ihl", "IP.len", "IP.chksum", "IP.options"]


def test_comparison_ends_where_layers_differ(frame: Build) -> None:
    lines = differences(frame(), labelled(frame()[14:], 0x00064140))
    assert lines == [
        "length: 64 bytes, expected 60",
        "Ether.type: MPLS (0x8847), expected IPv4 (0x800) (byte 12)",
        "layers: MPLS, expected IP (byte 14)",
    ]


def test_all_bytes_are_compared(frame: Build) -> None:
    """Whichever bit of a frame differs, a line says so."""
    frames = [frame(ihl=6), tagged(frame(), 5), labelled(frame()[14:], 0x00064140)]
    frames.append(ipv6(58, bytes.fromhex("8700123400000000") + bytes(16) + b"\x01\x01"))
    for expected in frames:
        for at in range(len(expected)):
            found = bytearray(expected)
            found[at] ^= 0x10
            assert differences(expected, bytes(found)), at


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"ttl": 9}, True),
        ({"dst": "02:00:00:00:00:09"}, True),
        ({"ip_src": "198.18.0.2"}, False),
        ({"ip_dst": "10.1.2.4"}, False),
        ({"payload": b"\x04\x01\x00\x07" + bytes(22)}, False),
        ({"payload": b"\x04\x00\x00\x08" + bytes(22)}, False),
        ({"payload": b"\x04\x00\x00\x07" + bytes(22)}, True),
        ({"fragment": 0x4000}, True),
        ({"fragment": 0x2000}, False),
    ],
)
def test_a_flow_has_addresses_protocol_and_ports(
    change: dict[str, object], same: bool, frame: Build
) -> None:
    assert (flow_of(frame(**change)) == flow_of(frame())) == same
    tags = flow_of(tagged(frame(**change), 5)) == flow_of(tagged(frame(), 5))
    assert tags == same
    assert flow_of(tagged(frame(), 5)) != flow_of(tagged(frame(), 6))


def test_all_fragments_of_a_packet_are_one_flow(frame: Build) -> None:
    first, later = frame(fragment=0x2000), frame(fragment=0x0010, payload=bytes(26))
    assert flow_of(first) == flow_of(later)


def test_flows_of_ipv6() -> None:
    udp = bytes.fromhex("0400000700080000")
    hop_by_hop = bytes([17, 0, 1, 4, 0, 0, 0, 0])
    first, later = (bytes([17, 0, 0, offset, 0, 0, 0, 9]) for offset in (1, 8))
    assert flow_of(ipv6(17, udp)) == flow_of(ipv6(0, hop_by_hop + udp))
    assert flow_of(ipv6(17, udp)) != flow_of(ipv6(17, b"\x05" + udp[1:]))
    assert flow_of(ipv6(17, udp)) != flow_of(ipv6(6, udp))
    assert flow_of(ipv6(44, first + udp)) == flow_of(ipv6(44, later + bytes(8)))
    other = bytearray(ipv6(17, udp))
    other[53] = 9
    assert flow_of(ipv6(17, udp)) != flow_of(bytes(other))


@pytest.mark.parametrize(("entry", "same"), [(0x00064141, True), (0x00065140, False)])
def test_labels_but_not_their_ttl_make_a_flow(
    entry: int, same: bool, frame: Build
) -> None:
    packet = frame()[14:]
    flow = flow_of(labelled(packet, 0x00064140))
    assert (flow_of(labelled(packet, entry)) == flow) == same
