"""Argument types and options that several commands share."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

PORTS_DEFAULT, PORTS_MAX = 4, 16
#: Ends the help of an option.
DEFAULT = "(default: %(default)s)"
#: The largest number of packets, routes or rules that a command line may name.
COUNT_MAX = 10**9


class DefaultsHelpFormatter(argparse.ArgumentDefaultsHelpFormatter):
    """Ends the help of each option with its default, if it has one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default is None or action.nargs == 0:
            return action.help
        return super()._get_help_string(action)


def add_version(parser: argparse.ArgumentParser, distribution: str) -> None:
    """`--version`, that of an installed Python distribution."""

    class PrintVersion(argparse.Action):
        def __call__(self, *_: object) -> None:
            from importlib.metadata import version

            print(f"{parser.prog} (Karakal) {version(distribution)}")
            parser.exit()

    parser.add_argument(
        "--version", nargs=0, action=PrintVersion, help="print the version and exit"
    )


def between(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number within bounds."""

    def whole_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            message = f"'{text}' is not a whole number"
            raise argparse.ArgumentTypeError(message) from None
        if not low <= value <= high:
            message = f"{text} is not between {low} and {high}"
            raise argparse.ArgumentTypeError(message)
        return value

    return whole_number


def refuse_empty(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Ends the command if an argument is empty: `--option=` or `--option ""`."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if argument == "":
            where = f"the argument after '{before}'" if before else "the first argument"
            parser.error(f"{where} is empty")
        if argument.startswith("--") and argument.find("=") == len(argument) - 1:
            parser.error(
                f"'{argument[:-1]}' has an empty value; leave the option out or "
                "give it a value"
            )


def share(text: str) -> float:
    """An argument type: a share of the packets, 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def add_ports(parser: argparse.ArgumentParser, least: int = 1) -> None:
    """`--ports`, how many ports the chip has."""
    parser.add_argument(
        "--ports",
        type=between(least, PORTS_MAX),
        default=PORTS_DEFAULT,
        help=f"ports of the chip {DEFAULT}",
    )


def add_control_output(parser: argparse.ArgumentParser) -> None:
    """`--control`, the control file that the command writes."""
    parser.add_argument(
        "--control", type=Path, required=True, help="control file to write"
    )
