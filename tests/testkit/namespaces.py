"""Programs in network namespaces of their own, which end with the test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.paths import ROOT

#: Unshares the network, the mounts and the process numbers: what a command makes or
#: starts, in `ip netns` too, is gone when it ends.
ISOLATED = (
    "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
    "bash", "-euo", "pipefail", "-c",
    "mount -t tmpfs tmpfs /run; exec \"$@\"", "isolated",
)  # fmt: skip


def why_not() -> str | None:
    """Why this computer cannot make network namespaces, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for tool in ("ip", "ping", "unshare"):
        if not shutil.which(tool):
            return f"no {tool}: run ./dev test, which installs it"
    made = [*ISOLATED, "ip", "link", "add", "name", "one", "type", "veth"]
    if subprocess.run(made, capture_output=True, check=False).returncode != 0:
        return "no rights to make network namespaces here"
    return None


def needs_namespaces() -> pytest.MarkDecorator:
    """Skips a test, or with `pytestmark` a file, where there are none."""
    reason = why_not()
    return pytest.mark.skipif(reason is not None, reason=reason or "")


def run_scene(file: Path, scene: str, folder: Path) -> None:
    """Runs a Python file, which is told a scene and a folder, where it is isolated."""
    done = subprocess.run(
        [*ISOLATED, sys.executable, file, scene, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
