"""Errors in the user's input.

Ids up to E-traces-025 are shared with the C++ readers, which refuse the same
files for the same reasons. Ids from E-traces-100 on are this package's own;
`traces/README.md` lists them.
"""

from pathlib import Path


class InputError(Exception):
    """An error in an input, with its catalogued id and its location."""

    def __init__(
        self, error_id: str, message: str, path: Path | str = "", line: int = 0
    ) -> None:
        super().__init__(message)
        self.error_id = error_id
        self.path = str(path)
        self.line = line

    def __str__(self) -> str:
        location = f"{self.path}:" if self.path else ""
        if self.line:
            location += f"{self.line}:"
        blank = " " if location else ""
        return f"{location}{blank}error: {self.args[0]} [{self.error_id}]"
