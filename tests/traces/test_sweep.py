"""Sweeps without a build: specs, the store, and which steps run. The tools are shell
scripts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from npftrace.cli import main
from npftrace.errors import InputError
from npftrace.sweep.runner import Failure, StepRunner
from npftrace.sweep.spec import flat, read_spec
from npftrace.sweep.step import Step
from npftrace.sweep.store import Outcome, Store
from npftrace.sweep.sweep import options

SPEC: dict[str, Any] = {
    "program": "a.baker",
    "traffic": {"kind": "ipv4", "routes": [10, 100]},
    "compile": {"level": ["o1", "swc"]},
    "simulate": {"mes": 2, "set": {"dram.latency": [100, 120]}},
}


def write_spec(folder: Path, spec: Any, name: str = "s.json") -> Path:
    (folder / "a.baker").touch()
    path = folder / name
    path.write_text(spec if isinstance(spec, str) else json.dumps(spec))
    return path


def test_points_are_the_product_and_the_last_axis_changes_fastest(
    tmp_path: Path,
) -> None:
    points = read_spec(write_spec(tmp_path, SPEC))
    found = [
        (p.traffic["routes"], p.compile["level"], p.simulate["set"]["dram.latency"])
        for p in points
    ]
    assert found == [
        (routes, level, latency)
        for routes in (10, 100)
        for level in ("o1", "swc")
        for latency in (100, 120)
    ]
    assert points[0].profile == points[0].traffic
    assert points[0].parameters()["simulate.set.dram.latency"] == 100


def test_yaml_and_toml_give_the_same_points(tmp_path: Path) -> None:
    yaml = "program: a.baker\ntraffic: {kind: ipv4}\nsimulate: {mes: [1, 2]}\n"
    toml = 'program = "a.baker"\ntraffic = {kind = "ipv4"}\nsimulate = {mes = [1, 2]}\n'
    found = [
        read_spec(write_spec(tmp_path, text, name))
        for text, name in ((yaml, "s.yaml"), (toml, "s.toml"))
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_cases_replace_values_of_the_rest(tmp_path: Path) -> None:
    cases = [{"name": "one", "traffic": {"hops": 2}}, {"simulate": {"mes": [1, 3]}}]
    points = read_spec(write_spec(tmp_path, SPEC | {"cases": cases}))
    assert len(points) == 8 + 16
    assert points[0].traffic == {"kind": "ipv4", "routes": 10, "hops": 2}
    assert points[0].name == "one" and points[8].name == ""
    assert [p.simulate["mes"] for p in points[8:12]] == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"programme": "b"}, "E-traces-171"),
        ({"traffic": 3}, "E-traces-171"),
        ({"simulate": {"stats": "x"}}, "E-traces-171"),
        ({"cases": [3]}, "E-traces-171"),
        ({"program": "none.baker"}, "E-traces-172"),
        ({"traffic": {"trace": "none.pcap"}}, "E-traces-172"),
    ],
)
def test_wrong_specs_are_refused(
    tmp_path: Path, change: dict[str, Any], error: str
) -> None:
    with pytest.raises(InputError) as found:
        read_spec(write_spec(tmp_path, SPEC | change))
    assert found.value.error_id == error


@pytest.mark.parametrize("name", ["s.json", "s.toml", "s.yaml"])
def test_a_file_that_is_not_a_spec_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as found:
        read_spec(write_spec(tmp_path, "[{", name))
    assert found.value.error_id == "E-traces-170"


def test_without_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["sweep", str(write_spec(tmp_path, SPEC))]) == 1
    assert "there is no bakerc on the PATH [E-traces-174]" in capsys.readouterr().err


def test_options_as_a_command_line() -> None:
    table = {"mes": 2, "strict": True, "quiet": False, "set": {"a.b": 1, "c": 2}}
    assert options(table) == ("--mes=2", "--strict", "--set=a.b=1", "--set=c=2")


def test_flat_names() -> None:
    assert flat({"a": {"b": [1, {"c": 2}]}, "d": 3}) == {
        "a.b.0": 1,
        "a.b.1.c": 2,
        "d": 3,
    }


def shell(script: str, *outputs: str, **inputs: str) -> Step:
    return Step(("/bin/sh", "-c", script), tuple(inputs.items()), outputs)


@pytest.fixture
def runner(tmp_path: Path) -> StepRunner:
    return StepRunner(Store(tmp_path / "store"), is_shown=False)


def test_a_step_runs_once_and_is_stored(runner: StepRunner) -> None:
    data = runner.store.add(b"7\n")
    step = shell("read n < n; echo $((n + 1)) > out", "out", n=data)
    for ran, known in ((1, 0), (1, 1)):
        outcome = runner.run([step, step], "steps")[0]
        assert isinstance(outcome, Outcome)
        assert runner.store.read(outcome.outputs["out"]) == b"8\n"
        assert (runner.ran, runner.known) == (ran, known)


def test_another_input_is_another_step(runner: StepRunner) -> None:
    steps = [shell("cp n out", "out", n=runner.store.add(bytes([n]))) for n in range(3)]
    runner.run(steps[:2], "steps")
    runner.run(steps, "steps")
    assert (runner.ran, runner.known) == (3, 2)


def test_a_failure_is_reported_and_tried_again(runner: StepRunner) -> None:
    step = shell("echo no >&2; exit 3")
    for ran in (1, 2):
        assert runner.run([step], "steps") == [Failure(3, "no")]
        assert runner.ran == ran


def test_a_damaged_store_runs_the_step_again(runner: StepRunner) -> None:
    step = shell("echo 1 > out", "out")
    outcome = runner.run([step], "steps")[0]
    assert isinstance(outcome, Outcome)
    runner.store.path(outcome.outputs["out"]).unlink()
    runner.run([step], "steps")
    assert runner.ran == 2


def test_a_tool_can_be_an_input(runner: StepRunner) -> None:
    tool = runner.store.add(b"#!/bin/sh\necho it runs > out\n")
    outcome = runner.run([Step(("./tool",), (("tool", tool),), ("out",))], "steps")[0]
    assert isinstance(outcome, Outcome)
    assert runner.store.read(outcome.outputs["out"]) == b"it runs\n"


def test_a_terminal_sees_progress_and_time_left(tmp_path: Path) -> None:
    runner = StepRunner(Store(tmp_path), is_shown=True)
    text = io.StringIO()
    runner.console = Console(file=text, force_terminal=True, width=100)
    runner.run([shell(f"echo {n}") for n in range(4)], "counting")
    assert "counting" in text.getvalue()
    assert "4/4" in text.getvalue() and "time left" in text.getvalue()
