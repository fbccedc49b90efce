"""Protobuf's text form of P4Runtime's P4Info, with the fields that it may have.

The messages are typed from p4runtime's p4/config/v1/p4info.proto (1.4): each
field's name, its message or type, and whether it may occur more than once.
"""

from __future__ import annotations

import json
import re
from typing import Any

MESSAGES: dict[str, dict[str, tuple[str, bool]]] = {
    "P4Info": {
        "pkg_info": ("PkgInfo", False),
        "tables": ("Table", True),
        "actions": ("Action", True),
        "direct_counters": ("DirectCounter", True),
        "direct_meters": ("DirectMeter", True),
    },
    "PkgInfo": {
        "name": ("string", False),
        "version": ("string", False),
        "annotations": ("string", True),
        "arch": ("string", False),
        "organization": ("string", False),
        "contact": ("string", False),
        "url": ("string", False),
    },
    "Preamble": {
        "id": ("uint32", False),
        "name": ("string", False),
        "alias": ("string", False),
        "annotations": ("string", True),
    },
    "Table": {
        "preamble": ("Preamble", False),
        "match_fields": ("MatchField", True),
        "action_refs": ("ActionRef", True),
        "const_default_action_id": ("uint32", False),
        "implementation_id": ("uint32", False),
        "direct_resource_ids": ("uint32", True),
        "size": ("int64", False),
        "idle_timeout_behavior": ("IdleTimeoutBehavior", False),
        "is_const_table": ("bool", False),
    },
    "DirectCounter": {
        "preamble": ("Preamble", False),
        "spec": ("CounterSpec", False),
        "direct_table_id": ("uint32", False),
    },
    "CounterSpec": {"unit": ("Unit", False)},
    "DirectMeter": {
        "preamble": ("Preamble", False),
        "spec": ("MeterSpec", False),
        "direct_table_id": ("uint32", False),
    },
    "MeterSpec": {"unit": ("MeterUnit", False), "type": ("MeterType", False)},
    "MatchField": {
        "id": ("uint32", False),
        "name": ("string", False),
        "annotations": ("string", True),
        "bitwidth": ("int32", False),
        "match_type": ("MatchType", False),
    },
    "ActionRef": {"id": ("uint32", False), "annotations": ("string", True)},
    "Action": {"preamble": ("Preamble", False), "params": ("Param", True)},
    "Param": {
        "id": ("uint32", False),
        "name": ("string", False),
        "annotations": ("string", True),
        "bitwidth": ("int32", False),
    },
}
ENUMS = {
    "MatchType": ("UNSPECIFIED", "EXACT", "LPM", "TERNARY", "RANGE", "OPTIONAL"),
    "IdleTimeoutBehavior": ("NO_TIMEOUT", "NOTIFY_CONTROL"),
    "Unit": ("UNSPECIFIED", "BYTES", "PACKETS", "BOTH"),
    "MeterUnit": ("UNSPECIFIED", "BYTES", "PACKETS"),
    "MeterType": (
        "TWO_RATE_THREE_COLOR",
        "SINGLE_RATE_THREE_COLOR",
        "SINGLE_RATE_TWO_COLOR",
    ),
}
TOKEN = re.compile(
    r'\s*(?:#[^\n]*\n\s*)*([A-Za-z_]\w*|-?\d+|"(?:[^"\\\n]|\\.)*"|[{}:])'
)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            assert found, f"no token: {text[at : at + 40]!r}"
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def message(self, kind: str, end: str | None) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        while self.at < len(self.tokens) and self.tokens[self.at] != end:
            name = self.take()
            assert name in MESSAGES[kind], f"{kind} has no field {name}"
            of, repeats = MESSAGES[kind][name]
            assert repeats or name not in found, f"{name} of {kind} occurs twice"
            found.setdefault(name, []).append(self.value(of))
        if end is not None:
            assert self.take() == end
        return found

    def value(self, of: str) -> Any:
        if of in MESSAGES:
            assert self.take() == "{"
            return self.message(of, "}")
        assert self.take() == ":"
        token = self.take()
        if of == "string":
            return json.loads(token)
        if of in ENUMS:
            assert token in ENUMS[of], token
            return token
        if of == "bool":
            assert token in ("true", "false")
            return token == "true"
        number = int(token)
        bits = 63 if of == "int64" else int(of[-2:]) - (of[0] == "i")
        assert 0 <= number < 1 << bits
        return number


def parse_p4info(text: str) -> dict[str, list[Any]]:
    """The message P4Info; each field is a list of what it has."""
    return _Parser(text).message("P4Info", None)
