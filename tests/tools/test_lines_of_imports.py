"""Lines of imported files have their own file's name wherever a line is shown, at
every level: the program's parts in another folder, the library."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

MAIN = """import net.ether;
import parts.check;
module m {
  drop_reason bad;
  ppf sort { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> sort.in_cc; sort.out_cc -> tx; }
  sort.ppf(ether_pkt * ph) {
    if (!checks.is_good((u32)ph->src, (u32)ph->dst)) packet_drop(ph, bad);
    else { ph->metadata.tx.port = ph->metadata.rx.port; channel_put(out_cc, ph); }
  }
}
"""
# The lines of this file are beyond the end of the other one's.
PART = (
    "// filler\n" * 30
    + """module checks {
  u32 wrong, right;
  bool is_good(u32 from, u32 to) {
    u32 sum = from * 7 ^ to * 5;
    if ((sum & 3) == 3) {
      atomic_add(wrong, sum);
      return false;
    }
    atomic_add(right, 1);
    return true;
  }
}
"""
)
FIRST, LAST = 33, 40
LEVELS = ["base", "o1", "o2", "pac", "soar", "phr", "swc"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines")
    (path / "parts").mkdir()
    (path / "whole.baker").write_text(MAIN)
    (path / "parts/check.baker").write_text(PART)
    write_pcap(
        path / "in.pcap",
        [struct.pack(">HIHIH", 2, n, 2, n, n).ljust(60, b"\xaa") for n in range(40)],
    )
    for level in LEVELS:
        run(
            "bakerc", path / "whole.baker", f"--level={level}", "--mes=1", "--wcet",
            f"--profile-trace={path}/in.pcap", "-o", path / f"{level}.ixp",
        )  # fmt: skip
    return path


def simulate(folder: Path, level: str, *arguments: str) -> str:
    return output_of(
        "ixpsim", folder / f"{level}.ixp", f"--trace={folder}/in.pcap", *arguments
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_line_has_the_name_of_its_file(folder: Path, level: str) -> None:
    profile = folder / f"{level}.json"
    simulate(folder, level, f"--profile={profile}", "--quiet")
    places = [
        line["location"].rpartition(":")
        for code in read_json(profile)["microcode"].values()
        if code["role"] == "app"
        for line in code["lines"]
    ]
    lines: dict[str, set[int]] = {}
    for file, _, number in places:
        if file:
            lines.setdefault(file, set()).add(int(number))
    end = len(MAIN.splitlines())
    assert max(lines["whole.baker"]) <= end, lines
    assert any(FIRST <= number <= LAST for number in lines["check.baker"]), lines
    assert min(lines["check.baker"]) > end, lines


def test_a_packet_is_followed_into_the_imported_file(folder: Path) -> None:
    said = simulate(
        folder, "swc", "--trace-packet=3", "--quiet",
        f"--sources={folder}", f"--sources={folder}/parts",
    )  # fmt: skip
    assert re.search(r"check\.baker:3[3-9]", said), said
    assert not re.search(r"whole\.baker:3\d", said), said
    assert "| if (!checks.is_good(" in said, said


def test_a_breakpoint_stops_in_the_imported_file(folder: Path) -> None:
    line = next(
        n for n, text in enumerate(PART.splitlines(), 1) if "atomic_add(right" in text
    )
    said = simulate(
        folder, "o1", f"--break=check.baker:{line}", f"--sources={folder}",
        f"--sources={folder}/parts",
    )  # fmt: skip
    assert f"check.baker:{line}" in said
    assert "\n  atomic_add(right, 1);\n" in said
    wrong = output_of(
        "ixpsim", folder / "o1.ixp", f"--trace={folder}/in.pcap",
        f"--break=whole.baker:{line}", status=1,
    )  # fmt: skip
    assert "whole.baker" in wrong


def test_the_code_that_does_not_fit_names_functions_of_both_files(
    folder: Path, tmp_path: Path
) -> None:
    big = tmp_path / "big.baker"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/check.baker").write_text(
        PART.replace(
            "atomic_add(wrong, sum);",
            "\n".join(f"atomic_add(wrong, sum * {n}77777);" for n in range(1, 900)),
        )
    )
    big.write_text(MAIN)
    said = output_of("bakerc", big, "--level=o2", "-o", tmp_path / "big.ixp", status=1)
    assert "does not fit" in said
    assert re.search(r"checks\.is_good \d{4}", said), said
