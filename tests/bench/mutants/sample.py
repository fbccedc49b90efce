"""The folders, and the sites that a seed selects.

A site's place in the order of its folder is a hash of the seed, its line and
the change. So a file that moves keeps its mutants, and a changed line leaves
those of other lines alone.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .python_sites import python_sites
from .sites import Lines, Site

#: The Python package beside the folders of the layer table.
PACKAGE, PACKAGE_FOLDER = "npftrace", "traces/npftrace"
#: Numbers of mutants are below this, as in MutantSwitch.h.
COUNT_MAX = 1 << 20


@dataclass(frozen=True)
class Mutant:
    """A site that may be sampled."""

    #: Names the mutant as long as its line does not change.
    key: str
    folder: str
    file: str
    line: int
    column: int
    site: Site

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        return f"{place}: {self.site.was} -> {self.site.becomes}"


def tracked(root: Path) -> list[str]:
    """The files of the checkout that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(line for line in listed.splitlines() if (root / line).exists())


def folders(root: Path) -> list[str]:
    """The top-level folders of the layer table, bottom-up, and the package."""
    text = (root / "cmake/Layers.cmake").read_text()
    rows = re.findall(r'^  "([\w-]+)[\w/-]* *\|[^|"]*\|[^|"]*"$', text, re.M)
    return [*dict.fromkeys(rows), PACKAGE]


def sources_of(folder: str, files: list[str]) -> list[str]:
    """The files of a folder that may change."""
    if folder == PACKAGE:
        return [f for f in files if f.startswith(PACKAGE_FOLDER) and f.endswith(".py")]
    return [
        f for f in files if f.startswith(f"{folder}/") and f.endswith((".cpp", ".h"))
    ]


def sites_of(file: str, source: bytes) -> list[Site]:
    if file.endswith(".py"):
        return python_sites(source)
    # Only the benchmark needs a C++ parser.
    from .cpp_sites import cpp_sites

    return cpp_sites(source)


def candidates(root: Path, folder: str, files: list[str], seed: int) -> list[Mutant]:
    """One mutant a node of the folder, in the order of the seed."""
    found = []
    alike: Counter[str] = Counter()
    for file in sources_of(folder, files):
        source = (root / file).read_bytes()
        lines = Lines(source)
        nodes: dict[tuple[int, int, int], list[Site]] = {}
        for site in sites_of(file, source):
            nodes.setdefault(site.node, []).append(site)
        for sites in nodes.values():
            where = f"{seed} {folder} {lines.line_of(sites[0].start)} {sites[0].was}"
            alike[where] += 1
            name = _hash(f"{where} {alike[where]}")
            site = sites[int(name, 16) % len(sites)]
            key = _hash(f"{name} {site.becomes}")
            found.append(Mutant(key, folder, file, *lines.at(site.start), site))
    return sorted(found, key=lambda mutant: mutant.key)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def numbered(mutants: list[Mutant]) -> dict[int, Mutant]:
    """The mutants by number. A number depends on the others only if two agree."""
    numbers: dict[int, Mutant] = {}
    for mutant in sorted(mutants, key=lambda mutant: mutant.key):
        number = int(mutant.key, 16) % COUNT_MAX
        while number == 0 or number in numbers:
            number = (number + 1) % COUNT_MAX
        numbers[number] = mutant
    return numbers
