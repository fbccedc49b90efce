"""`npftrace check` finds each kind of fault and names it."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npftrace.check.comparison import Input, compare
from npftrace.check.drop_counts import drop_bounds
from npftrace.cli import main
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.oracle.verdict import Verdict

SHARES = [
    "--bridged=.1", "--broadcast=.02", "--unknown=.02", "--arp=.02",
    "--ttl-expired=.02", "--bad-checksum=.02", "--no-route=.02", "--same-port=.02",
]  # fmt: skip
PACKETS = 1000


class Case:
    """A trace, the frames that the oracle expects, and checks of changed frames."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.trace, self.out = folder / "t.pcap", folder / "o.pcapng"
        self.control, self.stats_file = folder / "c.txt", folder / "s.json"
        files = ["--out", str(self.trace), "--control", str(self.control)]
        size = ["--packets", str(PACKETS), "--routes", "300", "--flows", "50"]
        assert main(["make", "ipv4", *files, *size, *SHARES]) == 0
        assert main(["expect", *self.files()]) == 0
        self.frames = read_capture(self.out, 4).frames
        self.stats: dict[str, Any] = {
            "packets": {
                "received": 1000, "forwarded": 920, "dropped": 80, "consumed": 0,
                "rx_overflow": 0, "oversize": 0, "transmitted": len(self.frames),
            },
            "drops": {
                "unspecified": 0, "ttl_expired": 20, "bad_checksum": 20,
                "l3_forwarding.no_route": 20, "same_port": 20, "arp_done": 20,
            },
        }  # fmt: skip

    def files(self) -> list[str]:
        return ["--app", "l3-switch", "--trace", str(self.trace),
                "--control", str(self.control), "--out", str(self.out)]  # fmt: skip

    def check(self, *options: str, stats: bool = False) -> tuple[int, str]:
        write_capture(self.out, self.frames, 4)
        if stats:
            self.stats_file.write_text(json.dumps(self.stats))
            options = ("--stats", str(self.stats_file), *options)
        self.capsys.readouterr()
        status = main(["check", *self.files(), *options])
        return status, self.capsys.readouterr().out

    def routed(self) -> int:
        """The position of a routed frame in the output."""
        return next(i for i, f in enumerate(self.frames) if f.data[0] == 6)

    def change(self, at: int, value: bytes) -> None:
        index = self.routed()
        data = self.frames[index].data
        data = data[:at] + value + data[at + len(value) :]
        self.frames[index] = self.frames[index]._replace(data=data)


@pytest.fixture
def case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Case:
    return Case(tmp_path, capsys)


def test_right_packets_pass(case: Case) -> None:
    assert case.check() == (0, case.check()[1])
    assert case.check(stats=True)[0] == 0
    assert f"all {PACKETS:,} packets right" in case.check()[1]


def test_frames_of_different_flows_may_overtake(case: Case) -> None:
    case.frames.sort(key=lambda frame: frame.port)
    status, text = case.check()
    assert status == 0
    assert "order: kept within every flow" in text


FAULTS: list[tuple[str, int, bytes, str]] = [
    ("destination", 0, b"\x06\x77", "Ether.dst: 06:77:"),
    ("source", 11, b"\x77", "Ether.src: 02:00:00:00:00:77, expected 02:00:00:00:00:0"),
    (
        "type",
        12,
        b"\x86\xdd",
        "Ether.type: IPv6 (0x86dd), expected IPv4",
    ),
    ("ttl", 22, b"\x01", "IP.ttl: 1, expected "),
    ("checksum", 24, b"\xab\xcd", "IP.chksum: 0xabcd, expected 0x"),
    ("address", 30, b"\x7f", "IP.dst: 127."),
    ("port", 36, b"\xff", "UDP.dport: 65287, expected 7 (byte 36)"),
    ("payload", 57, b"\xee", "Raw.load: 0xee, expected 0x"),
]


