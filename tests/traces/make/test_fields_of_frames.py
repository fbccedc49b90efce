"""The fields of made frames: which are fixed, and which values the others take.

Draws have fixed seeds and so many frames that small ranges occur in full, and the
ends of large ones nearly so.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from npftrace.frames.wire import checksum
from npftrace.make import firewall_frames, ipv4, ipv6, mpls

Make = Callable[..., Any]
BROADCAST = b"\xff" * 6
#: With CRC. All headers fit, and payload follows.
SIZE = "--size 100"


def every_kind(kinds: Iterable[str], share: float = 0.03) -> str:
    return f"{SIZE} --packets 12000 " + " ".join(f"--{name} {share}" for name in kinds)


def at(data: bytes, begin: int, size: int) -> int:
    return int.from_bytes(data[begin : begin + size], "big")


def assert_spans(values: Iterable[int], low: int, high: int, slack: float) -> None:
    """All lie from `low` to `high`, and some near either end."""
    seen = list(values)
    near = slack * (high - low)
    assert low <= min(seen) <= low + near
    assert high - near <= max(seen) <= high


def assert_payload(data: bytes, begin: int, number: int) -> None:
    """The number, then bytes that count up from 31 times the number."""
    assert data[begin : begin + 8] == number.to_bytes(8, "big")
    rest = range(8, len(data) - begin)
    assert data[begin + 8 :] == bytes((number * 31 + i) & 255 for i in rest)


def assert_one_bit_is_wrong(number: int, header: bytes) -> None:
    """The upper byte of the checksum has a wrong bit, that of the number modulo 8."""
    right = checksum(header[:10] + bytes(2) + header[12:])
    assert at(header, 10, 2) ^ right == 1 << (8 + number % 8)


# IPv4.


@pytest.fixture(scope="module")
def plain(make_trace: Make) -> Any:
    return make_trace("ipv4", f"{SIZE} --packets 6000 --routes 500")


@pytest.fixture(scope="module")
def mixed(make_trace: Make) -> Any:
    return make_trace("ipv4", every_kind(ipv4.PACKET_KINDS) + " --routes 500")


def test_fixed_fields_of_ipv4(plain: Any) -> None:
    for number, frame in enumerate(plain.frames):
        data = frame.data
        assert frame.port == number % 4 and len(data) == 96
        assert data[:6] == bytes((2, 0, 0, 0, 0, frame.port))
        assert data[12:18] == b"\x08\x00\x45\x00\x00\x52"
        assert data[20:22] + data[23:24] == b"\0\0\x11"
        assert data[36:42] == b"\x00\x07\x00\x3e\x00\x00"
        assert checksum(data[14:34]) == 0
        assert_payload(data, 42, number)


def test_drawn_fields_of_ipv4(plain: Any) -> None:
    frames = [frame.data for frame in plain.frames]
    assert {data[22] for data in frames} == set(range(2, 256))
    assert_spans((at(data, 18, 2) for data in frames), 0, 0xFFFF, 0.005)
    assert_spans((at(data, 26, 4) for data in frames), 0xC6120000, 0xC613FFFF, 0.005)
    assert_spans((at(data, 34, 2) for data in frames), 1024, 0xFFFF, 0.005)
    assert {data[33] for data in frames} == set(range(256))


def stations(trace: Any) -> dict[int, int]:
    """The port of each station."""
    calls = [call for call in trace.calls if call.function == "bridge_add"]
    return {call.args[0]: call.args[1] for call in calls}


def test_every_station_sends_on_its_port(plain: Any) -> None:
    ports = stations(plain)
    assert Counter(ports.values()) == {0: 32, 1: 32, 2: 32, 3: 32}
    senders = {at(frame.data, 6, 6): frame.port for frame in plain.frames}
    assert senders == ports


def test_bridged_frames_go_to_stations(mixed: Any) -> None:
    ports = stations(mixed)
    for number, frame in mixed.of("bridged"):
        out = ports[at(frame.data, 0, 6)]
        assert out != frame.port and mixed.answers[number]["out"] == [out]
    for _, frame in mixed.of("same_port"):
        assert ports[at(frame.data, 0, 6)] == frame.port
        assert frame.data[:6] != frame.data[6:12]


def test_flooded_frames_of_ipv4(mixed: Any) -> None:
    frames = [frame.data for _, frame in mixed.of("flooded")]
    arp = [d for d in frames if d[12:14] == b"\x08\x06"]
    others = [d for d in frames if d[12:14] == b"\x08\x00"]
    broadcast = [d for d in others if d[:6] == BROADCAST]
    groups = [d for d in others if d[:3] == b"\x01\x00\x5e"]
    unknown = [d for d in others if d[:2] == b"\x0a\x01"]
    assert [len(part) for part in (arp, broadcast, groups, unknown)] == [360] * 4
    assert all(data[:6] == BROADCAST for data in arp)
    assert_spans((at(data, 3, 3) for data in groups), 0, 0x7FFFFF, 0.05)
    assert_spans((at(data, 2, 4) for data in unknown), 0, 0xFFFFFFFF, 0.05)


@pytest.mark.parametrize(("outcome", "operation"), [("flooded", 1), ("arp_done", 2)])
def test_arp_frames_of_ipv4(outcome: str, operation: int, mixed: Any) -> None:
    found = [
        (number, frame.data)
        for number, frame in mixed.of(outcome)
        if frame.data[12:14] == b"\x08\x06"
    ]
    assert len(found) == 360
    for number, data in found:
        assert len(data) == 60
        assert data[14:22] == bytes((0, 1, 8, 0, 6, 4, 0, operation))
        assert data[22:28] == data[6:12]
        assert at(data, 28, 4) >> 17 == 0xC612 >> 1
        assert data[32:38] == bytes(6) and at(data, 38, 4) >= 1 << 24
        assert at(data, 42, 8) == number and data[50:] == bytes(10)


@pytest.mark.parametrize(
    ("reason", "byte", "values"),
    [
        ("ttl_expired", 22, [0, 1]),
        ("bad_version", 14, [v << 4 | 5 for v in (0, 1, 2, 3, *range(5, 16))]),
        ("bad_header_length", 14, range(0x40, 0x45)),
        ("truncated", 14, [0x4F]),
        ("not_ip", 12, [0x88]),
        ("not_ip", 13, [0xB5]),
    ],
)
def test_wrong_bytes_of_ipv4(
    reason: str, byte: int, values: Iterable[int], mixed: Any
) -> None:
    frames = [frame.data for _, frame in mixed.of(reason)]
    assert len(frames) == 360
    assert {data[byte] for data in frames} == set(values)
    assert {len(data) for data in frames} == {60 if reason == "truncated" else 96}


def test_wrong_lengths_are_too_long_or_below_20(mixed: Any) -> None:
    lengths = [(number, at(f.data, 16, 2)) for number, f in mixed.of("bad_length")]
    beyond = [length for number, length in lengths if number % 2 == 0]
    assert_spans(beyond, 82 + 1, 82 + 999, 0.1)
    assert {length for number, length in lengths if number % 2} == set(range(20))


def test_one_bit_of_a_wrong_checksum(mixed: Any) -> None:
    for number, frame in mixed.of("bad_checksum"):
        assert_one_bit_is_wrong(number, frame.data[14:34])


def test_options_and_fragments_of_ipv4(mixed: Any) -> None:
    routed = mixed.of("routed")
    marked = [(number, f.data) for number, f in routed if f.data[14] == 0x46]
    assert len(marked) == 360
    for number, data in marked:
        assert data[34:38] == b"\x94\x04\x00\x00" and checksum(data[14:38]) == 0
        assert at(data, 38, 2) >= 1024 and data[40:42] == b"\x00\x07"
        assert at(data, 42, 2) == 58 and at(data, 46, 8) == number
    fragments = [at(f.data, 20, 2) for _, f in routed if at(f.data, 20, 2)]
    assert len(fragments) == 360
    assert_spans(fragments, 0x2000, 0x3FFF, 0.05)


# IPv6.


@pytest.fixture(scope="module")
def plain6(make_trace: Make) -> Any:
    return make_trace("ipv6", f"{SIZE} --packets 6000")


def test_fixed_fields_of_ipv6(plain6: Any) -> None:
    for number, frame in enumerate(plain6.frames):
        data = frame.data
        assert frame.port == number % 4 and len(data) == 96
        assert data[:6] == bytes((2, 0, 0, 0, 0, frame.port))
        assert data[6:15] == bytes((0x0A, 0, 0, 0, 0, frame.port, 0x86, 0xDD, 0x60))
        assert data[15] < 16
        assert data[18:21] == b"\x00\x2a\x11"
        assert data[22:30] == b"\x20\x01\x00\x02\0\0\0\0"
        assert data[56:62] == b"\x00\x07\x00\x2a\x00\x01"
        assert_payload(data, 62, number)


def test_drawn_fields_of_ipv6(plain6: Any) -> None:
    frames = [frame.data for frame in plain6.frames]
    assert {data[21] for data in frames} == set(range(2, 256))
    assert_spans((at(data, 14, 4) for data in frames), 6 << 28, 0x600FFFFF, 0.005)
    assert_spans((at(data, 54, 2) for data in frames), 1024, 0xFFFF, 0.005)
    for begin in (30, 46):
        assert_spans((at(data, begin, 8) for data in frames), 1, (1 << 62) - 1, 0.005)


def test_the_shortest_frame_of_ipv6_holds_a_number(make_trace: Make) -> None:
    frames = make_trace("ipv6", "--size 64-80 --packets 1000").frames
    assert {len(frame.data) for frame in frames} == {74, 75, 76}
    assert all(at(f.data, 62, 8) == n for n, f in enumerate(frames))


@pytest.mark.parametrize(
    ("reason", "begin", "size", "value"),
    [
        ("hop_limit", 21, 1, 1),
        ("bad_version6", 14, 1, 0x40),
        ("bad_length6", 18, 2, 0xFFFF),
        ("martian_destination6", 38, 2, 0xFF0E),
        ("no_route6", 38, 2, 0x3FFE),
    ],
)
def test_wrong_fields_of_ipv6(
    reason: str, begin: int, size: int, value: int, make_trace: Make
) -> None:
    trace = make_trace("ipv6", every_kind(ipv6.PACKET_KINDS))
    frames = [frame.data for _, frame in trace.of(reason)]
    assert len(frames) == 360
    assert {at(data, begin, size) for data in frames} == {value}
    if reason == "no_route6":
        assert_spans((at(data, 40, 6) for data in frames), 0, (1 << 47) - 1, 0.05)


# Frames of a bridge.


def test_what_no_share_claims_is_bridged(make_trace: Make) -> None:
    def outcomes(options: str) -> dict[str, int]:
        trace = make_trace("l2", "--packets 1000 " + options)
        return Counter(a.get("reason", a["outcome"]) for a in trace.answers)

    assert outcomes("") == {"bridged": 1000}
    assert outcomes("--arp .1 --same-port .2") == {
        "bridged": 700, "flooded": 100, "same_port": 200,
    }  # fmt: skip
    assert outcomes("--broadcast .5 --unknown .5") == {"flooded": 1000}


# MPLS.


@pytest.fixture(scope="module")
def labelled(make_trace: Make) -> Any:
    options = " --depth 4 --labels 200 --fecs 300 --push 2"
    return make_trace("mpls", every_kind(mpls.PACKET_KINDS) + options)


def stack_of(data: bytes) -> list[int]:
    """The label stack entries of a frame, and none of an IPv4 frame."""
    entries: list[int] = []
    while data[12:14] == b"\x88\x47" and not (entries and entries[-1] >> 8 & 1):
        entries.append(at(data, 14 + 4 * len(entries), 4))
    return entries


def test_packets_of_mpls_follow_their_stack(labelled: Any) -> None:
    for number, frame in enumerate(labelled.frames):
        if frame.data[12:14] == b"\x08\x06":
            continue
        packet = frame.data[14 + 4 * len(stack_of(frame.data)) :]
        room = at(packet, 2, 2)
        assert len(packet) == room and packet[0] == 0x45
        assert packet[1] & 31 == 0 and packet[9] == 17
        assert at(packet, 4, 2) == number and packet[6:8] == b"\0\0"
        assert packet[22:28] == b"\x00\x07" + (room - 20).to_bytes(2, "big") + b"\0\0"
        assert at(packet, 28, 8) == number


def test_drawn_fields_of_mpls(labelled: Any) -> None:
    stacks = [stack_of(frame.data) for frame in labelled.frames]
    packets = [
        frame.data[14 + 4 * len(stack) :]
        for frame, stack in zip(labelled.frames, stacks, strict=True)
    ]
    entries = [entry for stack in stacks for entry in stack]
    below = [entry >> 12 for stack in stacks for entry in stack[1:]]
    assert {len(stack) for stack in stacks} == {0, 1, 2, 3, 4}
    assert {entry >> 9 & 7 for entry in entries} == set(range(8))
    assert {entry & 255 for entry in entries} == set(range(256))
    assert_spans(below, 16, (1 << 20) - 1, 0.01)
    assert {packet[1] for packet in packets} == set(range(0, 256, 32))
    assert_spans((at(p, 12, 4) for p in packets), 0xC6120000, 0xC613FFFF, 0.01)
    assert_spans((at(p, 20, 2) for p in packets), 1024, 61023, 0.01)


def test_ttls_of_mpls(labelled: Any) -> None:
    expired = [frame.data for _, frame in labelled.of("ttl_expired")]
    tops = [stack_of(data)[0] & 255 for data in expired if stack_of(data)]
    inner = [data[22] for data in expired if not stack_of(data)]
    assert (len(tops), len(inner)) == (360, 360)
    assert set(tops) == set(inner) == {0, 1}
    for outcome in ("labelled", "routed"):
        frames = [frame.data for _, frame in labelled.of(outcome)]
        tops = [stack_of(data)[0] & 255 for data in frames if stack_of(data)]
        inner = [data[22] for data in frames if not stack_of(data)]
        assert min(tops) == min(inner) == 2
        assert max(tops) == 255 and max(inner) > 250


def test_labels_that_are_not_in_the_tables(labelled: Any) -> None:
    reserved = [stack_of(f.data)[0] >> 12 for _, f in labelled.of("reserved_label")]
    assert set(reserved) == set(range(3, 16))
    known = {c.args[0] for c in labelled.calls if c.function.startswith("label_")}
    unknown = [stack_of(f.data)[0] >> 12 for _, f in labelled.of("unknown_label")]
    assert len(known) == 200 and not known & set(unknown)
    assert_spans(unknown, 16, 65536 + 1023, 0.05)


def test_stations_and_checksums_of_mpls(labelled: Any) -> None:
    for number, frame in labelled.of("not_for_router"):
        assert at(frame.data, 0, 6) == 0x0A0000020000 | number
    for number, frame in labelled.of("bad_checksum"):
        assert_one_bit_is_wrong(number, frame.data[14:34])
    for _, frame in labelled.of("routed"):
        begin = 14 + 4 * len(stack_of(frame.data))
        assert checksum(frame.data[begin : begin + 20]) == 0


# Firewalls.


@pytest.fixture(scope="module")
def guarded(make_trace: Make) -> Any:
    options = every_kind(firewall_frames.PACKET_KINDS) + " --rules 60"
    return make_trace("firewall", options)


@pytest.fixture(scope="module")
def guarded6(make_trace: Make) -> Any:
    options = every_kind(firewall_frames.PACKET_KINDS) + " --rules 60 --ipv6"
    return make_trace("firewall", options)


def test_stations_of_a_firewall(guarded: Any, guarded6: Any) -> None:
    for trace in (guarded, guarded6):
        for frame in trace.frames:
            assert at(frame.data, 6, 6) == 0x0A0000010000 | frame.port
            if frame.data[12:14] != b"\x08\x06":
                assert at(frame.data, 0, 6) == 0x0A0000010000 | frame.port ^ 1


def test_transport_headers_of_a_firewall(guarded: Any) -> None:
    seen: Counter[int] = Counter()
    for number, frame in guarded.of("passed"):
        data = frame.data
        if data[12:15] != b"\x08\x00\x45" or at(data, 20, 2):
            continue
        seen[data[23]] += 1
        assert at(data, 16, 2) == 82 and at(data, 18, 2) == number
        assert checksum(data[14:34]) == 0
        if data[23] == 17:
            assert data[38:42] == b"\x00\x3e\0\0"
        elif data[23] == 6:
            assert data[38:47] == number.to_bytes(4, "big") + b"\0\0\0\0\x50"
            assert data[48:54] == b"\x20\x00\0\0\0\0"
        elif data[23] == 1:
            assert at(data, 35, 7) == number
    assert min(seen[protocol] for protocol in (1, 6, 17)) > 100
    assert {f.data[22] for _, f in guarded.of("passed")} >= set(range(1, 256))


def test_fragments_of_a_firewall(guarded: Any) -> None:
    for _, frame in guarded.of("tiny_fragment"):
        assert frame.data[20:22] + frame.data[23:24] == b"\x00\x01\x06"
        assert len(frame.data) == 60
    words = [
        at(frame.data, 20, 2)
        for frame in guarded.frames
        if frame.data[12:15] == b"\x08\x00\x45"
    ]
    later = [word for word in words if word & 0x1FFF > 1]
    assert len(later) == 360 and {word & 0xE000 for word in later} == {0, 0x2000}
    assert_spans((word & 0x1FFF for word in later), 2, 0x1FFF, 0.05)


@pytest.mark.parametrize(("protocol", "needed"), [(6, 20), (17, 8)])
def test_short_transport_headers(
    protocol: int, needed: int, guarded: Any, guarded6: Any
) -> None:
    short = [frame.data for _, frame in guarded.of("short_transport")]
    assert {at(data, 16, 2) - 20 for data in short if data[23] == protocol} == set(
        range(needed)
    )
    short6 = [frame.data for _, frame in guarded6.of("short_transport")]
    assert {at(data, 18, 2) for data in short6 if data[20] == protocol} == set(
        range(needed)
    )


def test_bad_headers_of_a_firewall(guarded: Any, guarded6: Any) -> None:
    seen = Counter(frame.data[14] for _, frame in guarded.of("bad_header"))
    assert set(seen) == {0x40, 0x44, 0x45, 0x56, 0x65} and seen[0x45] == 120
    for _, frame in guarded.of("bad_header"):
        assert at(frame.data, 16, 2) == (83 if frame.data[14] == 0x45 else 82)
    seen = Counter(frame.data[14] for _, frame in guarded6.of("bad_header"))
    assert set(seen) == {0x00, 0x40, 0x50, 0x60, 0x70} and seen[0x60] == 120
    for _, frame in guarded6.of("bad_header"):
        assert at(frame.data, 18, 2) == (43 if frame.data[14] == 0x60 else 42)


def test_options_and_other_types_of_a_firewall(guarded: Any, guarded6: Any) -> None:
    marked = [f.data for f in guarded.frames if f.data[12:15] == b"\x08\x00\x46"]
    assert len(marked) == 360
    for data in marked:
        assert data[34:38] == b"\x94\x04\x00\x00" and checksum(data[14:38]) == 0
    assert {f.data[12:14] for _, f in guarded.of("not_ipv4")} == {b"\x86\xdd"}
    assert {f.data[12:14] for _, f in guarded6.of("not_ipv4")} == {b"\x80\x9b"}


def test_arp_of_a_firewall(guarded: Any) -> None:
    arp = [(n, f.data) for n, f in guarded.of("passed") if f.data[:6] == BROADCAST]
    assert len(arp) == 360
    for number, data in arp:
        assert data[12:22] == bytes((8, 6, 0, 1, 8, 0, 6, 4, 0, 1))
        assert data[22:28] == data[6:12] and at(data, 28, 4) == 0x0A000000 | number
        assert data[32:] == bytes(28)


def test_packets_without_a_rule_have_none(guarded: Any) -> None:
    rules = Counter(answer.get("rule") for answer in guarded.answers)
    assert rules[-1] >= 360
    # 60 rules are 60 flows, of which a tenth is dropped.
    dropped = [c.args[0] for c in guarded.calls if c.function == "flow_action"]
    assert len(dropped) == 6 and max(dropped) < 60


def test_fields_of_a_firewall_for_ipv6(guarded6: Any) -> None:
    hops = set()
    for number, frame in enumerate(guarded6.frames):
        data = frame.data
        if data[12:14] != b"\x86\xdd" or data[14] >> 4 != 6:
            continue
        hops.add(data[21])
        assert at(data, 14, 4) & 0xFFFFF == number
        for begin in (22, 38):
            assert data[begin : begin + 4] == b"\x20\x01\x0d\xb8"
            assert data[begin + 8 : begin + 16] == bytes(7) + b"\x01"
    assert hops == set(range(1, 256))


def test_extension_headers_of_a_firewall(guarded6: Any) -> None:
    frames = [
        (number, frame.data)
        for number, frame in enumerate(guarded6.frames)
        if frame.data[12:14] == b"\x86\xdd"
    ]
    options = [data for _, data in frames if data[20] == 60]
    assert len(options) == 360
    assert {data[55:62] for data in options} == {b"\x00\x01\x04\0\0\0\0"}
    fragments = [(number, data) for number, data in frames if data[20] == 44]
    tiny = [data for _, data in fragments if data[56:58] == b"\x00\x08"]
    assert len(tiny) == 360
    assert {data[54:56] + data[58:62] for data in tiny} == {b"\x06" + bytes(5)}
    later = [(number, data) for number, data in fragments if at(data, 56, 2) >= 16]
    assert len(later) == 360
    assert all(at(data, 58, 4) == number and not data[55] for number, data in later)
    assert {at(data, 56, 2) & 7 for _, data in later} == {0, 1}
    assert_spans((at(data, 56, 2) >> 3 for _, data in later), 2, 0x1FFF, 0.05)
