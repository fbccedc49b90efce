"""What a line of a rubric can expect of the files that its commands left.

    {value: Q, at_most: Q}      also at_least, equals
    {value: Q, near: Q, within: 0.05}
                                a relative difference of at most 5 %
    {value: Q, tiers: {40: 1, 60: 0.5}}
                                all points up to 40, half of them up to 60
    {same_frames: [A, B]}       two captures, in any order at each port
    {matches: FILE, pattern: P} a regular expression somewhere in a text

A quantity Q is a number, a text, `FILE:key.path` in a JSON or YAML file, or
`{times: 0.9, of: Q}`, `{sum: [Q, …]}` or `{over: [Q, Q]}` of others. Each
expectation of a line counts the same, but one with `must: true` makes the line worth
nothing if it fails, when the ones after it are left out, and counts nothing otherwise.
`name` and `says` are for the reader.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from operator import ne
from pathlib import Path
from typing import Any

import yaml

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture
from npftrace.frames.dissection import differences
from npftrace.frames.flows import summary

PORTS = 4
COMPARISONS = {"at_most": "at most", "at_least": "at least", "equals": "exactly"}


class NoValueError(Exception):
    """A quantity that a submission does not have; the text says why."""


@dataclass(frozen=True)
class Met:
    """How far an expectation is met, from 0 to 1, and the evidence."""

    share: float
    evidence: list[str]


def _shown(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _parsed(name: str, files: Mapping[str, bytes]) -> Any:
    if name not in files:
        raise NoValueError(f"{name} was not made")
    try:
        text = files[name].decode()
        return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise NoValueError(f"{name} cannot be read: {reason}") from error


def _looked_up(text: str, files: Mapping[str, bytes]) -> Any:
    name, _, path = text.partition(":")
    found = _parsed(name, files)
    for key in path.split("."):
        if isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, dict) and key.isdigit() and int(key) in found:
            found = found[int(key)]
        else:
            raise NoValueError(f"{name} has no {path}")
    if found is None or isinstance(found, (dict, list)):
        raise NoValueError(f"{name} has no answer for {path}")
    return found


def quantity(what: Any, files: Mapping[str, bytes]) -> Any:
    """A number or text; NoValueError if the submission does not have it."""
    if isinstance(what, dict):
        if "sum" in what:
            return sum(number(part, files) for part in what["sum"])
        if "over" in what:
            above, below = (number(part, files) for part in what["over"])
            return above / below if below else math.inf
        return what["times"] * number(what["of"], files)
    if isinstance(what, str) and re.match(r"[\w.-]+\.(json|ya?ml):", what):
        return _looked_up(what, files)
    return what


def number(what: Any, files: Mapping[str, bytes]) -> float:
    """A finite number; NoValueError if it is not one."""
    value = quantity(what, files)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise NoValueError(f"{what}: '{value}' is not a number")
    return float(value)


def _compare(expected: Mapping[str, Any], files: Mapping[str, bytes]) -> Met:
    name = expected.get("name", expected["value"])
    if "tiers" in expected:
        found = number(expected["value"], files)
        tiers = sorted(expected["tiers"].items())
        share = next((share for bound, share in tiers if found <= bound), 0.0)
        asked = f"at most {_shown(float(tiers[0][0]))}"
        return Met(share, [f"{name}: {_shown(found)}, asked: {asked}"])
    if "near" in expected:
        found, right = (number(expected[key], files) for key in ("value", "near"))
        is_met = abs(found - right) <= expected["within"] * abs(right)
        asked = f"within {expected['within']:.0%} of {_shown(right)}"
        return Met(float(is_met), [f"{name}: {_shown(found)}, asked: {asked}"])
    kind = next(key for key in COMPARISONS if key in expected)
    right = quantity(expected[kind], files)
    if isinstance(right, str):
        text = str(quantity(expected["value"], files)).strip().casefold()
        shown = "" if text == right.casefold() else ", which is wrong"
        return Met(float(not shown), [f"{name}: {text[:80]}{shown}"])
    found, right = number(expected["value"], files), float(right)
    is_met = {"at_most": found <= right, "at_least": found >= right}.get(
        kind, found == right
    )
    asked = f"{COMPARISONS[kind]} {_shown(right)}"
    return Met(float(is_met), [f"{name}: {_shown(found)}, asked: {asked}"])


def _frames(name: str, files: Mapping[str, bytes]) -> list[Frame]:
    if name not in files:
        raise NoValueError(f"{name} was not made")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(files[name])
        return read_capture(path, PORTS, allow_empty=True).frames


def _same_frames(names: list[str], files: Mapping[str, bytes]) -> Met:
    try:
        found, right = (
            sorted((frame.port, frame.data) for frame in _frames(name, files))
            for name in names
        )
    except InputError as error:
        raise NoValueError(f"{names[0]}: {error.args[0]}") from error
    if found == right:
        return Met(1.0, [f"all {len(right)} frames are right"])
    missing = [frame for frame in right if frame not in found]
    extra = [frame for frame in found if frame not in right]
    if len(found) == len(right):
        wrong = (Counter(right) - Counter(found)).total()
        differ = "differs" if wrong == 1 else "differ"
        evidence = [f"{len(found)} frames were sent, but {wrong} {differ}"]
    else:
        evidence = [f"{len(found)} frames were sent, {len(right)} should have been"]
    if missing:
        port, data = missing[0]
        evidence.append(f"not sent by port {port}: {summary(data)}")
        near = [sent for at, sent in extra if at == port and len(sent) == len(data)]
        if elsewhere := [at for at, sent in extra if sent == data]:
            evidence.append(f"  it was sent by port {elsewhere[0]}")
        elif near:
            closest = min(near, key=lambda sent: sum(map(ne, sent, data)))
            evidence += [f"  {line}" for line in differences(data, closest)]
    elif extra:
        port, data = extra[0]
        evidence.append(f"not expected by port {port}: {summary(data)}")
    return Met(0.0, evidence)


def _matches(expected: Mapping[str, Any], files: Mapping[str, bytes]) -> Met:
    name = expected["matches"]
    if name not in files:
        raise NoValueError(f"{name} was not made")
    text = files[name].decode(errors="replace")
    found = re.search(expected["pattern"], text, re.M)
    what = expected.get("name", f"{name} has '{expected['pattern']}'")
    return Met(float(bool(found)), [f"{what}: {'yes' if found else 'no'}"])


def check(expected: Mapping[str, Any], files: Mapping[str, bytes]) -> Met:
    """Compares what is expected with the files of a submission."""
    try:
        if "same_frames" in expected:
            met = _same_frames(expected["same_frames"], files)
        elif "matches" in expected:
            met = _matches(expected, files)
        else:
            met = _compare(expected, files)
    except NoValueError as why:
        met = Met(0.0, [str(why)])
    if met.share < 1 and "says" in expected:
        met.evidence.append(str(expected["says"]))
    return met
