"""Tables whose entries change while packets flow.

A call at packet N may be seen by a packet that arrived shortly before N and was
still in flight, and missed by one that arrived shortly after. So an entry has
versions. Each has the packet from which it may be seen and the packet from which
it must be seen. A look-up returns all values that are right for a packet, nearly
always one.
"""

from collections.abc import Hashable
from typing import Generic, TypeVar

from npftrace.tables.control import Call

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

ALWAYS = float("-inf")
NEVER = float("inf")


class UpdatedTable(Generic[Key, Value]):
    """A table from keys to values, with a default for absent keys."""

    def __init__(self, default: Value, window: int) -> None:
        #: `get` returns this tuple, by identity, for a key that is never set.
        self.absent = (default,)
        self._window = window
        self._entries: dict[Key, list[tuple[float, float, Value]]] = {}

    def set(self, key: Key, value: Value, call: Call) -> None:
        """Sets an entry; calls come in the order in which they run."""
        may, must = ALWAYS, ALWAYS
        if call.unit == "packet":
            may, must = call.when - self._window, call.when + self._window
        elif call.unit == "cycle":
            must = NEVER
        version = (may, must, value)
        if must == ALWAYS:
            self._entries[key] = [version]
        else:
            self._entries.setdefault(key, []).append(version)

    def is_set(self, key: Key) -> bool:
        """Whether any call has set an entry."""
        return key in self._entries

    def get(self, key: Key, index: int) -> tuple[Value, ...]:
        """The values that packet `index` may see."""
        versions = self._entries.get(key)
        if versions is None:
            return self.absent
        if len(versions) == 1 and versions[0][1] == ALWAYS:
            return (versions[0][2],)
        found: list[Value] = []
        for may, must, value in reversed(versions):
            if index >= may and value not in found:
                found.append(value)
            if index >= must:
                return tuple(found)
        return (*found, *(v for v in self.absent if v not in found))


class UpdatedPrefixes:
    """Longest-prefix match with one table per prefix length, the longest first.
    It shares no idea with the tries of the applications."""

    def __init__(self, window: int, bits: int = 32) -> None:
        self._window = window
        self._bits = bits
        self._tables: dict[int, UpdatedTable[int, int | None]] = {}
        #: Per prefix length, longest first: the bits below the prefix, and its table.
        self._levels: list[tuple[int, UpdatedTable[int, int | None]]] = []

    def set(self, prefix: int, length: int, value: int | None, call: Call) -> None:
        """Sets the value of a prefix; None removes the prefix."""
        if length not in self._tables:
            self._tables[length] = UpdatedTable(None, self._window)
            lengths = sorted(self._tables, reverse=True)
            self._levels = [(self._bits - n, self._tables[n]) for n in lengths]
        self._tables[length].set(prefix >> (self._bits - length), value, call)

    def matches(self, address: int, index: int) -> list[int | None]:
        """The values of the longest prefix that are right for packet `index`; None
        stands for no match."""
        found: list[int | None] = []
        for shift, table in self._levels:
            values = table.get(address >> shift, index)
            if values is table.absent:
                continue
            found += [value for value in values if value is not None]
            if None not in values:
                return found
        return [*found, None]
