"""The oracle on cases made by hand from the RFCs."""

import random
import struct
from collections.abc import Callable

import pytest

from npftrace.errors import InputError
from npftrace.oracle.l3_switch.switch import L3Switch
from npftrace.oracle.protocols.ipv4 import rfc1624
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

Build = Callable[..., bytes]

OWN = [0x020000000000 + port for port in range(4)]
HOP_MACS = [0x060000000000 + hop for hop in range(8)]


def calls() -> list[Call]:
    ip = lambda *b: int.from_bytes(bytes(b), "big")  # noqa: E731
    result = [Call("port_mac", (port, own)) for port, own in enumerate(OWN)]
    result += [Call("next_hop_add", (n, n % 4, m)) for n, m in enumerate(HOP_MACS)]
    routes = [
        (ip(10, 0, 0, 0), 8, 1),
        (ip(10, 1, 0, 0), 16, 2),
        (ip(10, 1, 2, 0), 24, 3),
        (ip(10, 1, 2, 3), 32, 5),
        (ip(192, 0, 2, 129), 25, 6),
    ]
    result += [Call("route_add", route) for route in routes]
    result += [Call("l3_switch.bridge_add", (0x0A0000000002, 2))]
    return result


@pytest.fixture
def oracle() -> L3Switch:
    return L3Switch(calls(), 4, 0)


def one(oracle: L3Switch, data: bytes, port: int = 0) -> Verdict:
    (verdict,) = oracle.verdicts(0, port, data)
    return verdict


@pytest.mark.parametrize(
    ("address", "hop"),
    [
        ("10.2.0.0", 1),
        ("10.255.255.255", 1),
        ("10.1.0.0", 2),
        ("10.1.1.255", 2),
        ("10.1.2.2", 3),
        ("10.1.2.3", 5),
        ("10.1.2.4", 3),
        ("192.0.2.128", 6),
        ("192.0.2.255", 6),
        ("192.0.2.127", None),
        ("9.255.255.255", None),
        ("11.0.0.0", None),
        ("1.0.0.0", None),
        ("223.255.255.255", None),
    ],
)
def test_longest_match(
    oracle: L3Switch, frame: Build, address: str, hop: int | None
) -> None:
    verdict = one(oracle, frame(ip_dst=address))
    if hop is None:
        assert (verdict.kind, verdict.reason) == ("dropped", "no_route")
        return
    ((port, out),) = verdict.outputs
    assert port == hop % 4
    assert out[0:6] == HOP_MACS[hop].to_bytes(6, "big")
    assert out[6:12] == OWN[port].to_bytes(6, "big")


def test_only_addresses_ttl_and_checksum_change(oracle: L3Switch, frame: Build) -> None:
    before = frame(size=100)  # More padding than packet.
    ((_, after),) = one(oracle, before).outputs
    assert after[12:22] == before[12:22]
    assert after[22] == before[22] - 1
    assert after[23] == before[23]
    assert after[26:] == before[26:]


def test_options_are_kept(oracle: L3Switch, frame: Build) -> None:
    before = frame(ihl=8)
    ((_, after),) = one(oracle, before).outputs
    assert after[26:] == before[26:]


# RFC 1812, 5.2.2 and 5.3.1, in the order of the checks.
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 6}, "bad_version"),
        ({"version": 0, "ihl": 0}, "bad_version"),
        ({"ihl": 4}, "bad_header_length"),
        ({"ihl": 0, "total_length": 0}, "bad_header_length"),
        ({"ihl": 15, "payload": b"", "size": 60}, None),
        ({"total_length": 19}, "bad_length"),
        ({"total_length": 47}, "bad_length"),
        ({"total_length": 46}, None),
        ({"total_length": 20}, None),
        ({"total_length": 0}, "bad_length"),
        ({"total_length": 65535, "checksum": 0}, "bad_length"),
        ({"checksum": 0x1234}, "bad_checksum"),
        ({"checksum": 0x1234, "ttl": 0}, "bad_checksum"),
        ({"ttl": 0}, "ttl_expired"),
        ({"ttl": 1}, "ttl_expired"),
        ({"ttl": 1, "ip_dst": "1.1.1.1"}, "ttl_expired"),
        ({"ttl": 2}, None),
        ({"ttl": 255}, None),
        ({"fragment": 0x2000}, None),
        ({"ip_dst": "1.1.1.1"}, "no_route"),
    ],
)
def test_header_checks(
    oracle: L3Switch, frame: Build, fields: dict[str, int], reason: str | None
) -> None:
    verdict = one(oracle, frame(**fields))
    assert verdict.kind == ("dropped" if reason else "routed")
    assert verdict.reason == (reason or "")


