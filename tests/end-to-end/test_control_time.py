"""Control functions run in chip time, beside the engines: packets see them at work."""

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import read_capture
from testkit.applications import SOURCES
from testkit.runs import (
    assert_packets_add_up,
    check_packets,
    compile_app,
    compile_text,
    simulate,
)
from testkit.tools import run
from testkit.workloads import Workload, make_workload

LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
INPUTS = Path(__file__).parent / "Inputs"
PAIR, CORE_ORDER = INPUTS / "pair.baker", INPUTS / "core_order.baker"
MAIN = """
instance words = pair({guarded});
module main {{
  wiring {{ rx -> words.show.in_cc; words.show.out_cc -> tx; }}
}}
"""
#: All packets go to the core.
SLOW_CALLS = """
import net.ether;
module m {
  u32 turns;
  @cold ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
  control void spin() {
    for (u32 i = 0; i < 1000; i++)
      turns += 1;
  }
}
m.f.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }
"""
PACKETS = 4000
#: Calls of `set`, and the cycles from one to the next.
CALLS = 100
APART = 4000


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Packets of one port after another, and a change every few of them."""
    folder = tmp_path_factory.mktemp("pair")
    made = make_workload("l3-switch", folder, "--packets", str(PACKETS), "--size", "64")
    made.control.write_text(
        "".join(f"@cycle {APART * n} set({n})\n" for n in range(1, CALLS + 1))
    )
    return made


def seen(
    level: str, guarded: bool, load: Workload, folder: Path
) -> tuple[list[tuple[int, int]], dict[str, Any]]:
    """The two words in each packet, in the order of sending."""
    source = folder / "main.baker"
    source.write_text(PAIR.read_text() + MAIN.format(guarded=str(guarded).lower()))
    # Engines look for changes often, so that the share of torn pairs is no chance.
    image = compile_app(
        source, folder / "pair.ixp", f"--level={level}", "--max-error-rate=1e-5",
        f"--profile-trace={load.trace}",
    )  # fmt: skip
    out, stats = simulate(image, load, folder, "--mes=2", "--rate=1")
    assert_packets_add_up(stats)
    sources = [frame.data[6:12] for frame in read_capture(out, 4).frames]
    assert len(sources) == PACKETS
    words = [
        (int.from_bytes(each[:3], "big"), int.from_bytes(each[3:], "big"))
        for each in sources
    ]
    return words, stats


@pytest.mark.parametrize("level", LEVELS)
def test_packets_see_a_change_half_done(
    level: str, load: Workload, tmp_path: Path
) -> None:
    words, stats = seen(level, False, load, tmp_path)
    assert all(second in (first, first - 1) for first, second in words)
    assert words[-1] == (CALLS, CALLS)
    torn = sum(first != second for first, second in words)
    # A change takes some 800 of 4,000 cycles, in a fifth of the run.
    assert PACKETS / 40 < torn < PACKETS / 3
    assert stats["xscale"]["jobs"] >= CALLS
    assert 0.02 < stats["xscale"]["utilization"] < 0.2


@pytest.mark.parametrize("level", LEVELS)
def test_a_lock_keeps_control_functions_and_packets_apart(
    level: str, load: Workload, tmp_path: Path
) -> None:
    words, _ = seen(level, True, load, tmp_path)
    assert all(first == second for first, second in words)
    assert len(set(words)) > CALLS / 2
    assert words[-1] == (CALLS, CALLS)


def test_a_core_that_waits_for_engines_that_wait_for_it_is_told(
    load: Workload, tmp_path: Path
) -> None:
    mapping, image = tmp_path / "one.mapping", tmp_path / "fan.ixp"
    mapping.write_text("aggregate main 2\n  fan.first\n  fan.last\n")
    source = Path(__file__).parent / "Inputs/fan_out.baker"
    run("bakerc", source, f"--mapping={mapping}", "--punt-rate=none", "-o", image)
    done = run("ixpsim", image, f"--trace={load.trace}", "--mes=2", status=1)
    assert "no packet has moved for 2000000 cycles" in done.stderr
    core = r"XScale core: handles a message; \d+ messages wait for it \[E-sim-ixp-031\]"
    assert re.search(core, done.stderr)
    # Engines that do not wait for the core take what it puts.
    run("bakerc", source, f"--mapping={mapping}", "-o", image)
    silent = Workload(load.trace, tmp_path / "none.txt")
    silent.control.touch()
    _, stats = simulate(image, silent, tmp_path, "--mes=2")
    assert_packets_add_up(stats)
    assert stats["packets"]["to_xscale"] > 0
    assert stats["packets"]["transmitted"] == 300 * stats["packets"]["to_xscale"]


def test_packets_may_wait_for_many_control_calls(tmp_path: Path) -> None:
    """Calls go before packets that wait for the core, and each ends, so the chip is
    not stuck."""
    source = compile_text(SLOW_CALLS, tmp_path, [bytes(60)] * 20)
    control = tmp_path / "calls.txt"
    control.write_text("@packet 2 spin()\n" * 60)
    load = Workload(source.with_suffix(".pcap"), control)
    few, calls = "--stall-cycles=100000", source.with_suffix(".ixp")
    _, stats = simulate(calls, load, tmp_path, few)
    assert stats["packets"]["forwarded"] == 20
    assert stats["latency_cycles"]["max"] > 500_000


@pytest.mark.parametrize("level", ("base", "swc"))
def test_a_cycle_that_makes_packets_ends(
    level: str, load: Workload, tmp_path: Path
) -> None:
    """All contexts want to put on the ring that only they empty."""
    image, trace = tmp_path / "spread.ixp", ("--packets=500", "--mes=3")
    source = Path(__file__).parent / "Inputs/spread.baker"
    run("bakerc", source, f"--level={level}", "-o", image)
    silent = Workload(load.trace, tmp_path / "none.txt")
    silent.control.touch()
    _, stats = simulate(image, silent, tmp_path, *trace)
    assert_packets_add_up(stats)
    lost = stats["drops"]["ring:tree.spread.again_cc"]
    sent = stats["packets"]["transmitted"]
    assert sent == 500 + stats["packets"]["copied"] - lost
    # A packet that is lost would have become at most nine.
    assert sent <= 27 * 500 <= sent + 9 * lost
    # One at a time, nothing is lost.
    _, stats = simulate(image, silent, tmp_path, *trace, "--rate=0.002")
    assert stats["packets"]["transmitted"] == 27 * 500


def test_a_cycle_of_the_core_ends(load: Workload, tmp_path: Path) -> None:
    """The core puts on the ring that only it empties."""
    image, source = tmp_path / "spread.ixp", tmp_path / "cold.baker"
    spread = (Path(__file__).parent / "Inputs/spread.baker").read_text()
    source.write_text(spread.replace("ppf spread {", "@cold ppf spread {"))
    run("bakerc", source, "-o", image)
    silent = Workload(load.trace, tmp_path / "none.txt")
    silent.control.touch()
    _, stats = simulate(image, silent, tmp_path, "--packets=100")
    assert_packets_add_up(stats)
    assert stats["drops"]["punt:tree.spread.again_cc"] > 0
    # One at a time, nothing is lost, and nothing waits in vain.
    slow = ("--packets=20", "--rate=0.0001")
    _, stats = simulate(image, silent, tmp_path, *slow)
    assert stats["packets"]["transmitted"] == 27 * 20
    assert not any(stats["drops"].values())


def updates_of(app: str, control: str) -> Iterator[str]:
    """Calls that change what packets use: next hops, routes, labels, actions."""
    draw = random.Random(app)
    routes = re.findall(r"^route_add\((.*), \d+\)$", control, re.MULTILINE)
    labels = re.findall(r"^label_add\((\d+),", control, re.MULTILINE)
    for number in itertools.count():
        if app == "firewall":
            yield f"flow_action({draw.randrange(100)}, {number % 2})"
        elif number % 2 == 0:
            low = f"{number >> 8 & 255:02x}:{number & 255:02x}"
            hop, port = draw.randrange(16), draw.randrange(4)
            yield f"next_hop_add({hop}, {port}, 02:00:{low}:{low})"
        elif app == "mpls":
            label, index = draw.choice(labels), draw.randrange(64)
            calls = f"label_add({label}, {index})", f"label_pop({label})"
            yield draw.choice((*calls, f"label_delete({label})"))
        else:
            route, hop = draw.choice(routes), draw.randrange(16)
            add = f"route_add({route}, {hop})"
            yield draw.choice((add, add, f"route_delete({route})"))


@pytest.mark.parametrize("level", ("base", "o2", "pac", "phr", "swc", "exchange"))
@pytest.mark.parametrize("app", SOURCES)
def test_packets_see_the_old_state_or_the_new(
    app: str, level: str, tmp_path: Path
) -> None:
    """Under more than 10,000 updates a second. Before the first one, the core may
    exchange the engines' code, which takes 3 ms, some 17,000 packets."""
    is_exchanged = level == "exchange"
    times = (10, *range(20000, 24900, 50)) if is_exchanged else range(50, 9900, 100)
    packets = times[-1] + 100
    sizes = {
        "l3-switch": ("--routes", "2000"),
        "firewall": (),
        "mpls": ("--fecs", "500", "--labels", "256"),
    }
    load = make_workload(app, tmp_path, "--packets", str(packets), *sizes[app])
    image = tmp_path / "app.ixp"
    if is_exchanged:  # with limits towards the core, which this traffic keeps
        exchange = ("--wcet", "--updates=exchange", *load.profile())
        run("bakerc", SOURCES[app], *exchange, "-o", image)
    else:
        compile_app(SOURCES[app], image, f"--level={level}", *load.profile())
    text = load.control.read_text()
    changes = updates_of(app, text)
    load.control.write_text(
        text + "".join(f"@packet {n} {next(changes)}\n" for n in times)
    )
    out, stats = simulate(image, load, tmp_path, "--mes=6")
    check_packets(load, out, tmp_path / "stats.json")
    assert stats["control"]["not_reached"] == 0
    assert len(times) / stats["seconds"] > 10_000
    # Of the others' caches, the calls update nothing.
    changes_cached = is_exchanged and app == "firewall"
    assert stats["caches"]["exchanges"] == (6 if changes_cached else 0)


def test_engines_see_the_stores_of_the_core_in_order(
    load: Workload, tmp_path: Path
) -> None:
    """The core takes a table out of use before it writes it. As if nobody looked,
    LLVM would leave the first store out."""
    image = compile_app(CORE_ORDER, tmp_path / "order.ixp")
    control = tmp_path / "order.control"
    control.write_text("renew(1)\n@packet 100 renew(2)\n")
    _, stats = simulate(image, Workload(load.trace, control), tmp_path)
    assert 10 < stats["drops"]["out_of_use"] < PACKETS / 2
