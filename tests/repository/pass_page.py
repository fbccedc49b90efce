"""Makes docs/passes.md from the folders' Passes.td.

python tests/repository/pass_page.py > docs/passes.md
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT

HEAD = """\
# Passes

The passes over the `baker` dialect with their options. `python
tests/repository/pass_page.py > docs/passes.md` makes this page from the folders'
`Passes.td`. `driver/pipeline/Pipeline.cpp` lists the order of the passes, their
levels and the reasons; [writing-a-pass.md](writing-a-pass.md) shows how to add a
pass.
"""


def tblgen() -> str:
    return shutil.which("mlir-tblgen-19") or "/usr/lib/llvm-19/bin/mlir-tblgen"


def page() -> str:
    parts = [HEAD]
    for source in sorted([*ROOT.glob("*/Passes.td"), *ROOT.glob("*/*/Passes.td")]):
        made = subprocess.run(
            [tblgen(), "-gen-pass-doc", "-I", "/usr/lib/llvm-19/include", source],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        lines = [
            line.rstrip() for line in made.splitlines() if not line.startswith("<!--")
        ]
        parts.append(
            f"## {source.parent.relative_to(ROOT)}/\n\n"
            + "\n".join(lines).strip()
            + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
