"""The command line of npftrace as a whole."""

import subprocess
import sys

import pytest

import npftrace.cli


def test_every_command_has_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(npftrace.cli.COMMANDS) > 10
    for name, text, _ in npftrace.cli.COMMANDS:
        for parser in (npftrace.cli.make_parser(), npftrace.cli.make_parser(name)):
            with pytest.raises(SystemExit):
                parser.parse_args([name, "--help"])
            shown = capsys.readouterr().out
            assert shown.startswith(f"usage: npftrace {name} [-h]")
            assert shown.count("\n") > 5
            assert text in " ".join(parser.format_help().split())


@pytest.mark.parametrize("command", ["--help", "show", "convert"])
def test_a_command_imports_only_what_it_needs(command: str) -> None:
    program = (
        "import sys\n"
        "from npftrace.cli import make_parser\n"
        f"make_parser({command!r})\n"
        "print({'numpy', 'scapy', 'yaml'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
