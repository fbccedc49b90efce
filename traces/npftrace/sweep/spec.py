"""Reads the specification of a sweep, in YAML, TOML or JSON.

    program: l3_switch.baker
    traffic: {kind: ipv4, routes: [1000, 10000], packets: 20000, size: 64}
    compile: {level: [o2, pac, swc]}
    simulate:
      mes: [1, 2, 4]
      packets: 4000
      set: {dram.latency: [100, 120]}

A list is an axis. The points are the product of all axes; the last axis changes
fastest. `cases` is a list of tables, for parameters that change together, such as
a program and its traffic: each case replaces values of the rest of the spec.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from npftrace.errors import InputError

Table = dict[str, Any]

#: The tables of options, and the options that the sweep sets itself.
SECTIONS = {
    "traffic": {"out", "answers"},
    "profile": {"out", "answers"},
    "compile": {"o", "profile-trace", "control", "report"},
    "simulate": {"trace", "control", "stats", "out", "timeline", "quiet"},
}
TOP = {"name", "program", "cases", *SECTIONS}


@dataclass(frozen=True)
class Point:
    """One traffic, one image, one run; paths are absolute."""

    #: The name of its case, or empty.
    name: str
    program: Path
    traffic: Table
    #: The traffic that the compiler profiles.
    profile: Table
    compile: Table
    simulate: Table

    def parameters(self) -> Table:
        """The parameters by dotted names, as the spec gives them."""
        found: Table = {"name": self.name} if self.name else {}
        found["program"] = self.program.stem
        for section in SECTIONS:
            found |= flat(getattr(self, section), section)
        if self.profile == self.traffic:
            found = {k: v for k, v in found.items() if not k.startswith("profile.")}
        return found


def flat(table: Table, prefix: str = "") -> Table:
    """Nested tables as one table with dotted names; list elements by number."""
    found: Table = {}
    for key, value in table.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, list):
            value = dict(enumerate(value))
        if isinstance(value, dict):
            found |= flat(value, name)
        else:
            found[name] = value
    return found


def read_spec(path: Path) -> list[Point]:
    """The points of a sweep. File names are relative to the spec's folder."""
    spec = _parse(path)
    cases = spec.pop("cases", [{}])
    if not isinstance(cases, list) or not cases:
        raise InputError("E-traces-171", "cases is a list of tables", path)
    points = []
    for case in cases:
        whole = _merged(spec, case) if isinstance(case, dict) else None
        if whole is None:
            raise InputError("E-traces-171", "cases is a list of tables", path)
        _check(whole, path)
        points += [_point(each, path) for each in _product(whole)]
    return points


def _parse(path: Path) -> Table:
    text = path.read_text()
    try:
        if path.suffix == ".toml":
            spec: Any = tomllib.loads(text)
        elif path.suffix == ".json":
            spec = json.loads(text)
        else:
            spec = yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise InputError(
            "E-traces-170", f"this is not a spec: {error}", path
        ) from error
    if not isinstance(spec, dict):
        raise InputError("E-traces-170", "this is not a spec: it is not a table", path)
    return spec


def _merged(below: Table, above: Table) -> Table:
    whole = dict(below)
    for key, value in above.items():
        old = whole.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        whole[key] = _merged(old, value) if both and old else value
    return whole


def _check(spec: Table, path: Path) -> None:
    for key in spec:
        if key not in TOP:
            message = f"there is no '{key}': a spec has {', '.join(sorted(TOP))}"
            raise InputError("E-traces-171", message, path)
    for section, own in SECTIONS.items():
        table = spec.get(section, {})
        if not isinstance(table, dict):
            raise InputError("E-traces-171", f"{section} is a table of options", path)
        for key in own & set(table):
            message = f"{section}.{key} is set by the sweep itself"
            raise InputError("E-traces-171", message, path)
    for key in ("program", "traffic"):
        if key not in spec:
            raise InputError("E-traces-171", f"a spec needs '{key}'", path)


def _product(spec: Table) -> Iterator[Table]:
    """The spec with each combination of one value per axis."""
    axes = [(keys, value) for keys, value in _leaves(spec) if isinstance(value, list)]
    for values in itertools.product(*(axis for _, axis in axes)):
        point = json.loads(json.dumps(spec))
        for (keys, _), value in zip(axes, values, strict=True):
            table = point
            for key in keys[:-1]:
                table = table[key]
            table[keys[-1]] = value
        yield point


def _leaves(table: Table, above: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _point(spec: Table, path: Path) -> Point:
    program = path.parent / str(spec["program"])
    if not program.is_file():
        raise InputError("E-traces-172", f"there is no program {program}", path)
    traffic = _traffic(spec["traffic"], path)
    return Point(
        str(spec.get("name", "")),
        program.resolve(),
        traffic,
        _merged(traffic, _traffic(spec.get("profile", {}), path)),
        spec.get("compile", {}),
        spec.get("simulate", {}),
    )


def _traffic(table: Table, path: Path) -> Table:
    """The table with absolute paths of files."""
    found = dict(table)
    for key in ("trace", "control"):
        if key in found:
            file = (path.parent / str(found[key])).resolve()
            if not file.is_file():
                raise InputError("E-traces-172", f"there is no file {file}", path)
            found[key] = str(file)
    return found
