"""The sites of a C++ file, found in its tree-sitter syntax tree.

The tree has no types. What a change does to a program that is then wrong is
left to the compiler: such mutants are dropped (see tree.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tree_sitter import Language, Node, Parser
from tree_sitter_cpp import language

from .sites import Extent, Site, short

BINARY: dict[str, tuple[str, ...]] = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",),
    "&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",),
}  # fmt: skip
LOGICAL = {"&&": "||", "||": "&&"}
ASSIGNMENT = {
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "&=": "|=", "|=": "&=",
    "^=": "|=", "<<=": ">>=", ">>=": "<<=",
}  # fmt: skip
OTHER_BOUND = {"min": "max", "max": "min"}

#: What is not looked into: evaluated by the compiler, or text.
CLOSED = {
    "ERROR", "alias_declaration", "alignas_qualifier", "alignof_expression",
    "array_declarator", "attribute_declaration", "attribute_specifier",
    "bitfield_clause", "comment", "concatenated_string", "decltype",
    "enum_specifier", "friend_declaration", "noexcept", "preproc_call",
    "preproc_def", "preproc_function_def", "preproc_include",
    "pure_virtual_clause", "raw_string_literal", "requires_clause",
    "sizeof_expression", "static_assert_declaration", "string_literal",
    "template_argument_list", "template_parameter_list", "type_definition",
    "type_descriptor", "using_declaration",
}  # fmt: skip
TEXT = {"string_literal", "concatenated_string", "raw_string_literal"}
LOOPS = {"for_statement", "for_range_loop", "while_statement", "do_statement"}
FUNCTIONS = {"function_definition", "lambda_expression"}
HINTS = {"reserve", "shrink_to_fit"}
EXPLAINING = re.compile(r"^(dump|describe|explain)")
MACRO = re.compile(r"^[A-Z][A-Z0-9_]+$")
INTEGER = re.compile(r"^(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)$")
FLOATING = re.compile(r"^[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?[fF]?$")

#: Ranks of sites with one extent.
STATEMENT, CONDITION, EXPRESSION = range(3)


@cache
def _parser() -> Parser:
    return Parser(Language(language()))


def cpp_sites(source: bytes) -> list[Site]:
    """All sites of a file, outer ones first."""
    finder = _Finder(source)
    finder.visit(_parser().parse(source).root_node)
    return finder.sites


def other_numbers(literal: str) -> tuple[str, ...]:
    """What takes the place of a number: the next one, and 0."""
    match = INTEGER.match(literal)
    if match:
        digits, suffix = match[1].replace("'", ""), match[2]
        octal = digits.isdigit() and len(digits) > 1 and digits[0] == "0"
        value = int(digits, 8 if octal else 0)
        following = hex(value + 1) if digits[:2] in ("0x", "0X") else str(value + 1)
        numbers = (following, "0") if value else (following,)
        return tuple(number + suffix for number in numbers)
    if FLOATING.match(literal):
        value_of = float(literal.rstrip("fF"))
        suffix = "f" if literal[-1] in "fF" else ""
        floats = (value_of + 1, 0.0) if value_of else (1.0,)
        return tuple(f"{number}{suffix}" for number in floats)
    return ()


class _Finder:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.sites: list[Site] = []

    # The walk.

    def visit(self, node: Node) -> None:
        if node.type in CLOSED or not node.is_named or self._is_closed(node):
            return
        finder = getattr(self, f"_at_{node.type}", None)
        if finder:
            finder(node)
        for child in self._open_children(node):
            self.visit(child)

    def _is_closed(self, node: Node) -> bool:
        """Whether nothing in the node may change."""
        if node.type in ("declaration", "field_declaration", "function_definition"):
            if any(self._is_constexpr(child) for child in node.children):
                return True
            return bool(EXPLAINING.match(_function_name(node)))
        if node.type == "call_expression":
            return bool(MACRO.match(_callee(node)))
        if node.type == "binary_expression":
            return self._is_text(node)
        return False

    @staticmethod
    def _is_constexpr(child: Node) -> bool:
        return child.type == "type_qualifier" and child.text == b"constexpr"

    @staticmethod
    def _is_text(node: Node) -> bool:
        """Whether strings are concatenated or streamed."""
        if _operator(node) == "<<" and _parent_type(node) == "expression_statement":
            return True
        todo = [node]
        while todo:
            part = todo.pop()
            if part.type in TEXT:
                return True
            if part.type == "binary_expression" and _operator(part) in ("+", "<<"):
                todo += part.named_children
        return False

    @staticmethod
    def _open_children(node: Node) -> Iterator[Node]:
        closed = {
            "case_statement": "value",
            "for_statement": "update",
            "preproc_if": "condition",
            "preproc_elif": "condition",
        }.get(node.type, "")
        if node.type == "if_statement" and _is_if_constexpr(node):
            closed = "condition"
        for index, child in enumerate(node.children):
            if child.type == "new_declarator" or _is_beside_message(child):
                continue
            if not closed or node.field_name_for_child(index) != closed:
                yield child

    # What a site becomes.

    def _text(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]

    def _add(
        self,
        node: Node,
        becomes: bytes | str,
        *pieces: str | Extent,
        rank: int = EXPRESSION,
        was: str | None = None,
    ) -> None:
        text = becomes.encode() if isinstance(becomes, str) else becomes
        self.sites.append(
            Site(
                node.start_byte,
                node.end_byte,
                rank,
                was if was is not None else short(self._text(node)),
                short(text),
                pieces,
            )
        )

    def _switch(self, node: Node, other: bytes) -> None:
        """One expression or another."""
        text = other.decode(errors="replace")
        self._add(
            node,
            other,
            f"(::karakal_mutants::on<@>() ? ({text}) : (",
            (node.start_byte, node.end_byte),
            "))",
        )

    def _change(
        self, node: Node, left: Node, right: Node, was: str, becomes: str, told: bytes
    ) -> None:
        """One operation on `l` and `r` or another."""
        self._add(
            node,
            told,
            "::karakal_mutants::change<@>((",
            (left.start_byte, left.end_byte),
            "), (",
            (right.start_byte, right.end_byte),
            f"), [](auto &&l, auto &&r) {{ return {was}; }}, "
            f"[](auto &&l, auto &&r) {{ return {becomes}; }})",
        )

    def _flip(self, node: Node) -> None:
        self._add(
            node,
            b"!(" + self._text(node) + b")",
            "::karakal_mutants::flip<@>(",
            (node.start_byte, node.end_byte),
            ")",
            rank=CONDITION,
        )

    def _remove(self, node: Node) -> None:
        if not _is_statement(node):
            return
        self._add(
            node,
            "nothing",
            "{ if (!::karakal_mutants::on<@>()) ",
            (node.start_byte, node.end_byte),
            " }",
            rank=STATEMENT,
        )

    # Expressions.

    def _at_binary_expression(self, node: Node) -> None:
        left, right = _field(node, "left"), _field(node, "right")
        operator = _operator(node)
        if operator in LOGICAL:
            self._switch(node, self._with_operator(node, LOGICAL[operator]))
            return
        for other in BINARY.get(operator, ()):
            becomes = f"l {other} r"
            if other == "/" and operator == "*":
                # Recording evaluates both.
                becomes = "r != 0 ? l / r : l"
            told = self._with_operator(node, other)
            self._change(node, left, right, f"l {operator} r", becomes, told)
        if operator not in BINARY:
            return
        for side, template in ((left, "{} {} r"), (right, "l {} {}")):
            if side.type != "number_literal":
                continue
            for number in other_numbers(self._text(side).decode()):
                if number[0] == "0" and operator in "/%" and side == right:
                    continue
                words = (number, operator) if side == left else (operator, number)
                told = (
                    self.source[node.start_byte : side.start_byte]
                    + number.encode()
                    + self.source[side.end_byte : node.end_byte]
                )
                was, becomes = f"l {operator} r", template.format(*words)
                self._change(node, left, right, was, becomes, told)

    def _with_operator(self, node: Node, other: str) -> bytes:
        operator = _field(node, "operator")
        return (
            self.source[node.start_byte : operator.start_byte]
            + other.encode()
            + self.source[operator.end_byte : node.end_byte]
        )

    def _at_unary_expression(self, node: Node) -> None:
        operator = _operator(node)
        argument = _field(node, "argument")
        if operator == "!":
            self._flip(node)
        elif operator in ("-", "~") and argument.type != "number_literal":
            self._switch(node, self._text(argument))

    def _at_update_expression(self, node: Node) -> None:
        text = self._text(node)
        other = {b"++": b"--", b"--": b"++"}
        for old, new in other.items():
            if text.startswith(old):
                self._switch(node, new + text[2:])
                return
            if text.endswith(old):
                self._switch(node, text[:-2] + new)
                return

    def _at_number_literal(self, node: Node) -> None:
        parent = node.parent
        if (
            parent is not None
            and parent.type == "binary_expression"
            and _operator(parent) in BINARY
        ):
            return  # a change of the operation
        for number in other_numbers(self._text(node).decode()):
            self._switch(node, number.encode())

    def _at_true(self, node: Node) -> None:
        self._switch(node, b"false")

    def _at_false(self, node: Node) -> None:
        self._switch(node, b"true")

    def _at_conditional_expression(self, node: Node) -> None:
        self._condition(_field(node, "condition"))

    def _condition(self, condition: Node) -> None:
        if condition.type == "unary_expression" and _operator(condition) == "!":
            return  # a site of its own
        self._flip(condition)

    def _at_call_expression(self, node: Node) -> None:
        function = _field(node, "function")
        name = self._text(function).decode(errors="replace")
        match = re.match(r"^std::(min|max)\b", name)
        arguments = _field(node, "arguments").named_children
        if not match or len(arguments) != 2:
            return
        other = f"std::{OTHER_BOUND[match[1]]}{name[match.end() :]}"
        told = other.encode() + self.source[function.end_byte : node.end_byte]
        left, right = arguments
        self._change(node, left, right, f"{name}(l, r)", f"{other}(l, r)", told)

    # Statements.

    def _at_if_statement(self, node: Node) -> None:
        clause = _field(node, "condition")
        if _is_if_constexpr(node):
            return
        value = clause.child_by_field_name("value")
        if value is not None and not value.type.endswith("declaration"):
            self._condition(value)

    def _at_expression_statement(self, node: Node) -> None:
        if not node.named_children:
            return
        expression = node.named_children[0]
        if expression.type == "assignment_expression":
            if not self._mentions_text(expression):
                self._remove(node)
        elif expression.type == "update_expression":
            self._remove(node)
        elif expression.type == "call_expression":
            name = _callee(expression)
            if name not in HINTS and not MACRO.match(name):
                self._remove(node)

    def _mentions_text(self, assignment: Node) -> bool:
        right = _field(assignment, "right")
        return right.type in TEXT or (
            right.type == "binary_expression" and self._is_text(right)
        )

    def _at_assignment_expression(self, node: Node) -> None:
        operator = _operator(node)
        if operator in ASSIGNMENT and not self._mentions_text(node):
            self._switch(node, self._with_operator(node, ASSIGNMENT[operator]))

    def _at_return_statement(self, node: Node) -> None:
        """Only early ones: those under a condition or in a loop."""
        above = node.parent
        while above is not None and above.type not in FUNCTIONS:
            if above.type == "if_statement" or above.type in LOOPS:
                self._remove(node)
                return
            if above.type == "switch_statement":
                return
            above = above.parent

    def _at_continue_statement(self, node: Node) -> None:
        self._remove(node)

    def _at_break_statement(self, node: Node) -> None:
        above = node.parent
        while above is not None and above.type != "switch_statement":
            if above.type in LOOPS:
                self._remove(node)
                return
            above = above.parent


def _field(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    assert child is not None, (node.type, name)
    return child


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _parent_type(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""


def _last_name(node: Node | None) -> str:
    """The last identifier of a qualified or member name."""
    while node is not None and node.type not in ("identifier", "field_identifier"):
        for field in ("name", "field", "declarator"):
            inner = node.child_by_field_name(field)
            if inner is not None:
                break
        else:
            return ""
        node = inner
    return (node.text or b"").decode() if node is not None else ""


def _is_if_constexpr(node: Node) -> bool:
    return any(part.type == "constexpr" for part in node.children)


def _is_beside_message(arguments: Node) -> bool:
    """Whether one of the arguments is a message."""
    return arguments.type == "argument_list" and any(
        part.type == "concatenated_string"
        or (part.type in TEXT and b" " in (part.text or b""))
        for part in arguments.named_children
    )


def _callee(call: Node) -> str:
    return _last_name(call.child_by_field_name("function"))


def _function_name(definition: Node) -> str:
    if definition.type != "function_definition":
        return ""
    return _last_name(definition.child_by_field_name("declarator"))


def _is_statement(node: Node) -> bool:
    """Whether another statement can take the node's place."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "for_statement":
        return bool(parent.child_by_field_name("body") == node)
    return parent.type in LOOPS | {
        "compound_statement", "if_statement", "else_clause", "case_statement",
    }  # fmt: skip
