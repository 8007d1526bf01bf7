"""Arithmetic on numbers that are certain."""

import ast
import operator
import re
from collections.abc import Callable

_NUMBERS = re.compile(r"[\d\s+\-*/%()&|^]{1,60}$")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b),
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def calculate(expression: str) -> int | None:
    """The value of a plain expression of numbers; None when it is anything else."""
    expression = expression.strip()
    if expression.isdigit() and len(expression) < 18:
        return int(expression, 8 if expression.startswith("0") and set(expression) <= set("01234567") else 10)
    if not _NUMBERS.match(expression) or "**" in expression:
        return None
    try:
        return _value(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError
