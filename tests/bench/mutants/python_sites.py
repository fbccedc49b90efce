"""The sites of a Python file, found in its syntax tree.

The syntax tree is that of the `ast` module; a switch is a conditional expression
or, for a statement, a condition before it on the same line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .sites import Extent, Lines, Site, short

COMPARISON: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")), ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")), ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
    ast.In: ("in", ("not in",)), ast.NotIn: ("not in", ("in",)),
    ast.Is: ("is", ("is not",)), ast.IsNot: ("is not", ("is",)),
}  # fmt: skip
OPERATOR: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "//"),
    ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip
OTHER_BOUND = {"min": "max", "max": "min"}

#: Ranks of sites with one extent.
STATEMENT, CONDITION, EXPRESSION = range(3)

IMPORT = "from npftrace.mutant_switch import on as _mutant_on, change as _mutant_change"


def python_sites(source: bytes) -> list[Site]:
    """All sites of a file, outer ones first."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return finder.sites


def with_import(source: bytes, instrumented: bytes) -> bytes:
    """The instrumented text with the import of the switches, on the line of the
    docstring or of the last import from __future__. No site lies before it."""
    lines = Lines(source)
    at = 0
    for statement in ast.parse(source).body:
        docstring = isinstance(statement, ast.Expr) and at == 0
        future = (
            isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        )
        if not (docstring or future):
            break
        assert statement.end_lineno and statement.end_col_offset is not None
        at = lines.offset(statement.end_lineno, statement.end_col_offset + 1)
    if at == 0:
        return f"{IMPORT}; ".encode() + instrumented
    return instrumented[:at] + f"; {IMPORT}".encode() + instrumented[at:]


