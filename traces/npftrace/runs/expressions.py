"""Evaluates the expressions of packet tests.

An expression is Python's notation for scapy's packets:

    Ether(dst="02:00:00:00:00:0b") / IP(dst="10.0.0.1") / Raw(bytes(range(64)))

Its syntax tree is walked, and only what the walk knows is done: literals,
arithmetic, scapy's layers with their fields, a few functions, names of the test's
file, `lambda` and comprehensions. All else is an error, so a test file can build
frames and nothing else: it opens no file, looks up no host name and sends nothing.
Sizes and steps are limited. Layers whose address is left out get 0.0.0.0, ::1 or a
MAC address of zeros or ones, whatever the addresses of this computer are.
"""

import ast
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

#: Limits that no frame comes near.
LENGTH_MAX = 1 << 16
INTEGER_BITS_MAX = 1 << 12
LAYERS_MAX = 1000
STEPS_MAX = 200_000
DEPTH_MAX = 100

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
#: Methods of literals.
METHODS: dict[type, set[str]] = {
    bytes: {"fromhex", "join", "ljust", "rjust"},
    int: {"to_bytes"},
    str: {"encode"},
}
#: Arguments of a layer that are no fields.
HIDDEN_ARGUMENTS = {"post_transform", "stop_dissection_after"}


class ExpressionError(Exception):
    """What is wrong with an expression; the message quotes the part."""


@contextmanager
def _closed_house() -> Iterator[None]:
    """Keeps scapy from asking this computer or the network for what is left out."""
    from scapy.all import conf
    from scapy.error import log_runtime

    def refuse(name: object, *_: object) -> None:
        raise ExpressionError(f"host names are not looked up: {name!r}")

    was_disabled = log_runtime.disabled
    log_runtime.disabled = True  # "MAC address not found. Using broadcast."
    try:
        with (
            mock.patch("socket.getaddrinfo", refuse),
            mock.patch("socket.gethostbyname", refuse),
            mock.patch("socket.gethostbyaddr", refuse),
            mock.patch.object(conf.neighbor, "resolvers", {}),
            mock.patch.object(conf.route, "routes", []),
            mock.patch.object(conf.route, "cache", {}),
            mock.patch.object(conf.route6, "routes", []),
            mock.patch.object(conf.route6, "cache", {}),
        ):
            yield
    finally:
        log_runtime.disabled = was_disabled


def _layers() -> dict[str, Any]:
    # Scapy takes a second to load, so only packet tests load it.
    from scapy import all as scapy

    return {
        name: value
        for name, value in vars(scapy).items()
        if isinstance(value, type)
        and issubclass(value, scapy.Packet)
        and value.__module__.startswith(("scapy.layers.", "scapy.packet"))
    }


