"""Files below the folder in which the explorer was started.

Everything that the page reads or writes by name goes through `Workspace.path`, so
that no name leads out of the folder, not even through a link.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from npftrace.errors import InputError

#: Folders that hold no programs.
_SKIPPED = {"build", "node_modules", "__pycache__"}
#: Most files of one ending that a folder is searched for.
_FOUND_MAX = 400


class Workspace:
    """A folder, and the files below it by their relative names."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def path(self, name: str | Path) -> Path:
        """The file of a name. E-explorer-001: it is not below the folder."""
        found = (self.root / name).resolve()
        if not found.is_relative_to(self.root):
            raise InputError(
                "E-explorer-001",
                f"is not below {self.root}; start baker-explorer in a folder that "
                "holds it",
                str(name),
            )
        return found

    def name(self, path: Path) -> str:
        """The name of a file below the folder."""
        return path.resolve().relative_to(self.root).as_posix()

    def read(self, name: str) -> str:
        """The text of a file. E-explorer-002: it cannot be read."""
        try:
            return self.path(name).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                "E-explorer-002", f"cannot be read: {error}", name
            ) from error

    def write(self, name: str, text: str) -> None:
        """Replaces a file, whole or not at all. E-explorer-003: it cannot be
        written."""
        path = self.path(name)
        try:
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".explorer-")
            try:
                with os.fdopen(handle, "w") as file:
                    file.write(text)
                os.chmod(temporary, path.stat().st_mode & 0o777)
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as error:
            raise InputError(
                "E-explorer-003", f"cannot be written: {error}", name
            ) from error

    def find(self, *endings: str) -> list[str]:
        """Names of the files with one of the endings, in order."""
        found: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(
                name
                for name in folders
                if name not in _SKIPPED and not name.startswith((".", "build-"))
            )
            for file in sorted(files):
                if file.endswith(endings) and len(found) < _FOUND_MAX:
                    found.append(
                        (Path(folder) / file).relative_to(self.root).as_posix()
                    )
        return found