class _Finder(ast.NodeVisitor):
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = Lines(source)
        self.sites: list[Site] = []
        #: Statements around the present one, up to its function.
        self.around: list[ast.stmt] = []
        #: Numbers that change as part of an operation.
        self.operands: set[ast.AST] = set()

    # The walk.

    def visit(self, node: ast.AST) -> None:
        closed = (ast.JoinedStr, ast.Assert, ast.Raise, ast.Import, ast.ImportFrom)
        if isinstance(node, closed) or _is_text(node) or _is_of_import(node):
            return
        finder = getattr(self, f"_at_{type(node).__name__}", None)
        if finder:
            finder(node)
        if isinstance(node, ast.stmt):
            outside = self.around
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            self.around = [] if function else [*outside, node]
            self._children(node)
            self.around = outside
        else:
            self._children(node)

    def _children(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "pattern"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)

    # What a site becomes.

    def _extent(self, node: ast.expr | ast.stmt) -> Extent:
        assert node.end_lineno and node.end_col_offset is not None
        return (
            self.lines.offset(node.lineno, node.col_offset + 1),
            self.lines.offset(node.end_lineno, node.end_col_offset + 1),
        )

    def _text(self, node: ast.expr | ast.stmt) -> bytes:
        start, end = self._extent(node)
        return self.source[start:end]

    def _add(
        self,
        node: ast.expr | ast.stmt,
        becomes: str,
        *pieces: str | Extent,
        rank: int = EXPRESSION,
    ) -> None:
        start, end = self._extent(node)
        was, told = short(self._text(node)), short(becomes.encode())
        self.sites.append(Site(start, end, rank, was, told, pieces))

    def _switch(self, node: ast.expr, other: str) -> None:
        """One expression or another."""
        self._add(
            node, other, f"(({other}) if _mutant_on(@) else (", self._extent(node), "))"
        )

    def _change(
        self, node: ast.expr, left: ast.expr, right: ast.expr, was: str, becomes: str
    ) -> None:
        """One operation on `l` and `r` or another."""
        told = becomes.replace("l ", f"{ast.unparse(left)} ", 1)
        if told.endswith(" r"):
            told = f"{told[:-1]}{ast.unparse(right)}"
        self._add(
            node,
            told,
            "_mutant_change(@, (",
            self._extent(left),
            "), (",
            self._extent(right),
            f"), lambda l, r: {was}, lambda l, r: {becomes})",
        )

    def _remove(self, node: ast.stmt) -> None:
        start, end = self._extent(node)
        line, _ = self.lines.at(start)
        before = self.source[self.lines.starts[line - 1] : start]
        after = self.source[end:].split(b"\n", 1)[0].split(b"#")[0]
        if before.strip() or after.strip():
            return  # shares its line
        self._add(
            node, "nothing", "if not _mutant_on(@): ", (start, end), rank=STATEMENT
        )

    # Expressions.

    def _at_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1:
            return
        left, right = node.left, node.comparators[0]
        self.operands.add(right)
        was, others = COMPARISON[type(node.ops[0])]
        for other in others:
            self._change(node, left, right, f"l {was} r", f"l {other} r")
        for number in _other_numbers(right):
            self._change(node, left, right, f"l {was} r", f"l {was} {number}")

    def _at_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) not in OPERATOR:
            return
        self.operands.add(node.right)
        was, other = OPERATOR[type(node.op)]
        self._change(node, node.left, node.right, f"l {was} r", f"l {other} r")
        for number in _other_numbers(node.right):
            if number != "0" or was not in ("/", "//", "%"):
                becomes = f"l {was} {number}"
                self._change(node, node.left, node.right, f"l {was} r", becomes)

    def _at_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._switch(node, ast.unparse(ast.BoolOp(other, node.values)))

    def _at_Constant(self, node: ast.Constant) -> None:
        if node in self.operands:
            return
        for number in _other_numbers(node):
            self._switch(node, number)

    def _at_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.operand, ast.Constant):
            self._switch(node, ast.unparse(node.operand))

    def _at_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)

    def _negate(self, test: ast.expr) -> None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return  # a site of its own
        self._add(
            test,
            f"not ({ast.unparse(test)})",
            "(bool(",
            self._extent(test),
            ") != _mutant_on(@))",
            rank=CONDITION,
        )

    def _at_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in OTHER_BOUND and len(node.args) == 2 and not node.keywords:
            left, right = node.args
            other = f"{OTHER_BOUND[name]}(l, r)"
            told = f"{OTHER_BOUND[name]}({ast.unparse(left)}, {ast.unparse(right)})"
            self._add(
                node,
                told,
                "_mutant_change(@, (",
                self._extent(left),
                "), (",
                self._extent(right),
                f"), lambda l, r: {name}(l, r), lambda l, r: {other})",
            )

    # Statements.

    def _at_If(self, node: ast.If) -> None:
        self._negate(node.test)

    def _at_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and self.around:
            self._remove(node)

    def _at_Assign(self, node: ast.Assign) -> None:
        targets = ast.Attribute | ast.Subscript
        if all(isinstance(target, targets) for target in node.targets):
            self._remove(node)

    def _at_AugAssign(self, node: ast.AugAssign) -> None:
        if not _is_text(node.value):
            self._remove(node)

    def _at_Return(self, node: ast.Return) -> None:
        if any(isinstance(s, ast.If | ast.For | ast.While) for s in self.around):
            self._remove(node)

    def _at_Continue(self, node: ast.Continue) -> None:
        self._remove(node)

    def _at_Break(self, node: ast.Break) -> None:
        self._remove(node)


def _other_numbers(node: ast.expr) -> Iterator[str]:
    """What takes the place of a number: the next one, and 0."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int | float):
        yield repr(value + 1)
        if value:
            yield "0"


def _is_of_import(node: ast.AST) -> bool:
    """Whether the node's condition tells how the file is used, not what it does."""
    uses = ("TYPE_CHECKING", "__name__ == '__main__'")
    return isinstance(node, ast.If) and ast.unparse(node.test) in uses


def _is_text(node: ast.AST) -> bool:
    """Whether the node makes a string from strings."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr)