def test_a_header_beyond_the_frame_is_truncated(oracle: L3Switch, frame: Build) -> None:
    cut = frame(ihl=15)[:60]
    assert one(oracle, cut).reason == "truncated"
    assert one(oracle, cut[:33]).reason == "truncated"


def test_ethernet(oracle: L3Switch, frame: Build) -> None:
    broadcast = frame(dst="ff:ff:ff:ff:ff:ff")
    verdict = one(oracle, broadcast, port=1)
    assert verdict.kind == "flooded"
    assert verdict.outputs == tuple((port, broadcast) for port in (0, 2, 3))
    multicast = frame(dst="01:00:5e:00:00:05")
    assert one(oracle, multicast, port=3).kind == "flooded"
    assert one(oracle, frame(dst="0a:00:00:00:00:77")).kind == "flooded"
    known = frame(dst="0a:00:00:00:00:02", ether_type=0x86DD)
    assert one(oracle, known) == Verdict("bridged", ((2, known),))
    assert one(oracle, known, port=2).reason == "same_port"


def test_the_routers_address_is_that_of_the_port(
    oracle: L3Switch, frame: Build
) -> None:
    to_port_1 = frame(dst="02:00:00:00:00:01")
    assert one(oracle, to_port_1, port=1).kind == "routed"
    assert one(oracle, to_port_1, port=0).kind == "flooded"
    other = frame(dst="02:00:00:00:00:01", ether_type=0x88B5)
    assert one(oracle, other, port=1).reason == "not_ip"


def test_arp_is_copied(oracle: L3Switch, frame: Build) -> None:
    request = frame(dst="ff:ff:ff:ff:ff:ff", ether_type=0x0806)
    verdict = one(oracle, request)
    assert verdict.kind == "flooded" and verdict.copies == ("arp_done",)
    reply = frame(ether_type=0x0806)
    verdict = one(oracle, reply)
    assert verdict.reason == "arp_done" and not verdict.copies


def test_oversize(oracle: L3Switch, frame: Build) -> None:
    assert one(oracle, frame(size=1522)).kind == "routed"
    assert one(oracle, frame(size=1523)).kind == "oversize"


def test_rfc1624_section_4() -> None:
    # The example of the RFC: equation 3 gives 0x0000 where equation 2 of
    # RFC 1141 gives 0xffff.
    assert rfc1624(0xDD2F, 0x5555, 0x3285) == 0x0000


def test_rfc1624_equals_recomputation(oracle: L3Switch, frame: Build) -> None:
    dice = random.Random(1)
    edges = ["10.0.0.0", "10.255.255.255"]
    for _ in range(2000):
        data = bytearray(
            frame(ttl=dice.randrange(2, 256), ip_dst=dice.choice(edges), checksum=0)
        )
        data[18:20] = dice.randbytes(2)
        data[26:30] = dice.choice(
            [bytes([dice.randrange(1, 127)]) + dice.randbytes(3), b"\x01\0\0\0"]
        )
        if dice.random() < 0.2:
            # Steer the sum to 0xffff, where the checksum is 0x0000.
            rest = sum(struct.unpack(">10H", data[14:34])) - (data[18] << 8) - data[19]
            data[18:20] = struct.pack(">H", -rest % 0xFFFF)
        total = sum(struct.unpack(">10H", data[14:34]))
        total = (total - 1) % 0xFFFF + 1
        data[24:26] = struct.pack(">H", ~total & 0xFFFF)
        if data[24:26] == b"\0\0" and dice.random() < 0.5:
            data[24:26] = b"\xff\xff"  # The other zero: as right.
        ((_, out),) = one(oracle, bytes(data)).outputs
        rest = sum(struct.unpack(">10H", out[14:34])) - (out[24] << 8) - out[25]
        expected = ~((rest - 1) % 0xFFFF + 1) & 0xFFFF
        assert int.from_bytes(out[24:26], "big") == expected


def test_a_later_route_replaces(frame: Build) -> None:
    late = L3Switch([*calls(), Call("route_add", (0x0A010203, 32, 7))], 4, 0)
    assert one(late, frame()).outputs[0][0] == 3
    # Host bits of a prefix do not distinguish routes.
    other = L3Switch([*calls(), Call("route_add", (0x0A0102FF, 24, 7))], 4, 0)
    assert one(other, frame(ip_dst="10.1.2.9")).outputs[0][0] == 3


