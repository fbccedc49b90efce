"""Breakpoints show the same local variables at every level, or fewer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from differential.differential import Tools
from differential.generator import make_frames, make_program
from testkit.captures import write_pcap
from testkit.paths import BUILD
from testkit.tools import requires, run
from tools.test_looking_inside import locals_of

#: A value in parts of a wider one, and an assignment that LLVM's code generator drops.
SEEDS = (30, 55)

Locals = dict[str, tuple[str, str, str]]


def kept(path: Path, level: str, line: int) -> Locals:
    """The variables with a place where an engine first reaches a line."""
    # Most lines have no instruction, which is an error.
    done = Tools(BUILD).run(
        "ixpsim", path / f"{level}.ixp", "--quiet", "--mes=1", "--threads=1",
        f"--trace={path}/in.pcap", f"--control={path}/control",
        f"--break=program.baker:{line}",
    )  # fmt: skip
    shown = locals_of(done.stdout)
    return {name: each for name, each in shown.items() if each[1] != "nowhere"}


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("seed", SEEDS)
def test_levels_show_what_base_shows(seed: int, tmp_path: Path) -> None:
    program, source = make_program(seed), tmp_path / "program.baker"
    frames = make_frames(seed, 1)[:1]
    program.run(frames, False)
    source.write_text(program.text())
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "control").write_text("\n".join(program.control_calls(False)) + "\n")
    for level in ("base", "swc"):
        image = tmp_path / f"{level}.ixp"
        run("bakerc", source, "-g", f"--level={level}", "--punt-rate=none", "-o", image)
    lines = source.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if re.match(r"m\.\w+\.ppf\(", line))
    compared = 0
    for number in range(begin + 2, len(lines) + 1):
        right = kept(tmp_path, "base", number)
        for name, (type_, _, value) in kept(tmp_path, "swc", number).items():
            if name in right:
                compared += 1
                expected = (right[name][0], right[name][2])
                assert (type_, value) == expected, (number, name)
    assert compared >= 10
