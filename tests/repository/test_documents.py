"""Every command in README.md, docs/ and labs/ runs.

The `sh` blocks of one document are one session, run in an empty folder with links to
the checkout's folders; one that makes network namespaces has them to itself, one with
DPDK ports is skipped where there is no DPDK. `./dev`
lines other than `./dev demo` are only checked against its help, because `./dev test`
runs this test.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from testkit import ethdev
from testkit.namespaces import ISOLATED, why_not
from testkit.paths import BUILD, ROOT
from testkit.tools import requires

DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("**/*.md")),
    *sorted((ROOT / "apps").glob("**/*.md")),
    *sorted((ROOT / "labs").glob("**/*.md")),
    *sorted((ROOT / "traces").glob("*.md")),
]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
DEV = re.compile(r"^\./dev (\w+).*$", re.M)


def session(document: Path) -> str:
    return "\n".join(BLOCK.findall(document.read_text()))


def with_commands() -> list[Path]:
    return [d for d in DOCUMENTS if session(d).strip()]


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("document", with_commands(), ids=lambda d: d.stem)
def test_commands_run(document: Path, tmp_path: Path) -> None:
    commands = session(document)
    usage = subprocess.run(
        [ROOT / "dev"], capture_output=True, text=True, check=True
    ).stdout
    for name in DEV.findall(commands):
        assert re.search(rf"^  {name}\b", usage, re.M), f"./dev {name} is no command"
    script = DEV.sub(lambda m: m[0] if m[1] == "demo" else ":", commands)
    for entry in ("apps", "dev", "docs", "labs", "runtime", "tests"):
        (tmp_path / entry).symlink_to(ROOT / entry)
    script = script.replace("./dev ", f"{ROOT}/dev ")
    if "--port=dpdk:" in script and not ethdev.MODULE.exists():
        pytest.skip(ethdev.WHY_NOT)
    isolated: tuple[str, ...] = ()
    if "ip netns" in script:
        if reason := why_not():
            pytest.skip(reason)
        isolated = ISOLATED
    path = f"{BUILD}/bin:{ROOT}/.venv/bin:{os.environ['PATH']}"
    run = subprocess.run(
        [*isolated, "bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.stem)
def test_links_are_not_broken(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), target