class Expressions:
    """The names of a test file, and the expressions over them."""

    def __init__(self) -> None:
        from scapy.all import Packet
        from scapy.utils import checksum

        self._packet = Packet
        self._functions: dict[Any, Callable[..., Any]] = {
            bytes: self._bytes,
            range: self._range,
            len: len,
            min: min,
            max: max,
            sum: sum,
            checksum: checksum,
        }
        self.names: dict[str, Any] = _layers() | {
            function.__name__: function for function in self._functions
        }
        self._steps = 0
        self._depth = 0

    def value(self, text: str) -> Any:
        """Evaluates an expression.

        Errors: ExpressionError says which part is refused or wrong.
        """
        return self._guarded(text, lambda: self._whole(text))

    def frame(self, text: str) -> bytes:
        """The bytes of a packet or of `bytes`."""
        data: bytes = self._guarded(text, lambda: self._as_bytes(self._whole(text)))
        return data

    def _guarded(self, text: str, evaluate: Callable[[], Any]) -> Any:
        self._steps = self._depth = 0
        try:
            with _closed_house():
                return evaluate()
        except ExpressionError:
            raise
        except RecursionError:
            raise ExpressionError("it is nested too deeply") from None
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise ExpressionError(f"'{text}' is not a packet: {what}") from error

    def _whole(self, text: str) -> Any:
        return _Walk(self, text, {}).visit(ast.parse(text, mode="eval").body)

    def _as_bytes(self, value: Any) -> bytes:
        if not isinstance(value, bytes | self._packet):
            raise ExpressionError(f"{type(value).__name__} is not a packet")
        return bytes(value)

    def count_step(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise ExpressionError(f"it takes more than {STEPS_MAX:,} steps")

    def call(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Calls a layer, a function of the list, or a lambda of the file."""
        if isinstance(function, _Lambda):
            self._depth += 1
            if self._depth > DEPTH_MAX:
                raise ExpressionError("it is nested too deeply")
            result = function(*args, **keywords)
            self._depth -= 1
            return result
        if isinstance(function, type) and issubclass(function, self._packet):
            hidden = {n for n in keywords if n[0] == "_"} | HIDDEN_ARGUMENTS & {
                *keywords
            }
            if hidden or any(not isinstance(arg, bytes) for arg in args[:1]):
                raise ExpressionError("a layer takes its fields, or its bytes")
            if len(args) > 1 and function.__name__ != "Padding":
                raise ExpressionError("a layer's fields are given by name")
            return function(*args, **keywords)
        known = function in self._functions if _is_hashable(function) else False
        if not known:
            raise ExpressionError("it is no layer, function or lambda")
        return self._functions[function](*args, **keywords)

    def attribute(self, value: Any, name: str) -> Any:
        """A field of a packet or a method of a literal."""
        if isinstance(value, self._packet):
            if name == "payload":
                return value.payload
            if any(field.name == name for field in value.fields_desc):
                return value.getfieldval(name)
            raise ExpressionError(f"{type(value).__name__} has no field '{name}'")
        if value is bytes and name == "fromhex":
            return _Method(bytes.fromhex)
        for kind, methods in METHODS.items():
            if type(value) is kind and name in methods:
                return _Method(getattr(value, name))
        raise ExpressionError(f"there is no '.{name}' here")

    def check(self, value: Any) -> Any:
        """Returns the value; an error if it is larger than any frame needs."""
        if isinstance(value, int) and value.bit_length() > INTEGER_BITS_MAX:
            raise ExpressionError("the number is too large")
        if isinstance(value, bytes | str | list | tuple) and len(value) > LENGTH_MAX:
            raise ExpressionError(f"it is longer than {LENGTH_MAX:,}")
        if isinstance(value, self._packet):
            layer, layers = value, 0
            while layer:
                layer, layers = layer.payload, layers + 1
                if layers > LAYERS_MAX:
                    raise ExpressionError(f"it has more than {LAYERS_MAX:,} layers")
        return value

    def _bytes(self, value: Any = b"", *more: Any) -> bytes:
        if isinstance(value, int) and not 0 <= value <= LENGTH_MAX:
            raise ExpressionError(f"it is longer than {LENGTH_MAX:,}")
        return bytes(value, *more)

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        if len(numbers) > LENGTH_MAX:
            raise ExpressionError(f"it is longer than {LENGTH_MAX:,}")
        return numbers


def _is_hashable(value: Any) -> bool:
    return callable(value) and not isinstance(value, _Lambda | _Method)


class _Method:
    """A method of the list, bound to its value."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method


class _Lambda:
    """A lambda of the file: its tree, and the names around it."""

    def __init__(self, walk: "_Walk", node: ast.Lambda) -> None:
        arguments = node.args
        if arguments.vararg or arguments.kwonlyargs:
            raise walk.refuse(node)
        #: The parameter that takes the other arguments by name, as in `**more`.
        self.others = arguments.kwarg.arg if arguments.kwarg else ""
        self.walk, self.body = walk, node.body
        self.parameters = [a.arg for a in arguments.posonlyargs + arguments.args]
        defaults = [walk.visit(value) for value in arguments.defaults]
        named = self.parameters[len(self.parameters) - len(defaults) :]
        self.defaults = dict(zip(named, defaults, strict=True))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if len(args) > len(self.parameters):
            raise ExpressionError(f"more than {len(self.parameters)} arguments")
        values = {**self.defaults, **dict(zip(self.parameters, args, strict=False))}
        others = {}
        for name, value in keywords.items():
            if name in self.parameters:
                values[name] = value
            elif self.others:
                others[name] = value
            else:
                raise ExpressionError(f"there is no parameter '{name}'")
        for name in self.parameters:
            if name not in values:
                raise ExpressionError(f"no value for the parameter '{name}'")
        if self.others:
            values[self.others] = others
        walk = self.walk
        inner = {**walk.local, **values}
        return _Walk(walk.expressions, walk.text, inner).visit(self.body)


class _Walk(ast.NodeVisitor):
    """Evaluates the nodes of one expression. A node without a method is refused."""

    def __init__(
        self, expressions: Expressions, text: str, local: dict[str, Any]
    ) -> None:
        self.expressions, self.text, self.local = expressions, text, local

    def refuse(self, node: ast.AST) -> ExpressionError:
        return ExpressionError(f"'{self._quote(node)}' is not allowed in a packet test")

    def _quote(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or self.text

    def visit(self, node: ast.AST) -> Any:
        self.expressions.count_step()
        return self.expressions.check(super().visit(node))

    def generic_visit(self, node: ast.AST) -> Any:
        raise self.refuse(node)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_Name(self, node: ast.Name) -> Any:
        for names in (self.local, self.expressions.names):
            if node.id in names:
                return names[node.id]
        raise ExpressionError(f"there is no layer or name '{node.id}'")

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        value = self.visit(node.value)
        if node.attr.startswith("_"):
            raise self.refuse(node)
        return self.expressions.attribute(value, node.attr)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        operation = BINARY.get(type(node.op))
        if operation is None:
            raise self.refuse(node)
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.LShift) and not 0 <= right <= INTEGER_BITS_MAX:
            raise self.refuse(node)
        if isinstance(node.op, ast.Mod) and not isinstance(left, int):
            raise self.refuse(node)  # Python's formats can make any length.
        if isinstance(node.op, ast.Mult):
            self._check_product(node, left, right)
        return operation(left, right)

    def _check_product(self, node: ast.BinOp, left: Any, right: Any) -> None:
        if isinstance(left, int) and isinstance(right, int):
            return
        if not isinstance(left, int):
            left, right = right, left
        is_sequence = isinstance(right, bytes | str | list | tuple)
        if not isinstance(left, int) or not is_sequence:
            raise self.refuse(node)
        if left * len(right) > LENGTH_MAX:
            raise ExpressionError(f"it is longer than {LENGTH_MAX:,}")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return UNARY[type(node.op)](self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> Any:
        left = self.visit(node.left)
        for kind, other in zip(node.ops, node.comparators, strict=True):
            if type(kind) not in COMPARISONS:
                raise self.refuse(node)
            right = self.visit(other)
            if not COMPARISONS[type(kind)](left, right):
                return False
            left = right
        return True

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self.visit(node.body if self.visit(node.test) else node.orelse)

    def visit_List(self, node: ast.List) -> Any:
        return [self.visit(item) for item in node.elts]

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.visit(item) for item in node.elts)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        value, index = self.visit(node.value), self.visit(node.slice)
        return value[index]

    def visit_Slice(self, node: ast.Slice) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(part and self.visit(part) for part in parts))

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return _Lambda(self, node)

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return self._comprehension(node)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        (loop, *more) = node.generators
        if more or not isinstance(loop.target, ast.Name):
            raise self.refuse(node)
        results = []
        for item in self.visit(loop.iter):
            inner = {**self.local, loop.target.id: item}
            walk = _Walk(self.expressions, self.text, inner)
            if all(walk.visit(test) for test in loop.ifs):
                results.append(walk.visit(node.elt))
        return results

    def visit_Call(self, node: ast.Call) -> Any:
        function = self.visit(node.func)
        args = [self.visit(value) for value in node.args]
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            more = {keyword.arg: value} if keyword.arg else value
            if not isinstance(more, dict):
                raise self.refuse(node)
            keywords |= more
        if isinstance(function, _Method):
            self._check_width(args)
            return function.method(*args, **keywords)
        if isinstance(function, _Lambda):
            return self.expressions.call(function, args, keywords)
        try:
            return self.expressions.call(function, args, keywords)
        except ExpressionError as error:
            raise ExpressionError(f"'{self._quote(node)}': {error}") from None

    def _check_width(self, args: list[Any]) -> None:
        if any(isinstance(arg, int) and arg > LENGTH_MAX for arg in args):
            raise ExpressionError(f"it is longer than {LENGTH_MAX:,}")
