"""`npftrace sweep` gives the same results on this computer's cores, on a Dask
cluster that loses a worker, and after an interrupt."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import parquet

from testkit.applications import L3_SWITCH
from testkit.paths import BUILD, ROOT
from testkit.tools import read_json, requires

pytestmark = requires("bakerc", "ixpsim")
SPEC = {
    "name": "l3-switch",
    "program": str(L3_SWITCH),
    "traffic": {"kind": "ipv4", "routes": 50, "packets": 600, "size": 64},
    "compile": {"level": ["o1", "swc"]},
    "simulate": {
        "mes": [1, 6],
        "packets": 600,
        "set": {"dram.latency": [100, 120, 140]},
    },
}
POINTS = 12
#: Traffic and two images come before the runs.
STEPS = POINTS + 3
NOTEBOOK = ROOT / "docs/sweep.ipynb"


def sweep(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts the sweep with a store of its own."""
    (folder / "spec.json").write_text(json.dumps(SPEC))
    return subprocess.Popen(
        [
            sys.executable, "-m", "npftrace", "sweep", "spec.json", *arguments,
            "--cache=cache", "--out=found",
        ],
        cwd=folder,
        env={**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    return out


def wait_for_steps(folder: Path, count: int) -> None:
    for _ in range(3000):
        if len(list((folder / "cache/outcomes").glob("[0-9a-f]*"))) >= count:
            return
        time.sleep(0.02)
    raise TimeoutError


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("local")
    assert f"{STEPS} steps ran" in finished(sweep(folder))
    return folder


def assert_same(folder: Path, other: Path) -> None:
    for name in ("found.json", "found.parquet"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()


def test_every_point_has_its_statistics(local: Path) -> None:
    table = parquet.read_table(local / "found.parquet").to_pylist()
    assert len(table) == POINTS
    for row in table:
        assert row["packets.received"] == 600 and row["code_words"] > 0
        assert row["rate.forwarded_gbps"] > 0
    slow, fast = (
        [r["rate.forwarded_gbps"] for r in table if r["simulate.mes"] == n]
        for n in (1, 6)
    )
    assert max(slow) < max(fast)


def test_a_second_sweep_runs_only_new_steps(local: Path, tmp_path: Path) -> None:
    shutil.copytree(local / "cache", tmp_path / "cache")
    assert "; 0 steps ran" in finished(sweep(tmp_path))
    assert_same(local, tmp_path)


def test_a_point_that_fails_does_not_stop_the_others(
    local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SPEC, "compile", {"level": ["o1", "o9"]})
    shutil.copytree(local / "cache", tmp_path / "cache")
    process = sweep(tmp_path)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"{POINTS} points, {POINTS // 2} failed" in out
    assert "compile.level=o9" in err and "--level" in err
    points = read_json(tmp_path / "found.json")["points"]
    assert ["error" in point for point in points] == [False] * 6 + [True] * 6


def test_an_interrupted_sweep_continues(local: Path, tmp_path: Path) -> None:
    process = sweep(tmp_path, "--workers=1")
    wait_for_steps(tmp_path, 2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command continues from there" in err
    said = finished(sweep(tmp_path))
    assert f"{STEPS} steps ran" not in said and "; 0 steps ran" not in said
    assert_same(local, tmp_path)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, started without npftrace; the scheduler writes
    its address to a file."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    where = ["--scheduler-file", str(file), "--no-dashboard"]
    worker = [*dask, "worker", *where, "--nthreads=1", "--no-nanny"]
    worker += ["--local-directory", str(tmp_path)]
    commands = [[*dask, "scheduler", *where, "--host=127.0.0.1", "--port=0"]]
    commands += [worker, worker]
    quiet = subprocess.DEVNULL
    processes = [subprocess.Popen(c, stdout=quiet, stderr=quiet) for c in commands]
    try:
        for _ in range(1500):
            if file.exists() and file.read_text().strip().endswith("}"):
                break
            time.sleep(0.02)
        yield read_json(file)["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker(
    local: Path,
    tmp_path: Path,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, workers = cluster
    process = sweep(tmp_path, f"--dask={address}")
    wait_for_steps(tmp_path, STEPS - POINTS // 2)
    assert process.poll() is None
    workers[0].kill()
    assert f"{STEPS} steps ran" in finished(process)
    assert_same(local, tmp_path)


def test_a_scheduler_that_does_not_answer_is_an_error(
    tmp_path: Path, local: Path
) -> None:
    shutil.copytree(local / "cache", tmp_path / "cache")
    process = sweep(tmp_path, "--dask=tcp://127.0.0.1:1")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "E-traces-173" in err


def test_the_notebook_reads_a_sweep(
    local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs the notebook's cells in order."""
    for kind in ("json", "parquet"):
        shutil.copy(local / f"found.{kind}", tmp_path / f"paper.{kind}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = read_json(NOTEBOOK)["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(names["rows"]) == POINTS  # type: ignore[arg-type]
    assert (tmp_path / "rates.svg").stat().st_size > 1000
