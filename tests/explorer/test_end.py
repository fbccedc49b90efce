"""However the explorer ends, nothing of it is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.serving import SECONDS, tool_environment

pytest.importorskip("nicegui")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_its_folder_is_removed(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "a.baker").write_text("module m { }\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    # A shell starts what runs in its background with this signal ignored.
    heeds = ["env", f"--default-signal={how.name.removeprefix('SIG')}"]
    process = subprocess.Popen(
        [*heeds, sys.executable, "-m", "baker_explorer", "--no-browser", "a.baker"],
        cwd=tmp_path, env={**tool_environment(), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    while "http://" not in (line := process.stdout.readline()):
        assert line, f"baker-explorer ended with {process.wait()}"
    assert list(temporary.glob("baker-explorer-*"))
    process.send_signal(how)
    assert process.wait(SECONDS) == 0
    assert not list(temporary.iterdir())