@pytest.mark.parametrize(("at", "value", "message"), [f[1:] for f in FAULTS])
def test_a_wrong_field_is_named(
    case: Case, at: int, value: bytes, message: str
) -> None:
    case.change(at, value)
    status, text = case.check()
    assert status == 1
    assert message in text
    assert "first difference: packet " in text
    assert "packets right" not in text
    assert text.count(", expected ") == 1 + ("IPv6" in message)


def test_a_wrong_port_is_named(case: Case) -> None:
    index = case.routed()
    frame = case.frames[index]
    case.frames[index] = frame._replace(port=(frame.port + 1) % 4)
    status, text = case.check()
    assert status == 1
    assert f"port: {(frame.port + 1) % 4}, expected {frame.port}" in text


def test_a_missing_frame_is_named(case: Case) -> None:
    del case.frames[case.routed()]
    status, text = case.check()
    assert status == 1
    assert (
        "1 expected frames were not sent, 0 frames were sent that are not expected"
        in text
    )
    assert "neither it nor a frame like it was sent" in text


def test_a_frame_sent_twice_is_named(case: Case) -> None:
    case.frames.append(case.frames[case.routed()])
    status, text = case.check()
    assert status == 1
    assert "0 expected frames were not sent, 1 frames were sent" in text
    assert "it was sent too often: packet" in text


def test_a_frame_that_should_be_dropped_is_named(case: Case) -> None:
    source = next(f for f in read_capture(case.trace, 4).frames if f.data[22] <= 1)
    case.frames.append(Frame(0, 2, source.data))
    status, text = case.check()
    assert status == 1
    assert "dropped: ttl_expired" in text
    assert "it may come from: packet" in text


def test_a_cut_frame_is_named(case: Case) -> None:
    index = case.routed()
    data = case.frames[index].data[:59]
    case.frames[index] = case.frames[index]._replace(data=data)
    status, text = case.check()
    assert status == 1
    assert "length: 59 bytes, expected 60" in text


def test_the_first_difference_is_reported(case: Case) -> None:
    case.frames = case.frames[:500]
    for index in (100, 50, 300):
        data = case.frames[index].data
        case.frames[index] = Frame(0, case.frames[index].port, data[:-1] + b"\xee")
    _, text = case.check()
    first = next(line for line in text.splitlines() if "first difference" in line)
    assert 35 < int(first.split("packet ")[1].split()[0]) <= 50


def test_any_one_flipped_bit_is_found(case: Case) -> None:
    dice = random.Random(3)
    good = list(case.frames)
    for _ in range(8):
        case.frames = list(good)
        index, at = dice.randrange(len(good)), dice.randrange(60)
        data = bytearray(good[index].data)
        data[at] ^= 1 << dice.randrange(8)
        case.frames[index] = good[index]._replace(data=bytes(data))
        assert case.check()[0] == 1


def test_order_within_a_flow(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    frame: Callable[..., bytes],
    control_file: Path,
) -> None:
    payload = b"\x04\x00\x00\x07\x00\x1a\x00\x00"
    datas = [frame(payload=payload + bytes([n]) * 18) for n in range(8)]
    trace, out = tmp_path / "t.pcapng", tmp_path / "o.pcapng"
    write_capture(trace, [Frame(n, 0, data) for n, data in enumerate(datas)], 4)
    files = ["--app", "l3-switch", "--trace", str(trace), "--out", str(out)]
    files += ["--control", str(control_file)]
    assert main(["expect", *files]) == 0
    frames = read_capture(out, 4).frames
    write_capture(out, [*frames[1:6], frames[0], *frames[6:]], 4)
    capsys.readouterr()
    assert main(["check", *files]) == 0
    text = capsys.readouterr().out
    assert "order: 1 of 8 frames left after a later one of their flow" in text
    late = "frame 5 of the output, packet 0, by port "
    assert f"(by up to 5 packets); first: {late}" in text
    assert "after packet 5\n" in text
    for demand in ("flow", "port"):
        assert main(["check", f"--order={demand}", *files]) == 1
        text = capsys.readouterr().out
        assert "frames are out of order within their flow" in text
        assert ("within their port" in text) == (demand == "port")
    result = tmp_path / "r.json"
    assert main(["check", "--order=none", f"--json={result}", *files]) == 0
    order = json.loads(result.read_text())["order"]
    assert (order["packets"], order["late"], order["worst"]) == (8, 1, 5)
    assert (order["first"]["packet"], order["first"]["behind"]) == (0, 5)


