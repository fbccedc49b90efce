"""Man pages and shell completion, made from the tools' own help."""

import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.paths import BUILD, ROOT
from testkit.tools import requires

sys.path.insert(0, str(ROOT / "tools/package"))
import manuals

TOOLS = sorted(path.stem for path in (ROOT / "tools").glob("*.cpp"))


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("share")
    for name in TOOLS:
        manual = manuals.manual_of(BUILD / "bin" / name)
        manuals.write_manual(manual, "1.2.3", out)
    return out


def page(share: Path, name: str) -> str:
    return gzip.decompress((share / f"man/man1/{name}.1.gz").read_bytes()).decode()


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("name", TOOLS)
def test_every_option_is_in_page_and_completion(share: Path, name: str) -> None:
    text = page(share, name).replace("\\-", "-")
    manual = manuals.manual_of(BUILD / "bin" / name)
    shown = subprocess.run(
        [BUILD / "bin" / name, "--help"], capture_output=True, text=True, check=True
    ).stdout
    if name != "baker-opt":
        names = set(re.findall(r"^  (?:-\w,)?(--[a-z][\w-]*)", shown, re.M))
        assert names == {
            n for o in manual.options for n in o.names if n.startswith("--")
        }
    files = {
        "bash": share / f"bash-completion/completions/{name}",
        "zsh": share / f"zsh/vendor-completions/_{name}",
        "fish": share / f"fish/vendor_completions.d/{name}.fish",
    }
    for option in manual.options:
        for flag in option.names:
            assert f"\\fB{flag}\\fR" in text
            assert flag in files["bash"].read_text()
            assert flag in files["zsh"].read_text()
            assert flag.lstrip("-") in files["fish"].read_text()
        assert option.text, f"{option.names} says nothing"


@requires("bakerc", "ixpsim")
@pytest.mark.parametrize("name", TOOLS)
def test_troff_reads_the_pages(share: Path, name: str, tmp_path: Path) -> None:
    groff = shutil.which("groff")
    if not groff:
        pytest.skip("groff is not installed")
    path = tmp_path / "page.1"
    path.write_text(page(share, name))
    run = subprocess.run(
        [groff, "-man", "-ww", "-Tascii", "-z", path], capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")


def completed(share: Path, name: str, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    script = share / f"bash-completion/completions/{name}"
    line = " ".join(f"'{word}'" for word in (name, *words))
    function = "_" + name.replace("-", "_")
    command = f"""
      compopt() {{ :; }}
      source {script}
      COMP_WORDS=({line}) COMP_CWORD={len(words)}
      {function}
      printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True
    )
    return run.stdout.split()


@requires("bakerc", "ixpsim")
def test_bash_completes_options_and_values(
    share: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.baker").touch()
    assert completed(share, "bakerc", "--prof") == ["--profile-trace=", "--profile="]
    # Bash splits words at "=".
    assert completed(share, "bakerc", "--level", "=", "s") == ["soar", "swc"]
    assert "swc" in completed(share, "bakerc", "--level", "=")
    assert completed(share, "bakerc", "a.") == ["a.baker"]
    assert completed(share, "ixpsim", "--policy", "=", "p") == ["power"]


def test_a_tool_without_help_ends_the_program(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nexit 0\n")
    tool.chmod(0o755)
    with pytest.raises(SystemExit, match="prints no help"):
        manuals.manual_of(tool)


def test_versions_agree() -> None:
    version = re.search(
        r"project\(Karakal VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    package = re.search(
        r'^version = "(.*)"', (ROOT / "traces/pyproject.toml").read_text(), re.M
    )
    newest = re.search(r"^## (.*)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert version and package and newest
    assert version[1] == package[1] == newest[1]
