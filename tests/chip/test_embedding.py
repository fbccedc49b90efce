"""The installed library: what another project finds. docs/embedding.md, whose
commands run in a test, builds such a project and runs it."""

import subprocess
from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run_command


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("installed")
    subprocess.run(
        ["cmake", "--install", BUILD, "--prefix", path],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


@requires("ixpsim")
def test_headers_compile_with_gcc(prefix: Path) -> None:
    include = prefix / "include" / "karakal"
    headers = sorted(include.glob("**/*.h"))
    assert len(headers) > 100
    text = "".join(f'#include "{header.relative_to(include)}"\n' for header in headers)
    run = subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
         "-fsyntax-only", "-I", include, "-x", "c++", "-"],
        input=text, text=True, capture_output=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]


@requires("ixpsim")
def test_nothing_of_the_compiler_is_installed(prefix: Path) -> None:
    library = next(prefix.glob("lib*/**/libkarakal.so"))
    needed = subprocess.run(
        ["readelf", "-d", library], check=True, text=True, capture_output=True
    ).stdout
    assert "libunicorn" in needed
    for name in ("LLVM", "MLIR", "antlr"):
        assert f"lib{name}" not in needed
    package = next(prefix.glob("lib*/**/KarakalConfig.cmake"))
    targets = (package.parent / "KarakalTargets.cmake").read_text()
    assert str(BUILD) not in targets, "the package works without the build tree"


@requires("bakerc")
def test_a_prefix_has_what_executables_need(prefix: Path, tmp_path: Path) -> None:
    source, made = ROOT / "tests/packets/language/ports.baker", tmp_path / "ports"
    run_command(
        prefix / "bin/bakerc", "--target=x86", "--emit=exe", source, "-o", made
    )  # fmt: skip
    write_pcap(tmp_path / "t.pcap", [bytes(60)] * 3)
    assert "3 received" in run_command(made, tmp_path / "t.pcap").stdout
