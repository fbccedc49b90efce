"""Every tool tells the version of the checkout."""

import re
import tomllib

import pytest

import baker_explorer.cli
import npftrace.cli
from testkit.paths import ROOT
from testkit.tools import requires, run

TOOLS = sorted(path.stem for path in (ROOT / "tools").glob("*.cpp"))
PROJECT = re.search(
    r"^project\(Karakal VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M
)
assert PROJECT
VERSION = PROJECT[1]


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_tells_its_version(tool: str) -> None:
    done = run(tool, "--version")
    assert f"{tool} (Karakal) {VERSION}" in done.stdout.splitlines()
    if tool in ("bakerc", "baker-opt"):
        assert re.search(r"LLVM (version )?\d+\.\d+", done.stdout)


@pytest.mark.parametrize(
    ("name", "package"), [("npftrace", npftrace), ("baker-explorer", baker_explorer)]
)
def test_a_python_tool_tells_its_version(
    name: str, package: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        package.cli.main(["--version"])  # type: ignore[attr-defined]
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{name} (Karakal) {VERSION}\n"


@pytest.mark.parametrize("folder", ["traces", "explorer"])
def test_the_python_packages_have_the_same_version(folder: str) -> None:
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    assert project["project"]["version"] == VERSION
