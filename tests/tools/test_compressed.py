"""Compressed traces and control files, read by every tool."""

from pathlib import Path

import pytest

from npftrace.files import create
from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.paths import ROOT
from testkit.tools import run

PROGRAM = ROOT / "apps/examples/port-mirror/port_mirror.baker"
FRAMES = [
    Frame(0, n % 2, bytes(12) + bytes([8, n % 3]) + bytes([n]) * 50) for n in range(30)
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace and a control file, plain and compressed in three ways, and cut."""
    folder = tmp_path_factory.mktemp("compressed")
    write_capture(folder / "t.pcapng", FRAMES, 4)
    (folder / "c.control").write_text("mirror_type(2049)\n")
    for name in ("t.pcapng", "c.control"):
        content = (folder / name).read_bytes()
        for suffix in (".gz", ".zst", ".xz"):
            with create(folder / (name + suffix)) as file:
                file.write(content)
        packed = (folder / f"{name}.zst").read_bytes()
        (folder / f"cut-{name}").write_bytes(packed[:-3])
    run(
        "bakerc",
        PROGRAM,
        f"--profile-trace={folder}/t.pcapng.zst",
        f"--control={folder}/c.control.gz",
        f"-o{folder}/mirror.ixp",
    )
    return folder


def words(tool: str, folder: Path) -> list[object]:
    if tool == "bakerc":
        return [tool, PROGRAM, "--run"]
    return [tool, folder / "mirror.ixp"]


@pytest.mark.parametrize("tool", ["bakerc", "ixpsim"])
def test_a_run_on_compressed_files_is_the_same(
    inputs: Path, tmp_path: Path, tool: str
) -> None:
    def sent(suffix: str) -> list[Frame]:
        out = tmp_path / "o.pcapng"
        trace = f"--trace={inputs}/t.pcapng{suffix}"
        control = f"--control={inputs}/c.control{suffix}"
        run(*words(tool, inputs), trace, control, f"--out={out}")
        return read_capture(out, 4).frames

    expected = sent("")
    assert {frame.port for frame in expected} == {0, 1, 3}, "the mirror is set"
    for suffix in (".gz", ".zst", ".xz"):
        assert sent(suffix) == expected


@pytest.mark.parametrize("tool", ["bakerc", "ixpsim"])
@pytest.mark.parametrize("name", ["t.pcapng", "c.control"])
def test_a_cut_file_is_named(inputs: Path, tool: str, name: str) -> None:
    files = {"t.pcapng": inputs / "t.pcapng", "c.control": inputs / "c.control"}
    files[name] = inputs / f"cut-{name}"
    trace, control = f"--trace={files['t.pcapng']}", f"--control={files['c.control']}"
    done = run(*words(tool, inputs), trace, control, status=1)
    assert f"{files[name]}: error: the zstd data are cut short" in done.stderr
    assert "E-traces-009" in done.stderr


def test_the_switch_reads_compressed_files(inputs: Path, tmp_path: Path) -> None:
    ports = [f"pcap,rx={inputs}/t.pcapng.xz,interface={n},tx=o{n}" for n in (0, 1)]
    ports += ["null", "pcap,tx=o3"]
    run(
        "bakersw",
        PROGRAM,
        f"--control={inputs}/c.control.zst",
        "--socket=none",
        *(f"--port={port.replace('tx=', f'tx={tmp_path}/')}" for port in ports),
    )
    mirrored = read_capture(tmp_path / "o3", 1).frames
    assert len(mirrored) == sum(frame.data[13] == 1 for frame in FRAMES)