def test_flows_may_overtake_where_only_their_order_counts(
    tmp_path: Path,
    control_file: Path,
    frame: Callable[..., bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Frames in by port 0 and out by one port, two flows that change places; the
    same flows in by ports 0 and 1, which nothing orders."""
    flows = [frame(ip_dst=f"10.1.2.{n}", payload=bytes([n]) * 26) for n in (4, 5)]
    trace, out = tmp_path / "t.pcapng", tmp_path / "o.pcapng"
    files = ["--app", "l3-switch", "--trace", str(trace), "--out", str(out)]
    files += ["--control", str(control_file)]

    def statuses(ports: tuple[int, int]) -> list[int]:
        sent = zip(ports, flows, strict=True)
        frames = [
            Frame(n, p, data[:5] + bytes([p]) + data[6:])
            for n, (p, data) in enumerate(sent)
        ]
        write_capture(trace, frames, 4)
        assert main(["expect", *files]) == 0
        left = read_capture(out, 4).frames
        assert len(left) == 2
        write_capture(out, [left[1], left[0]], 4)
        return [main(["check", f"--order={n}", *files]) for n in ("flow", "port")]

    assert statuses((0, 0)) == [0, 1]
    assert "1 of 2 frames left after a later one of their port" in (
        capsys.readouterr().out
    )
    assert statuses((0, 1)) == [0, 0]


@pytest.mark.parametrize(
    ("group", "key", "value", "message"),
    [
        ("drops", "ttl_expired", 19, "drops for ttl_expired: expected 20, counted 19"),
        ("drops", "bad_length", 1, "drops for bad_length: expected 0, counted 1"),
        ("drops", "arp_done", 0, "drops for arp_done: expected 20, counted 0"),
        ("packets", "dropped", 79, "packets do not add up"),
        ("packets", "transmitted", 5, "5 counted as transmitted"),
        ("packets", "oversize", 1, "oversize frames: expected 0, counted 1"),
    ],
)
def test_wrong_statistics_are_named(
    case: Case, group: str, key: str, value: int, message: str
) -> None:
    case.stats[group][key] = value
    status, text = case.check(stats=True)
    assert status == 1
    assert message in text


def test_frames_lost_at_rx_are_allowed_as_counted(case: Case) -> None:
    del case.frames[case.routed()]
    case.stats["packets"] |= {
        "received": 999, "forwarded": 919, "rx_overflow": 1,
        "transmitted": len(case.frames),
    }  # fmt: skip
    status, text = case.check(stats=True)
    assert status == 0, text
    assert "1 of 1,000 lost at Rx" in text
    del case.frames[case.routed()]
    case.stats["packets"]["transmitted"] -= 1
    assert case.check(stats=True)[0] == 1


def test_a_repeated_trace(case: Case) -> None:
    case.frames += case.frames
    assert case.check("--packets", "2000")[0] == 0
    assert case.check("--packets", "1999")[0] == 1


def test_an_output_without_ports(case: Case) -> None:
    pcap = case.out.with_suffix(".pcap")
    case.out = pcap
    status, text = case.check()
    assert status == 0
    assert "ports are not compared" in text


def test_an_empty_output_is_all_missing(case: Case) -> None:
    case.frames = []
    assert case.check()[0] == 1


def test_the_result_as_json(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert case.check("--json", str(path))[0] == 0
    result = json.loads(path.read_text())
    assert result["right"] and result["packets"] == PACKETS
    assert result["kinds"]["routed"] == 760
    assert result["drops"]["no_route"] == 20


def test_packets_near_an_update_may_see_either_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, control = tmp_path / "t.pcap", tmp_path / "c.txt"
    files = ["--out", str(trace), "--control", str(control)]
    options = ["--packets", "1000", "--routes", "20", "--updates", "50"]
    assert main(["make", "ipv4", *files, *options]) == 0
    common = ["--app", "l3-switch", "--trace", str(trace)]
    out = tmp_path / "o.pcapng"
    assert main(["expect", *common, "--control", str(control), "--out", str(out)]) == 0
    check = ["check", *common, "--control", str(control), "--out", str(out)]
    assert main(check) == 0
    assert main([*check, "--window", "30"]) == 0
    # The verdicts of the initial tables are right only near each update.
    start = tmp_path / "start.txt"
    lines = control.read_text().splitlines(keepends=True)
    start.write_text("".join(line for line in lines if line[0] != "@"))
    assert main(["expect", *common, "--control", str(start), "--out", str(out)]) == 0
    assert main(check) == 0
    assert main([*check, "--window", "30"]) == 1


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"packets": 3}'])
def test_broken_statistics_are_refused(case: Case, content: str) -> None:
    case.stats_file.write_text(content)
    assert case.check("--stats", str(case.stats_file))[0] == 1


def _sends(*ports: int) -> Verdict:
    return Verdict("bridged", tuple((port, b"same") for port in ports))


@pytest.mark.parametrize(
    ("first", "second", "ports", "fits"),
    [
        # A station learned late: one port, or a flood that includes it.
        ([_sends(0), _sends(0, 2, 3)], [_sends(3)], (0, 2, 3, 3), True),
        # The first could take the frame that the second needs.
        ([_sends(0), _sends(2)], [_sends(0)], (0, 2), True),
        ([_sends(0), _sends(2)], [_sends(0), _sends(1, 2)], (0, 1, 2), True),
        ([_sends(0), _sends(2)], [_sends(0), _sends(1, 2)], (1, 2), False),
        ([_sends(0), _sends(2)], [_sends(0), _sends(2)], (0, 2, 2), False),
    ],
)
def test_equal_frames_of_several_packets(
    first: list[Verdict], second: list[Verdict], ports: tuple[int, ...], fits: bool
) -> None:
    inputs = [Input(Frame(0, 1, b"same"), each) for each in (first, second)]
    found = [Frame(0, port, b"same") for port in ports]
    outcome = compare(inputs, found, has_ports=True)
    assert (not outcome.missing and not outcome.surplus) == fits


def test_many_equal_frames() -> None:
    verdicts = [_sends(0, 2, 3), _sends(0), _sends()]
    inputs = [Input(Frame(0, 1, b"same"), verdicts) for _ in range(60)]
    found = [Frame(0, port, b"same") for port in [0] * 40 + [2, 3] * 13]
    outcome = compare(inputs, found, has_ports=True)
    assert not outcome.missing and not outcome.surplus
    outcome = compare(inputs, [*found, Frame(0, 3, b"same")], has_ports=True)
    assert outcome.surplus


def test_packets_with_equal_frames_may_exchange_verdicts() -> None:
    dropped = Verdict("dropped", reason="same_port")
    inputs = [Input(Frame(0, 1, b"same"), [_sends(0), _sends(0, 2), dropped])] * 2
    found = [Frame(0, port, b"same") for port in (0, 2)]
    outcome = compare(inputs, found, has_ports=True)
    fewest, most = drop_bounds(outcome)
    assert not outcome.surplus
    assert fewest["same_port"] == 0 and most["same_port"] == 2
