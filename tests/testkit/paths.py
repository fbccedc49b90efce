"""Folders of the checkout and of the build under test."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The build tree that `./dev` names, or the one in the checkout.
BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))
