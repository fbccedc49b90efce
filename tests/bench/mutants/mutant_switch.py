"""The run-time switches of mutants in Python; see MutantSwitch.h."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any

COUNT_MAX = 1 << 20
EXECUTED, DIFFERED = 1, 2


def _log() -> mmap.mmap | None:
    path = os.environ.get("KARAKAL_MUTANT_LOG")
    if path is None or not os.path.exists(path):
        return None
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), COUNT_MAX)


_seen = _log()
_active = int(os.environ.get("KARAKAL_MUTANT", "0")) if _seen is None else 0


def on(number: int) -> bool:
    """Whether a mutant is on."""
    if _seen is not None:
        _seen[number] = EXECUTED | DIFFERED
    return _active == number


def change(
    number: int,
    left: Any,
    right: Any,
    was: Callable[[Any, Any], Any],
    becomes: Callable[[Any, Any], Any],
) -> Any:
    """An operation on two operands for which a mutant takes another."""
    if _active == number:
        return becomes(left, right)
    if _seen is not None:
        _seen[number] |= EXECUTED
        if _differs(left, right, was, becomes):
            _seen[number] |= DIFFERED
    return was(left, right)


def _differs(
    left: Any,
    right: Any,
    was: Callable[[Any, Any], Any],
    becomes: Callable[[Any, Any], Any],
) -> bool:
    numbers = (bool, int, float)
    if type(left) not in numbers or type(right) not in numbers:
        return True
    try:
        return bool(was(left, right) != becomes(left, right))
    except (ArithmeticError, ValueError):
        return True