def test_default_route(frame: Build) -> None:
    oracle = L3Switch([*calls(), Call("route_add", (0, 0, 4))], 4, 0)
    assert one(oracle, frame(ip_dst="1.1.1.1")).outputs[0][0] == 0
    assert one(oracle, frame(ip_dst="10.1.2.9")).outputs[0][0] == 3


@pytest.mark.parametrize(
    "call",
    [
        Call("route_add", (0, 33, 0)),
        Call("route_add", (0, 8)),
        Call("route_remove", (0, 8, 0)),
        Call("port_mac", (4, 1)),
        Call("next_hop_add", (0, 4, 1)),
        Call("bridge_add", (1, 4)),
        Call("bridge_add", (-1, 1)),
    ],
)
def test_wrong_calls_are_refused(call: Call) -> None:
    with pytest.raises(InputError):
        L3Switch([call], 4, 0)


def test_an_update_may_be_seen_around_its_packet(frame: Build) -> None:
    update = Call("route_add", (0x0A010203, 32, 7), "packet", 100)
    oracle = L3Switch([*calls(), update], 4, window=10)
    hops = {
        index: {out[5] for v in oracle.verdicts(index, 0, frame()) for _, out in v[1]}
        for index in (0, 89, 90, 99, 100, 109, 110, 1000)
    }
    assert hops[0] == hops[89] == {5}
    assert hops[90] == hops[99] == hops[100] == hops[109] == {5, 7}
    assert hops[110] == hops[1000] == {7}


def test_a_new_route_may_be_missed_around_its_packet(frame: Build) -> None:
    update = Call("route_add", (0x14000000, 8, 7), "packet", 100)
    oracle = L3Switch([*calls(), update], 4, window=10)
    data = frame(ip_dst="20.0.0.1")
    reasons = [{v.reason for v in oracle.verdicts(i, 0, data)} for i in (89, 95, 110)]
    assert reasons == [{"no_route"}, {"", "no_route"}, {""}]


def test_an_update_at_a_cycle_may_be_seen_by_all(frame: Build) -> None:
    update = Call("route_add", (0x0A010203, 32, 7), "cycle", 5000)
    oracle = L3Switch([*calls(), update], 4, window=0)
    assert len(oracle.verdicts(0, 0, frame())) == 2
    assert len(oracle.verdicts(10**6, 0, frame())) == 2


def stations(window: int, heard: list[tuple[int, int]], ticks: tuple[int, ...] = ()):  # type: ignore[no-untyped-def]
    """A function that returns the ports at which a packet may find the one station,
    which was heard at these packets on these ports."""
    oracle = L3Switch([Call("bridge_tick", (), "packet", t) for t in ticks], 4, window)
    data = b"\xff" * 6 + bytes.fromhex("0a0000000001") + bytes(48)
    for index, port in heard:
        oracle.hear(index, port, data)
    return lambda index: set(oracle.bridge.ports_of(1, 0x0A0000000001, index))


def test_stations_are_learned_at_once_without_a_window() -> None:
    at = stations(0, [(10, 1), (20, 2)])
    assert [at(i) for i in (10, 11, 20, 21, 99)] == [{None}, {1}, {1}, {2}, {2}]


def test_a_station_may_be_learned_late_or_early() -> None:
    at = stations(5, [(10, 1), (100, 2)])
    assert [at(i) for i in (5, 6, 15, 16)] == [{None}, {None, 1}, {None, 1}, {1}]
    assert [at(i) for i in (95, 96, 105, 106)] == [{1}, {1, 2}, {1, 2}, {2}]


def test_either_of_two_notes_may_be_written_last() -> None:
    at = stations(5, [(10, 1), (12, 2), (200, 2), (210, 2)])
    assert [at(i) for i in (50, 205, 206)] == [{1, 2}, {1, 2}, {2}]


def test_stations_are_forgotten() -> None:
    at = stations(0, [(10, 1), (99, 3)], ticks=(20, 30))
    assert [at(i) for i in (30, 31, 99, 100)] == [{1}, {None}, {None}, {3}]


def test_a_station_heard_near_a_tick_may_be_forgotten() -> None:
    at = stations(5, [(22, 1), (90, 1)], ticks=(20, 60))
    assert [at(i) for i in (55, 56, 80, 99)] == [{1}, {1, None}, {1, None}, {1}]


def test_a_wrong_port_is_found_once_a_station_is_learned() -> None:
    at = stations(64, [(i, i // 1000) for i in range(3000)])
    assert [at(i) for i in (500, 1500, 2500)] == [{0}, {1}, {2}]
