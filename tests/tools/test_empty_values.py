"""No tool takes an option with an empty value."""

from __future__ import annotations

import argparse
import sys

import pytest

import baker_explorer.cli
import npftrace.cli
from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run

sys.path.insert(0, str(ROOT / "tools/package"))
import manuals

pytestmark = requires("bakerc", "ixpsim")

TOOLS = sorted(path.stem for path in (ROOT / "tools").glob("*.cpp"))
REMEDY = "has an empty value; leave the option out or give it a value"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_refuses_each_of_its_options(tool: str) -> None:
    manual = manuals.manual_of(BUILD / "bin" / tool)
    for option in manual.options:
        for name in option.names:
            if name.startswith("--"):
                # The second argument is what a parser would take as the value.
                done = run(tool, f"{name}=", "none", status=2)
                assert f"error: '{name}' {REMEDY}" in done.stderr
            elif option.value:
                done = run(tool, name, "", status=2)
                assert f"error: the argument after '{name}' is empty" in done.stderr


def test_ctl_refuses_them_too() -> None:
    done = run("bakersw", "ctl", "--socket=", "stats", status=2)
    assert f"'--socket' {REMEDY}" in done.stderr
    done = run("bakersw", "ctl", "load", "", status=2)
    assert "the argument after 'load' is empty" in done.stderr


def long_options(parser: argparse.ArgumentParser) -> list[list[str]]:
    """The words that lead to each option of the parser and of its commands."""
    found: list[list[str]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found += [[name, *words] for words in long_options(command)]
        else:
            found += [[name] for name in action.option_strings if name[:2] == "--"]
    return found


def test_npftrace_refuses_each_of_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = long_options(npftrace.cli.make_parser())
    assert len(options) > 100
    for *command, name in options:
        with pytest.raises(SystemExit) as ended:
            npftrace.cli.main([*command, f"{name}=", "none"])
        assert ended.value.code == 2
        assert f"error: '{name}' {REMEDY}" in capsys.readouterr().err


def test_the_explorer_refuses_them(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in [
        (["--trace=", "a.baker"], f"'--trace' {REMEDY}"),
        (["a.baker", "--control", ""], "the argument after '--control' is empty"),
        ([""], "the first argument is empty"),
    ]:
        with pytest.raises(SystemExit) as ended:
            baker_explorer.cli.main(words)
        assert ended.value.code == 2
        assert f"error: {message}" in capsys.readouterr().err
