"""Fields of frames, flows, and summaries, of frames written by hand."""

from collections.abc import Callable

import pytest

from npftrace.frames.fields import decode, differences, flow_of, summary

Build = Callable[..., bytes]
ETHER = bytes.fromhex("020000000000 0a0000000001")


def labelled(packet: bytes, *entries: int) -> bytes:
    stack = b"".join(entry.to_bytes(4, "big") for entry in entries)
    return ETHER + b"\x88\x47" + stack + packet


def test_fields_of_an_ipv4_packet_with_options(frame: Build) -> None:
    found = {f.name: (f.begin, f.end, f.text) for f in decode(frame(ihl=6))}
    assert found["ether.type"] == (12, 14, "0x0800")
    assert found["ipv4.ttl"] == (22, 23, "64")
    assert found["ipv4.dst"] == (30, 34, "10.1.2.3")
    assert found["ipv4.options"] == (34, 38, "01010101")
    assert found["udp.src_port"] == (38, 40, "1024")
    assert found["payload"][0] == 46


def test_fields_cover_a_frame_without_overlaps(frame: Build) -> None:
    data = labelled(frame()[14:], 100 << 12 | 0x40, 0xFFFFF << 12 | 0xFFF)
    at = 0
    for field in decode(data):
        assert field.begin == at
        at = field.end
    assert at == len(data)


def test_fields_of_a_label_stack(frame: Build) -> None:
    # Label 100, EXP 3, TTL 64; label 1048575, EXP 7, bottom, TTL 255.
    data = labelled(frame()[14:], 0x00064640, 0xFFFFFFFF)
    found = {f.name: f.text for f in decode(data)}
    assert found["mpls[0].label"] == "100 exp 3 bottom 0"
    assert found["mpls[0].ttl"] == "64"
    assert found["mpls[1].label"] == "1048575 exp 7 bottom 1"
    assert found["ipv4.src"] == "198.18.0.1"
    assert summary(data).endswith(" ttl 64 udp, 68 bytes")


def test_later_fragments_have_no_ports(frame: Build) -> None:
    names = {f.name for f in decode(frame(fragment=1))}
    assert "udp.src_port" not in names
    assert "udp.src_port" in {f.name for f in decode(frame(fragment=0x2000))}


def test_a_cut_header_shows_only_whole_fields(frame: Build) -> None:
    assert [f.name for f in decode(frame()[:13])] == [
        "ether.dst",
        "ether.src",
        "payload",
    ]


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


def test_all_fragments_of_a_packet_are_one_flow(frame: Build) -> None:
    first, later = frame(fragment=0x2000), frame(fragment=0x0010, payload=bytes(26))
    assert flow_of(first) == flow_of(later)


@pytest.mark.parametrize(("entry", "same"), [(0x00064141, True), (0x00065140, False)])
def test_labels_but_not_their_ttl_make_a_flow(
    entry: int, same: bool, frame: Build
) -> None:
    packet = frame()[14:]
    flow = flow_of(labelled(packet, 0x00064140))
    assert (flow_of(labelled(packet, entry)) == flow) == same


def test_the_first_wrong_byte_of_the_payload_is_named(frame: Build) -> None:
    data = bytearray(frame())
    data[50], data[55] = 0xAA, 0xBB
    assert differences(frame(), bytes(data)) == ["byte 50: expected 0x08, found 0xaa"]
