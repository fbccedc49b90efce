"""Random Baker expressions that know their own value.

An expression is its text, its type and a function from an environment to its
value, built together. So the generator needs no parser. It computes expected
values by these rules of the language reference, without code of the compiler:

* an operand narrower than 32 bits is promoted to s32;
* of two widths the wider wins, with its sign; at equal width unsigned wins;
* values wrap at the width of their type;
* a shift by the width or more yields 0, or the sign;
* a division by 0 yields all ones, and its remainder the dividend;
* an index beyond an array selects its last element.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Env = Any


@dataclass(frozen=True)
class Type:
    """An integer type: u1 to u64, s1 to s64."""

    signed: bool
    width: int

    def __str__(self) -> str:
        return f"{'s' if self.signed else 'u'}{self.width}"

    def wrap(self, value: int) -> int:
        value &= (1 << self.width) - 1
        if self.signed and value >> (self.width - 1):
            value -= 1 << self.width
        return value

    def promoted(self) -> Type:
        return S32 if self.width < 32 else self


S32 = Type(True, 32)
U32 = Type(False, 32)
U8 = Type(False, 8)


def common(left: Type, right: Type) -> Type:
    """The type in which an operator computes."""
    left, right = left.promoted(), right.promoted()
    if left.width != right.width:
        return left if left.width > right.width else right
    return Type(left.signed and right.signed, left.width)


@dataclass(frozen=True)
class Expr:
    text: str
    type: Type
    value: Callable[[Env], int]


def literal(value: int, type_: Type) -> Expr:
    """A literal, cast to its type; negative values have a minus sign."""
    value = type_.wrap(value)
    digits = str(value) if abs(value) < 1000 else hex(value)
    return Expr(f"({type_})({digits})", type_, lambda env: value)


def cast(expr: Expr, type_: Type) -> Expr:
    return Expr(
        f"({type_})({expr.text})", type_, lambda env: type_.wrap(expr.value(env))
    )


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else _divide(a, b)


def remainder(a: int, b: int) -> int:
    return a if b == 0 else a - b * _divide(a, b)


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "/": quotient,
    "%": remainder,
}
COMPARISON: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def arithmetic(op: str, left: Expr, right: Expr) -> Expr:
    type_ = common(left.type, right.type)
    compute = ARITHMETIC[op]

    def value(env: Env) -> int:
        a, b = type_.wrap(left.value(env)), type_.wrap(right.value(env))
        return type_.wrap(compute(a, b))

    return Expr(f"({left.text} {op} {right.text})", type_, value)


def comparison(op: str, left: Expr, right: Expr) -> Expr:
    type_ = common(left.type, right.type)
    compute = COMPARISON[op]

    def value(env: Env) -> int:
        a, b = type_.wrap(left.value(env)), type_.wrap(right.value(env))
        return int(compute(a, b))

    return Expr(f"({left.text} {op} {right.text})", S32, value)


def shift(op: str, left: Expr, amount: Expr) -> Expr:
    """`amount` is unsigned."""
    type_ = left.type.promoted()

    def value(env: Env) -> int:
        a, by = type_.wrap(left.value(env)), min(amount.value(env), type_.width)
        return type_.wrap(a << by if op == "<<" else a >> by)

    return Expr(f"({left.text} {op} {amount.text})", type_, value)


def unary(op: str, operand: Expr) -> Expr:
    if op == "!":
        return Expr(f"(!{operand.text})", S32, lambda env: int(operand.value(env) == 0))
    type_ = operand.type.promoted()

    def value(env: Env) -> int:
        a = type_.wrap(operand.value(env))
        return type_.wrap(-a if op == "-" else ~a)

    return Expr(f"({op}{operand.text})", type_, value)


def logical(op: str, left: Expr, right: Expr) -> Expr:
    def value(env: Env) -> int:
        if op == "&&":
            return int(left.value(env) != 0 and right.value(env) != 0)
        return int(left.value(env) != 0 or right.value(env) != 0)

    return Expr(f"({left.text} {op} {right.text})", S32, value)


def conditional(test: Expr, left: Expr, right: Expr) -> Expr:
    type_ = common(left.type, right.type)

    def value(env: Env) -> int:
        return type_.wrap((left if test.value(env) != 0 else right).value(env))

    return Expr(f"({test.text} ? {left.text} : {right.text})", type_, value)


def random_type(rng: random.Random) -> Type:
    """A random type; half of them are common ones."""
    if rng.random() < 0.5:
        return Type(rng.random() < 0.25, rng.choice((8, 16, 32, 32, 32, 48, 64)))
    return Type(rng.random() < 0.3, rng.randint(2, 64))


def random_value(rng: random.Random, type_: Type) -> int:
    """Small values, powers of two and their neighbours, anything."""
    kind = rng.randrange(4)
    if kind == 0:
        value = rng.randint(0, 9)
    elif kind == 1:
        value = (1 << rng.randrange(type_.width)) + rng.randint(-1, 1)
    else:
        value = rng.getrandbits(type_.width)
    return type_.wrap(value)


def random_literal(rng: random.Random) -> Expr:
    type_ = random_type(rng)
    return literal(random_value(rng, type_), type_)


def random_expr(
    rng: random.Random, leaf: Callable[[], Expr], depth: int, divide: bool = True
) -> Expr:
    """An expression of at most `depth` nested operators."""
    if depth <= 0 or rng.random() < 0.15:
        return leaf() if rng.random() < 0.8 else random_literal(rng)

    def sub() -> Expr:
        return random_expr(rng, leaf, depth - 1, divide)

    kind = rng.random()
    if kind < 0.50:
        operators = ["+", "-", "&", "|", "^"] * 4 + ["*"] * 2
        if divide:
            operators += ["/", "%"]
        op, left, right = rng.choice(operators), sub(), sub()
        if op in "/%":
            # Not a constant: dividing by a constant 0 is an error.
            right = arithmetic("^", right, leaf())
        return arithmetic(op, left, right)
    if kind < 0.68:
        if rng.random() < 0.5:
            amount = literal(rng.randrange(12), U8)
        else:
            amount = cast(arithmetic("&", sub(), literal(127, U8)), U8)
        return shift(rng.choice(("<<", ">>")), sub(), amount)
    if kind < 0.78:
        return comparison(rng.choice(list(COMPARISON)), sub(), sub())
    if kind < 0.84:
        return logical(rng.choice(("&&", "||")), sub(), sub())
    if kind < 0.87:
        return conditional(sub(), sub(), sub())
    if kind < 0.93:
        return unary(rng.choice(("-", "~", "!")), sub())
    return cast(sub(), random_type(rng))
