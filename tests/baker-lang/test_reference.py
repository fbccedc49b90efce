"""Every `baker` block of the language reference compiles."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))
PROGRAMS = re.findall(
    r"^```baker\n(.*?)^```", (ROOT / "docs/language.md").read_text(), re.M | re.S
)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_program_of_the_reference_compiles(number: int, tmp_path: Path) -> None:
    if not (BUILD / "bin/bakerc").exists():
        pytest.skip("no build tree: run ./dev build first")
    source = tmp_path / "program.baker"
    source.write_text(PROGRAMS[number])
    done = subprocess.run(
        [BUILD / "bin/bakerc", source, "-o", tmp_path / "program.ixp"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr, done.stderr
