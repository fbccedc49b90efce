"""Errors of the user's input.

Ids up to 025 are those of the C++ readers, which refuse the same files for the
same reasons; from 100 on they are this package's own.
"""

from pathlib import Path


class InputError(Exception):
    """What is wrong with an input, with its catalogued id."""

    def __init__(
        self, error_id: str, message: str, path: Path | str = "", line: int = 0
    ) -> None:
        super().__init__(message)
        self.error_id = error_id
        self.path = str(path)
        self.line = line

    def __str__(self) -> str:
        place = f"{self.path}:" if self.path else ""
        if self.line:
            place += f"{self.line}:"
        return f"{place}{' ' if place else ''}error: {self.args[0]} [{self.error_id}]"
