"""The applications compiled for other chips of the family: every packet is right
at every level, and what a chip cannot run is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.applications import END_LEVELS, L3_SWITCH, LEVELS, SOURCES
from testkit.captures import write_pcap
from testkit.runs import assert_packets_add_up, check_packets, compile_app, simulate
from testkit.tools import output_of, read_json
from testkit.workloads import Workload, exceptional_workload

PACKETS = 4000
#: Microengines that an IXP2800 leaves to a program.
ALL_ENGINES = 14


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workload]:
    """Traffic with every exception, by application."""
    return {
        app: exceptional_workload(app, tmp_path_factory.mktemp(app), PACKETS)
        for app in SOURCES
    }


def run_on(target: str, app: str, level: str, load: Workload, folder: Path) -> Path:
    """Compiles an application for a chip, runs it there, and checks all packets."""
    report = folder / "report.json"
    image = compile_app(
        SOURCES[app], folder / f"{target}.ixp", f"--target={target}",
        f"--level={level}", f"--report={report}", *load.profile(),
    )  # fmt: skip
    assert read_json(report)["target"] == target
    out, stats = simulate(image, load, folder)
    check_packets(load, out, folder / "stats.json")
    assert_packets_add_up(stats)
    assert stats["packets"]["received"] == PACKETS
    return image


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("app", SOURCES)
def test_an_application_runs_on_the_ixp2800(
    app: str, level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    image = run_on("ixp2800", app, level, loads[app], tmp_path)
    described = output_of("ixpsim", image, "--describe")
    assert "me.count=16" in described
    assert described.count(": app, ") == ALL_ENGINES
    assert "engine 15: tx" in described


@pytest.mark.parametrize("level", END_LEVELS)
@pytest.mark.parametrize("app", SOURCES)
def test_an_application_runs_on_the_slower_part(
    app: str, level: str, loads: dict[str, Workload], tmp_path: Path
) -> None:
    image = run_on("ixp2400-400", app, level, loads[app], tmp_path)
    assert "me.clock_hz=400000000" in output_of("ixpsim", image, "--describe")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--target=ixp1200", "its engines have 4 contexts, and code needs 8"),
        ("--target=ixp2400 --mes=7", "the ixp2400 has 1 to 6 engines for a program"),
        ("--target=ixp2800 --mes=15", "the ixp2800 has 1 to 14 engines"),
        ("--set=me.count=12", "it has 12 engines"),
        ("--set=sram.size=4194305", "in multiples of 4096"),
        ("--target=ixp3000", "ixp3000 not in"),
    ],
)
def test_what_a_chip_cannot_do_is_refused(
    options: str, message: str, tmp_path: Path
) -> None:
    image = tmp_path / "never.ixp"
    words = options.split()
    assert message in output_of("bakerc", L3_SWITCH, *words, "-o", image, status=2)
    assert not image.exists()


@pytest.mark.parametrize(
    ("made_for", "run_on", "message"),
    [
        ("ixp2800", "ixp2400", "the image is made for the ixp2800"),
        ("ixp2400", "ixp2800", "the image is made for the ixp2400"),
        ("ixp2400", "ixp1200", "the image is made for the ixp2400"),
    ],
)
def test_an_image_of_another_chip_is_refused(
    made_for: str,
    run_on: str,
    message: str,
    loads: dict[str, Workload],
    tmp_path: Path,
) -> None:
    image = compile_app(L3_SWITCH, tmp_path / "image.ixp", f"--target={made_for}")
    printed = output_of(
        "ixpsim", image, *loads["l3-switch"].inputs(), f"--chip={run_on}", status=1
    )
    assert message in printed


def test_an_image_of_the_faster_part_runs_on_the_slower(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    load = loads["mpls"]
    image = compile_app(SOURCES["mpls"], tmp_path / "mpls.ixp", *load.profile())
    out, _ = simulate(image, load, tmp_path, "--chip=ixp2400-400")
    check_packets(load, out, tmp_path / "stats.json")


def test_a_setting_reaches_compiler_and_simulator(tmp_path: Path) -> None:
    image = compile_app(L3_SWITCH, tmp_path / "l3.ixp", "--set=sram.size=33554432")
    assert "sram.size=33554432" in output_of("ixpsim", image, "--describe")


ADDER = """
import net.ether;
module m {
  @place(sram1) u32 seen[7000000];
  ppf away { in ether_pkt * in_cc; }
  wiring { rx -> away.in_cc; }
  control u32 hit(u32 at, u32 by) { atomic_add(seen[at], by); return 0; }
  control u32 look(u32 at) { return seen[at]; }
  away.ppf(ether_pkt * ph) { packet_drop(ph); }
}
"""


def test_the_core_adds_to_any_word_of_a_large_channel(tmp_path: Path) -> None:
    source, control = tmp_path / "adder.baker", tmp_path / "adder.control"
    source.write_text(ADDER)
    places = (0, 2_097_151, 2_097_152, 5_000_000, 6_999_999)
    control.write_text(
        "".join(f"m.hit({at}, {at + 1})\nm.hit({at}, 5)\n" for at in places)
        + "".join(f"m.look({at})\n" for at in places)
    )
    write_pcap(tmp_path / "in.pcap", [bytes(60)])
    image = compile_app(source, tmp_path / "adder.ixp", "--set=sram.size=33554432")
    stats = tmp_path / "stats.json"
    output_of(
        "ixpsim", image, f"--trace={tmp_path}/in.pcap", f"--control={control}",
        f"--stats={stats}",
    )  # fmt: skip
    values = [
        each["value"]
        for each in read_json(stats)["control"]["values"]
        if each["call"].startswith("m.look")
    ]
    assert values == [at + 6 for at in places]


def test_a_mapping_gives_an_aggregate_more_engines_than_an_ixp2400_has(
    loads: dict[str, Workload], tmp_path: Path
) -> None:
    mapping, image = tmp_path / "wide.mapping", tmp_path / "wide.ixp"
    mapping.write_text("aggregate all 9\n  l3_switch.l2_clsfr\n")
    compile_app(L3_SWITCH, image, "--target=ixp2800", f"--mapping={mapping}")
    load = loads["l3-switch"]
    out, stats = simulate(image, load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")
    assert [e["aggregate"] for e in stats["microengines"]].count("all") >= 9
    (tmp_path / "wider.mapping").write_text("aggregate all 15\n  l3_switch.l2_clsfr\n")
    message = output_of(
        "bakerc", L3_SWITCH, "--target=ixp2800",
        f"--mapping={tmp_path}/wider.mapping", "-o", image, status=1,
    )  # fmt: skip
    assert "an aggregate has 1 to 14 engines, not '15'" in message
