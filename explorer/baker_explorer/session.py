"""What one start of the explorer works on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from baker_explorer.runs import Runs, Settings
from baker_explorer.workspace import Workspace


@dataclass
class Session:
    """The workspace, and the runs of its programs. `folder` is the explorer's own,
    and goes with it."""

    workspace: Workspace
    folder: Path
    settings: Settings
    runs: Runs = field(init=False)

    def __post_init__(self) -> None:
        self.runs = Runs(self.workspace, self.folder / "runs", self.settings)

    def program_files(self) -> list[str]:
        """The files of the program and those beside them."""
        found = list(self.runs.settings.files)
        for name in self.runs.settings.files:
            for path in sorted(self.workspace.path(name).parent.glob("*.baker")):
                other = self.workspace.name(path)
                if other not in found:
                    found.append(other)
        return found
