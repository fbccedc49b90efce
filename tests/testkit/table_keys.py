"""Keys of test programs with a table of each structure, named by it."""

from __future__ import annotations


def key_of(table: str, key: int) -> str:
    """How a control file writes the key of the table's entry number `key`."""
    if table == "trie":
        return f"0.0.0.{key}/32"
    if table in ("list", "vectors"):
        return f"0.0.0.{key}, priority: 1"
    return f"::, ::1, ::2, ::3, {key}" if table == "hash" else str(key)
