"""The XScale core exchanges the engines' microcode before updates: no packet is lost,
none sees a value after it was replaced, and caches return when updates end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.runs import assert_packets_add_up
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

STAMP = Path(__file__).parent / "Inputs" / "stamp.baker"
FRAME = bytes(6) + bytes(6) + b"\x99\x01" + bytes(46)
#: Packets of a run, and cycles of the chip in a second.
PACKETS, CLOCK = 20_000, 600_000_000
#: The program sends all packets by one port, which is not full at this rate.
RATE = "--rate=0.7"
#: Two aggregates, of which the second reads the global.
PIPELINE = "aggregate front\n  stamp.first\naggregate back\n  stamp.second\n"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("trace") / "t.pcapng"
    write_capture(made, [Frame(1000 * n, n % 4, FRAME) for n in range(400)], 4)
    return made


def compiled(trace: Path, folder: Path, *options: object) -> Path:
    image = folder / "stamp.ixp"
    run("bakerc", STAMP, f"--profile-trace={trace}", *options, "-o", image)
    return image


@pytest.fixture(scope="module")
def image(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(trace, tmp_path_factory.mktemp("stamp"), "--updates=exchange")


def simulated(
    image: Path, trace: Path, folder: Path, calls: list[str], *options: object
) -> dict[str, Any]:
    control, stats = folder / "c.txt", folder / "s.json"
    control.write_text("set(1)\n" + "".join(f"{call}\n" for call in calls))
    run(
        "ixpsim", image, f"--trace={trace}", f"--control={control}", "--quiet",
        f"--out={folder / 'out.pcapng'}", f"--stats={stats}", *options,
    )  # fmt: skip
    return read_json(stats)


def values_of(folder: Path) -> list[int]:
    """What the packets say, in the order in which they left."""
    frames = read_capture(folder / "out.pcapng", 4).frames
    ordered = sorted(frames, key=lambda frame: frame.time_ns)
    return [int.from_bytes(frame.data[6:12], "big") for frame in ordered]


def updates(rate: int, first: int, seconds: float) -> list[str]:
    """Calls of `set` with rising numbers, `rate` a second."""
    times = range(first, first + int(seconds * CLOCK), CLOCK // rate)
    return [f"@cycle {at} set({n})" for n, at in enumerate(times, 2)]


@pytest.mark.parametrize("rate", (1, 100, 1_000, 10_000, 100_000))
def test_no_packet_is_stale_at_any_rate(
    rate: int, image: Path, trace: Path, tmp_path: Path
) -> None:
    stats = simulated(
        image, trace, tmp_path, updates(rate, 100_000, 0.01), f"--packets={PACKETS}",
        RATE,
    )  # fmt: skip
    assert_packets_add_up(stats)
    assert stats["packets"]["forwarded"] == PACKETS
    assert stats["caches"]["globals"][0]["reads"] > 0
    assert stats["caches"]["stale_packets"] == 0
    assert stats["caches"]["exchanges"] == 6
    values = values_of(tmp_path)
    assert values[0] == 1
    assert values[-1] > 1


def test_delayed_updates_would_be_stale(trace: Path, tmp_path: Path) -> None:
    """The same run without the exchange: the test above can fail."""
    image = compiled(trace, tmp_path)
    calls = updates(100_000, 100_000, 0.01)
    stats = simulated(image, trace, tmp_path, calls, f"--packets={PACKETS}", RATE)
    assert stats["caches"]["exchanges"] == 0
    assert stats["caches"]["stale_rate"] > 0.1


def test_a_packet_after_an_update_has_the_new_value(
    image: Path, trace: Path, tmp_path: Path
) -> None:
    """Seen from outside: values never go back by more than the packets on their
    way, whose contexts have read the global already."""
    simulated(
        image, trace, tmp_path, updates(20_000, 100_000, 0.01),
        f"--packets={PACKETS}", RATE,
    )  # fmt: skip
    newest = late = 0
    for value in values_of(tmp_path):
        newest = max(newest, value)
        late = max(late, newest - value)
    assert newest > 20
    assert late <= 1


def test_full_load_loses_nothing_inside(
    image: Path, trace: Path, tmp_path: Path
) -> None:
    calls = updates(1_000, 100_000, 0.01)
    stats = simulated(image, trace, tmp_path, calls, f"--packets={PACKETS}")
    assert_packets_add_up(stats)
    assert stats["packets"]["forwarded"] == stats["packets"]["received"] == PACKETS
    assert stats["caches"]["exchanges"] == 6


def test_caches_return_when_updates_have_ended(
    image: Path, trace: Path, tmp_path: Path
) -> None:
    stats = simulated(
        image, trace, tmp_path, ["@cycle 100000 set(2)", "@cycle 19000000 set(3)"],
        "--packets=2000", "--rate=0.03",
    )  # fmt: skip
    # Without caches, with them, and again without.
    assert stats["caches"]["exchanges"] == 18
    assert stats["caches"]["stale_packets"] == 0
    (timer,) = stats["control"]["timers"]
    assert timer["name"] == "karakal.return_to_caches"
    assert timer["calls"] >= 2
    assert sorted(set(values_of(tmp_path))) == [1, 2, 3]


def test_calls_before_and_after_the_traffic(
    image: Path, trace: Path, tmp_path: Path
) -> None:
    stats = simulated(
        image, trace, tmp_path, ["set(7)", "@end set(9)", "@end get()"],
        "--packets=400",
    )  # fmt: skip
    assert set(values_of(tmp_path)) == {7}
    assert stats["caches"]["exchanges"] == 6  # for the call at the end
    assert [each["value"] for each in stats["control"]["values"]] == [9]


@pytest.mark.parametrize("engines", (2, 6))
def test_engines_in_a_pipeline_are_exchanged(
    engines: int, trace: Path, tmp_path: Path
) -> None:
    """With two engines, messages between them are in next-neighbour registers."""
    mapping = tmp_path / "mapping.txt"
    mapping.write_text(PIPELINE)
    image = compiled(trace, tmp_path, "--updates=exchange", f"--mapping={mapping}")
    stats = simulated(
        image, trace, tmp_path, updates(10_000, 50_000, 0.01), "--packets=8000",
        RATE, f"--mes={engines}",
    )  # fmt: skip
    assert_packets_add_up(stats)
    assert stats["packets"]["forwarded"] == 8000
    assert stats["caches"]["stale_packets"] == 0
    assert stats["caches"]["exchanges"] == engines


def test_on_the_ixp2800(trace: Path, tmp_path: Path) -> None:
    image = compiled(trace, tmp_path, "--updates=exchange", "--target=ixp2800")
    stats = simulated(
        image, trace, tmp_path, updates(10_000, 50_000, 0.01), "--packets=8000",
        RATE,
    )  # fmt: skip
    assert stats["packets"]["forwarded"] == 8000
    assert stats["caches"]["exchanges"] == 14


def test_the_profile_tells_both_codes_apart(
    image: Path, trace: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "p.json"
    simulated(
        image, trace, tmp_path, ["@cycle 100000 set(2)"], f"--packets={PACKETS}",
        RATE, f"--profile={profile}",
    )  # fmt: skip
    microcode = read_json(profile)["microcode"]
    assert set(microcode) == {"rx", "main", "main.plain", "tx"}
    for one in microcode.values():
        assert one["instructions"]
        assert any(row["location"] for row in one["instructions"])


def test_the_worst_case_counts_both_codes(trace: Path, tmp_path: Path) -> None:
    """`ixpsim` checks each message against it."""
    image = compiled(trace, tmp_path, "--updates=exchange", "--wcet")
    stats = simulated(
        image, trace, tmp_path, updates(1_000, 50_000, 0.01), "--packets=8000"
    )
    assert stats["caches"]["exchanges"] == 6


@pytest.mark.parametrize(
    ("option", "message"),
    (
        ("--policy=power", "--policy=power and --updates=exchange cannot be combined"),
        ("--punt-rate=none", "--updates=exchange needs limits of --punt-rate"),
    ),
)
def test_what_an_exchange_cannot_go_with(
    option: str, message: str, tmp_path: Path
) -> None:
    image = tmp_path / "a.ixp"
    done = run("bakerc", STAMP, "--updates=exchange", option, "-o", image, status=2)
    assert message in done.stderr
